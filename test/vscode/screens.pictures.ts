import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { connectAgent } from '../../packages/bridge/testing/agent.ts';
import { openDiff, PROGRAM } from '../../packages/bridge/testing/program.ts';
import { PRODUCT, until, Workbench } from './workbench.ts';

// `npm run test:real -- vscode pictures`: the pictures of docs/vscode.md, and those of the extension's walkthrough.

const IMAGES = fileURLToPath(new URL('../../docs/images', import.meta.url));
const MEDIA = fileURLToPath(new URL('../../editors/vscode/media', import.meta.url));
const OLD = `import { readFile } from 'node:fs/promises';

export interface Settings {
  readonly port: number;
  readonly host: string;
}

/** Reads the settings of the server. */
export async function readSettings(path: string): Promise<Settings> {
  const text = await readFile(path, 'utf8');
  return JSON.parse(text);
}

export function addressOf(settings: Settings): string {
  return settings.host + ':' + settings.port;
}
`;
const CHECKED = `  const settings: Settings = JSON.parse(text);
  if (!Number.isInteger(settings.port)) throw new Error('The port is no number');
  return settings;
`;
const NEW = OLD.replace('  return JSON.parse(text);\n', CHECKED).replace(
  "settings.host + ':' + settings.port",
  "[settings.host, settings.port].join(':')",
);

it('pictures', { timeout: 300_000 }, async () => {
  const workbench = await Workbench.start({
    extension: PRODUCT,
    settings: { 'hawser.noticing': false, 'workbench.activityBar.location': 'default' },
  });
  try {
    const path = workbench.file('settings.ts', OLD);
    workbench.file('server.ts', OLD);
    const window = await workbench.open({ width: 1280, height: 620 });
    const env = { ...process.env, ...workbench.env };
    const status = async () =>
      JSON.parse(
        (await promisify(execFile)(process.execPath, [PROGRAM, 'status', '--json'], { cwd: workbench.folder, env }))
          .stdout,
      );
    const { agents } = await until(() => status().catch(() => undefined), 60_000);
    const { endpoints, discoveryFiles } = agents.find((each: { name: string }) => each.name === 'claude-code');
    const agent = await connectAgent(endpoints[0], JSON.parse(readFileSync(discoveryFiles[0], 'utf8')).authToken);
    await agent.initialize();
    void openDiff(agent, path, NEW, 'settings').catch(() => {});
    void openDiff(agent, join(workbench.folder, 'server.ts'), NEW, 'server').catch(() => {});
    await window.command('workbench.view.extension.hawser');
    await until(() => window.page.locator('[id="hawser-dev.hawser.hawser"]', { hasText: '2' }).count());
    await window.page.locator('.monaco-list-row', { hasText: 'settings.ts' }).click();
    await window.page.locator('.codelens-decoration a', { hasText: 'Reject change 2' }).first().waitFor();
    await window.page.screenshot({ path: join(IMAGES, 'vscode-review-light.png') });
    await window.page.screenshot({ path: join(MEDIA, 'walkthrough-review.png') });
    await window.run((api) =>
      api.workspace.getConfiguration('workbench').update('colorTheme', 'Default Dark Modern', true),
    );
    await until(() => window.page.locator('.monaco-workbench.vs-dark').count());
    await window.page.screenshot({ path: join(IMAGES, 'vscode-review-dark.png') });
    await window.page.screenshot({ path: join(MEDIA, 'walkthrough-agent.png') });
    await window.page.setViewportSize({ width: 620, height: 700 });
    await window.command('workbench.action.closeSidebar');
    await window.page.locator('.codelens-decoration a').first().waitFor();
    await window.page.screenshot({ path: join(IMAGES, 'vscode-narrow.png') });
    await window.page.setViewportSize({ width: 1280, height: 620 });
    await window.page.locator('.editor.modified .view-line', { hasText: 'isInteger' }).hover();
    await window.page.locator('.editor.modified .comment-range-glyph').first().click();
    await window.page.locator('.review-widget .monaco-editor').first().click();
    await window.page.keyboard.type('say which line of the file it is');
    await window.page.screenshot({ path: join(MEDIA, 'walkthrough-notes.png') });
    agent.close();
    await promisify(execFile)(process.execPath, [PROGRAM, 'stop'], { cwd: workbench.folder, env });
    expect(readFileSync(join(IMAGES, 'vscode-narrow.png')).length).toBeGreaterThan(1000);
  } finally {
    await workbench.close();
  }
});
