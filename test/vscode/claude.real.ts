import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../packages/bridge/testing/program.ts';
import { shellLine, TmuxScreen } from '../../packages/bridge/testing/tmux.ts';
import { claudeCode } from '../agents/agents/claude-code.ts';
import { install } from '../agents/install.ts';
import { ScriptedModel } from '../agents/scripted-model.ts';
import { PRODUCT, until, type Window, Workbench } from './workbench.ts';

// The real Claude Code from npm, with a scripted model; the user decides in VS Code, or in a terminal beside it.

const LINES = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const TEXT = `${LINES.join('\n')}\n`;
const CHANGED = TEXT.replace('two', 'TWO').replace('eleven', 'eleven and a half');
const TIMEOUT_MS = 120_000;

let workbench: Workbench;
let window: Window;
let model: ScriptedModel;
let claude: TmuxScreen;
const screens: TmuxScreen[] = [];

const start = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const place = { folder: workbench.home, cwd: workbench.folder, timeoutMs: 60_000, columns: 120, rows: 40 };
  const screen = await TmuxScreen.open(shellLine(words), {
    ...place,
    env: { ...process.env, ...workbench.env, ...env },
  });
  screens.push(screen);
  return screen;
};

beforeAll(async () => {
  const program = await install(claudeCode);
  workbench = await Workbench.start({ extension: PRODUCT, settings: { 'hawser.noticing': false } });
  workbench.file('a.txt', TEXT);
  window = await workbench.open();
  await until(() => window.page.locator('[id="hawser-dev.hawser.hawser"]', { hasText: 'Hawser' }).count());
  model = await ScriptedModel.open();
  const home = join(workbench.home, 'home');
  const { args, env } = claudeCode.start({ home, workspace: workbench.folder, modelUrl: model.url });
  claude = await start([process.execPath, PROGRAM, 'run', program, ...args], {
    ...env,
    HTTPS_PROXY: model.url,
    NO_PROXY: 'localhost,127.0.0.1',
  });
  await claude.shows(claudeCode.prompt);
  await until(() => window.page.locator('[id="hawser-dev.hawser.hawser"]', { hasText: 'claude-code' }).count());
}, TIMEOUT_MS * 4);
afterAll(async () => {
  for (const screen of screens) await screen.close();
  await model?.close();
  const env = { ...process.env, ...workbench.env };
  await promisify(execFile)(process.execPath, [PROGRAM, 'stop'], { cwd: workbench.folder, env }).catch(() => {});
  await workbench.close();
});
afterEach(() => window.command('workbench.action.closeAllEditors'));

const isOpen = async () =>
  await window.run((api) =>
    api.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.startsWith('a.txt ('))),
  );
/** Claude Code wants to change lines 2 and 11, and VS Code shows it. */
const propose = async (end: string) => {
  const path = workbench.file('a.txt', TEXT);
  const from = LINES.slice(1, 11).join('\n');
  const to = from.replace('two', 'TWO').replace('eleven', 'eleven and a half');
  model.script([...(claudeCode.edit?.(path, { from, to }) ?? []), { say: end }]);
  const asked = model.asked(model.received.length + 1);
  await claude.press('-l', `please do ${end}`);
  await claude.shows(`please do ${end}`);
  await claude.press('Enter');
  await asked;
  await until(isOpen);
  await window.command('hawser.show');
  await window.page.locator('.editor.modified .view-line', { hasText: 'eleven and a half' }).waitFor();
  await window.page.locator('.editor.modified .view-line', { hasText: 'five' }).click();
  return path;
};

describe(`Claude Code ${claudeCode.version} and VS Code`, { timeout: TIMEOUT_MS }, () => {
  it('a change is accepted with Ctrl+Enter, and Claude Code goes on', async () => {
    const path = await propose('step one');
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
    await window.page.keyboard.press('Control+Enter');
    await claude.shows(/● step one/);
    expect(readFileSync(path, 'utf8')).toBe(CHANGED);
  });

  it('a change is edited, and Claude Code writes what the user made of it', async () => {
    const path = await propose('step two');
    await window.page.keyboard.press('End');
    await window.page.keyboard.type(' and more');
    await window.page.keyboard.press('Control+Enter');
    await until(() => readFileSync(path, 'utf8') === CHANGED.replace('five', 'five and more'));
    await until(async () => !(await isOpen()));
  });

  it('a change that VS Code and a terminal show is decided in the terminal, and the tab goes', async () => {
    const review = await start([process.execPath, PROGRAM, 'review']);
    const path = await propose('step three');
    await review.shows('+eleven and a half');
    await review.press('a');
    await until(async () => !(await isOpen()));
    await until(() => readFileSync(path, 'utf8') === CHANGED);
  });

  it('a change is rejected with Alt+Shift+N, and the file stays', async () => {
    const path = await propose('step four');
    await window.page.keyboard.press('Alt+Shift+KeyN');
    await claude.shows(/interrupted|rejected/i);
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
    await until(async () => !(await isOpen()));
  });
});
