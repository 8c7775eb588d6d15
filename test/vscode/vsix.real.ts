import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { User } from './user.ts';
import { until, WORKBENCH_SOURCE } from './workbench.ts';

// The packed extension in a fresh server, beside that of a vendor.

let user: User;

beforeAll(async () => {
  const others = [{ publisher: 'anthropic', name: 'claude-code' }];
  user = await User.sitDown({ vsix: process.env.HAWSER_VSIX ?? '', others });
});
afterAll(() => user?.leave());

const served = async () => (await user.status()).agents.map(({ name }) => name);

it('the vsix is installed by the command of code-server, and its bridge serves agents', async () => {
  expect(readdirSync(user.workbench.extensions)).toContain('hawser-dev.hawser-0.1.0');
  expect(await served()).toContain('gemini-cli');
});

it("an agent is left to its vendor's extension, and the status bar and the view say which", async () => {
  expect(await served()).not.toContain('claude-code');
  const { page } = user.window;
  await page.locator('[id="hawser-dev.hawser.hawser"]').hover();
  await page.locator('.monaco-hover', { hasText: 'Claude Code: left to its own extension' }).waitFor();
  await user.opensView();
  await until(async () => (await user.row('Claude Code').innerText()).includes('left to its own extension'));
});

it('an agent that the user lists is served all the same', async () => {
  await user.window.run((api) =>
    api.workspace
      .getConfiguration('hawser')
      .update('agents', ['claude-code', 'mcp'], true)
      .then(() => null),
  );
  await user.hawser('stop');
  const { page } = user.window;
  await page.locator('[id="hawser-dev.hawser.hawser"] .codicon-debug-disconnect').waitFor();
  await user.window.command('hawser.connect');
  await user.isConnected();
  expect(await served()).toEqual(['claude-code', 'mcp']);
  await until(async () => (await user.row('Claude Code').count()) === 0);
});

it('every place that the extension has a command in is stable in VS Code', () => {
  const source = readFileSync(WORKBENCH_SOURCE, 'utf8');
  const places = [...source.matchAll(/\{key:"([^"]+)",id:[^}]*\}/g)];
  const proposed = places.filter(([entry]) => entry.includes('proposed:')).map(([, key]) => key);
  expect(proposed).toContain('diffEditor/gutter/hunk');
  const { contributes } = JSON.parse(
    readFileSync(new URL('../../editors/vscode/package.json', import.meta.url), 'utf8'),
  );
  const used = Object.keys(contributes.menus);
  expect(places.map(([, key]) => key)).toEqual(expect.arrayContaining(used));
  expect(proposed.filter((key) => used.includes(key as string))).toEqual([]);
});
