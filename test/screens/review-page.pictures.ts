// `npm run pictures -- page`: pictures of the review in the browser, for docs/review.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { ReviewedWorkspace } from '../../packages/bridge/testing/review-page.ts';
import { launchBrowser } from '../../packages/inspect/testing/browser.ts';

vi.setConfig({ testTimeout: 120_000 });

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url));

const OLD = `import { readFile } from 'node:fs/promises';

/** The settings of a project. */
export async function readSettings(path: string) {
  const text = await readFile(path, 'utf8');
  return JSON.parse(text);
}

export function portOf(settings: { port?: number }) {
  return settings.port || 3000;
}
`;
const NEW = OLD.replace(
  '  return JSON.parse(text);',
  '  const settings: unknown = JSON.parse(text);\n  return checked(settings, path);',
).replace('settings.port || 3000', 'settings.port ?? DEFAULT_PORT');

it('the review page, wide and light, on a phone and dark', async () => {
  const browser = await launchBrowser();
  const workspace = new ReviewedWorkspace(browser);
  const others = ['server.ts', 'README.md'];
  for (const name of ['settings.ts', ...others]) writeFileSync(join(workspace.household.workspace, name), OLD);
  try {
    await workspace.serve();
    const agent = await workspace.mcpAgent();
    const wide = await workspace.open({ viewport: { width: 1200, height: 640 }, colorScheme: 'light' });
    const phone = await workspace.open({
      viewport: { width: 390, height: 780 },
      hasTouch: true,
      isMobile: true,
      deviceScaleFactor: 2,
      colorScheme: 'dark',
    });
    const propose = (path: string) => agent.call('propose_edit', { path, new_text: NEW }).catch(() => undefined);
    const first = propose('settings.ts');
    for (const page of [wide, phone]) await page.getByRole('heading', { name: 'settings.ts' }).waitFor();
    const answers = [first, ...others.map(propose)];
    await wide.locator('.file').nth(2).waitFor();
    await phone.getByRole('button', { name: '1 of 3' }).waitFor();
    await wide.getByRole('button', { name: 'Accept hunk 1' }).click();
    await wide.locator('.cell-added').last().click();
    await wide.keyboard.press('i');
    await wide.keyboard.type('Where is DEFAULT_PORT declared?');
    await wide.keyboard.press('Control+Enter');
    await wide.locator('.note').waitFor();
    await wide.screenshot({ path: join(IMAGES, 'review-page-light.png') });
    await phone.screenshot({ path: join(IMAGES, 'review-page-phone.png') });
    await wide.keyboard.press('R');
    await wide.getByRole('dialog').getByRole('button').first().click();
    for (const answer of await Promise.all(answers)) expect(answer?.text).toContain('the user');
  } finally {
    await workspace.dispose();
    await browser.close();
  }
});
