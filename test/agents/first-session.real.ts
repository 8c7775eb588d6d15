import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../../packages/bridge/testing/neovim/neovims.ts';
import { pictureOf } from '../../packages/bridge/testing/screens/picture.ts';
import { TmuxScreen } from '../../packages/bridge/testing/tmux.ts';
import { launchBrowser } from '../../packages/inspect/testing/browser.ts';
import { claudeCode } from './agents/claude-code.ts';
import { isWanted } from './all.ts';
import { install } from './install.ts';
import { ScriptedModel } from './scripted-model.ts';
import { until } from './stage.ts';

// The first session as the README tells it, from `git clone` to a change that is accepted in part: what is committed is cloned,
// built and installed, and used with the real Claude Code in a fresh home. HAWSER_SCREENS=FOLDER keeps pictures of its screens.

const run = promisify(execFile);
const STEP_MS = 60_000;
const INSTALL_MS = 15 * 60_000;
const SIZE = { columns: 80, rows: 24 };

const CART = `export interface Item {
  name: string;
  price: number;
  count: number;
}

export function total(items: readonly Item[]): number {
  let sum = 0;
  for (const item of items) {
    sum += item.price;
  }
  return sum;
}

export function names(items: readonly Item[]): string {
  return items.map((item) => item.name).join(',');
}
`;
const COUNTED = CART.replace('item.price;', 'item.price * item.count;');
const PROPOSED = COUNTED.replace("join(',')", "join(', ')");

describe.skipIf(!isWanted(claudeCode))('the first session', () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hw-')));
  const project = join(home, 'project');
  const cart = join(project, 'src', 'cart.ts');
  const screens: TmuxScreen[] = [];
  let model: ScriptedModel;
  let env: { readonly [name: string]: string | undefined };
  let view: TmuxScreen;
  let agent: TmuxScreen;

  beforeAll(async () => {
    mkdirSync(join(project, 'src'), { recursive: true });
    writeFileSync(cart, CART);
    execFileSync('git', ['init', '--quiet', project]);
    model = await ScriptedModel.open();
    const program = await install(claudeCode);
    // Without what npm adds to it: the language servers of this repository are not those of a user.
    const around = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
    const folders = [join(home, 'npm', 'bin'), join(program, '..'), ...around];
    env = { PATH: folders.join(delimiter), HOME: home, TMPDIR: home, COLORTERM: 'truecolor' };
  }, INSTALL_MS);

  afterAll(async () => {
    for (const screen of screens) await screen.close();
    await model.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 20 });
  }, STEP_MS);

  const type = async (command: string, more: { readonly [name: string]: string } = {}, size = SIZE) => {
    const options = { folder: home, env: { ...env, ...more }, cwd: home, timeoutMs: STEP_MS, ...size };
    const screen = await TmuxScreen.open(command, { ...options, background: '#1e1e1e' });
    screens.push(screen);
    return screen;
  };

  const keep = async (name: string) => {
    const folder = process.env.HAWSER_SCREENS;
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    const browser = await launchBrowser();
    const output = (await view.colouredText()).replace(/\n$/, '').replaceAll(home, '/home/ada');
    writeFileSync(
      join(folder, `first-session-${name}.png`),
      await pictureOf(browser, output, { ...SIZE, background: 'dark' }),
    );
    await browser.close();
  };

  const prompt = async (text: string) => {
    const asked = model.asked(model.received.length + 1);
    await agent.press('-l', text);
    await agent.shows(text);
    await until(asked, () => agent.press('Enter'));
  };

  it('the commands of the README clone, build and install it', { timeout: INSTALL_MS }, async () => {
    const clone = join(home, 'hawser');
    await run('git', ['clone', '--quiet', repository, clone]);
    const [, block = ''] =
      /^## Install\n.*?^```sh\n(.*?)^```/ms.exec(readFileSync(join(clone, 'README.md'), 'utf8')) ?? [];
    const lines = block.split('\n').map((line) => line.replace(/\s+#.*/, ''));
    expect(lines.slice(0, 2)).toEqual([expect.stringMatching(/^git clone \S+ && cd hawser$/), 'npm start']);
    const [installing = ''] = lines.filter((line) => line.includes('--global'));
    // The registry is that of the user who runs the test; what is installed globally goes into the new home.
    const npm = { ...process.env, npm_config_prefix: join(home, 'npm') };
    await run('sh', ['-c', installing], { cwd: clone, env: npm, timeout: INSTALL_MS, maxBuffer: 64 * 1024 * 1024 });
    expect((await run('hawser', ['--version'], { env: { ...env } })).stdout).toMatch(/^\d+\.\d+\.\d+/m);
  });

  it('hawser shows the agent that is installed, and how it is started', { timeout: STEP_MS }, async () => {
    view = await type('cd ~/project && hawser');
    const text = await view.shows('hawser run claude');
    expect(text).toContain('Nothing waits for a decision.');
    expect(text).toContain(`Serving ${project}`);
    expect(text).toMatch(/Claude Code {2}hawser run claude {2}Its changes are reviewed here/);
    await keep('idle');
  });

  it('hawser run claude starts it in the mode in which it asks, and says so', { timeout: STEP_MS }, async () => {
    // Its own questions about an account and a theme are answered; whether the folder is trusted, too.
    const { env: ofAgent } = claudeCode.start({ home, workspace: project, modelUrl: model.url });
    const proxy = { HTTPS_PROXY: model.url, NO_PROXY: 'localhost,127.0.0.1' };
    agent = await type(
      'cd ~/project && hawser run claude 2>~/notice',
      { ...proxy, ...ofAgent },
      { columns: 120, rows: 40 },
    );
    await agent.shows('manual mode on');
    await view.shows('project | claude-code: reviewed if it asks');
    expect(readFileSync(join(home, 'notice'), 'utf8')).toMatch(/^hawser: claude starts in manual mode: it asks before/);
  });

  it('a change of two hunks waits; the first is accepted and the second is not', { timeout: 2 * STEP_MS }, async () => {
    model.script([
      { use: 'Read', input: { file_path: cart } },
      { use: 'Write', input: { file_path: cart, content: PROPOSED } },
      { say: 'The total counts.' },
    ]);
    await prompt('count the items');
    await view.shows('hunk 1 of 2');
    expect(readFileSync(cart, 'utf8')).toBe(CART);
    await view.press('y');
    await view.shows('1 accepted, 0 rejected, 1 undecided');
    await keep('review');
    await view.press('n', 'Enter');
    await agent.shows('The total counts.');
    expect(readFileSync(cart, 'utf8')).toBe(COUNTED);
    await view.shows('project | claude-code: reviewed |');
    const { stdout } = await run('hawser', ['status'], { cwd: project, env: { ...env } });
    expect(stdout).toContain('reviewed   yes: Its changes are reviewed here: it asked last time.');
  });

  it('a file that Write makes or replaces has its last newline', { timeout: 2 * STEP_MS }, async () => {
    const added = join(project, 'src', 'shop.ts');
    model.script([
      { use: 'Write', input: { file_path: added, content: "export const shop = 'open';\n" } },
      { use: 'Write', input: { file_path: cart, content: PROPOSED } },
      { say: 'Both are written.' },
    ]);
    await prompt('now the rest');
    await view.shows('src/shop.ts (new file');
    await view.press('a');
    await view.shows('src/cart.ts (proposed by');
    await view.press('a');
    await agent.shows('Both are written.');
    await written(added, "export const shop = 'open';\n");
    await written(cart, PROPOSED);
  });

  it('what it changes without asking is noticed, says how to be asked, and is taken back', {
    timeout: 2 * STEP_MS,
  }, async () => {
    await agent.press('BTab');
    await agent.shows('accept edits on');
    model.script([
      { use: 'Edit', input: { file_path: cart, old_string: "join(', ')", new_string: "join('; ')" } },
      { say: 'Done without a question.' },
    ]);
    await prompt('semicolons');
    await agent.shows('Done without a question.');
    const text = await view.shows('project | claude-code: NOT reviewed');
    expect(text).toContain('src/cart.ts (claude-code (probably) changed it without asking)');
    expect(text).toContain('Press Shift-Tab in it until it says "manual mode".');
    await keep('noticed');
    await view.press('r');
    await view.shows('Nothing waits for a decision.');
    await written(cart, PROPOSED);
  });
});

/** Claude Code writes the file after it was answered, and Hawser mends what it loses. */
async function written(path: string, text: string): Promise<void> {
  await expect.poll(() => readFileSync(path, 'utf8'), { timeout: STEP_MS }).toBe(text);
}
