// @ts-check
// `npm run pictures -- inspect`: makes docs/images/inspect.png anew. Needs chromium; see scripts/system-packages.mjs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { root } from './prepare.mjs';

const program = join(root, 'packages', 'bridge', 'dist', 'main.cjs');
const server = 'npx -y @modelcontextprotocol/server-everything';
const command = spawn(process.execPath, [program, 'inspect', '--no-open', '--stdio', server], { cwd: root });
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  const [line] = await once(createInterface({ input: command.stdout }), 'line');
  const [link = ''] = /http:\S+/.exec(line) ?? [];
  const page = await browser.newPage({ viewport: { width: 1360, height: 760 }, colorScheme: 'light' });
  await page.goto(link);
  await page.getByRole('banner').getByText('Everything Reference Server').waitFor();
  await page.getByRole('navigation').getByRole('button', { name: 'Tools' }).click();
  await page
    .getByRole('list', { name: 'tools' })
    .getByRole('button', { name: /^get-structured-content/ })
    .click();
  await page.getByRole('combobox', { name: 'location' }).selectOption('Chicago');
  await page.getByRole('button', { name: 'Traffic beside' }).click();
  await page.getByRole('button', { name: 'Call', exact: true }).click();
  await page
    .getByText(/^done in/)
    .first()
    .waitFor();
  await page.getByRole('complementary').getByRole('button', { expanded: false }).last().click();
  await page.getByRole('complementary').getByRole('group', { name: 'Message' }).scrollIntoViewIfNeeded();
  await page.getByRole('heading', { name: 'Result' }).hover();
  await page.screenshot({ path: join(root, 'docs', 'images', 'inspect.png') });
} finally {
  await browser.close();
  command.kill('SIGINT');
}
