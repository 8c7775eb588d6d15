import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository } from '../../../testing/neovim/neovims.ts';
import { Household, PROGRAM } from '../../../testing/program.ts';
import { ScriptedModel, type Turn } from '../../../testing/scripted-model.ts';
import { TmuxScreen } from '../../../testing/tmux.ts';

// The real program, which is not installed with the tests: it is large. `npm run test:agents` fetches and names it.
const CLAUDE = process.env.HAWSER_CLAUDE;
const KEY = 'sk-ant-api03-no-real-key-0123456789abcdefghij';
const LONGEST_MS = 120_000;

let household: Household;
let model: ScriptedModel | undefined;
let screens: TmuxScreen[];
let claude: TmuxScreen | undefined;

beforeEach(() => {
  household = new Household();
  screens = [];
  writeFileSync(join(household.workspace, 'a.txt'), 'one\ntwo\nthree\n');
});

afterEach(async () => {
  await endClaude();
  for (const screen of screens) await screen.close();
  await model?.close();
  await household.dispose();
});

const fileText = () => readFileSync(join(household.workspace, 'a.txt'), 'utf8');

async function screen(command: string, env: { readonly [name: string]: string | undefined } = {}): Promise<TmuxScreen> {
  const { home, workspace } = household;
  const opened = await TmuxScreen.open(command, {
    folder: home,
    env: { ...household.env, ...env },
    cwd: workspace,
    columns: 110,
    rows: 40,
  });
  screens.push(opened);
  return opened;
}

/** Claude Code as it is once its first questions have been answered, with the bridge it has found. */
async function startClaude(turns: readonly Turn[]): Promise<TmuxScreen> {
  model = await ScriptedModel.open(turns);
  const projects = { [household.workspace]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
  const customApiKeyResponses = { approved: [KEY.slice(-20)], rejected: [] };
  const settings = { hasCompletedOnboarding: true, theme: 'dark', customApiKeyResponses, projects };
  writeFileSync(join(household.home, '.claude.json'), JSON.stringify(settings));
  claude = await screen(`'${CLAUDE}' --ide`, {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: KEY,
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  });
  return claude;
}

/** It outlives its terminal, and writes to its home until its end. */
async function endClaude(): Promise<void> {
  const ending = claude;
  claude = undefined;
  if (ending === undefined) return;
  const isOver = ending.shows(/^ended \d+/m);
  for (;;) {
    await ending.press('C-c');
    const isEnded = await Promise.race([isOver.then(() => true), delay(500).then(() => false)]);
    if (isEnded) return;
  }
}

/** A bridge with its view in one terminal, and Claude Code in another, asked to edit a file. */
async function begin() {
  const view = await screen(`'${process.execPath}' '${PROGRAM}'`);
  await view.shows('Nothing waits for a decision');
  return await beginWith(view);
}

async function beginWith(view: TmuxScreen) {
  const file_path = join(household.workspace, 'a.txt');
  const agent = await startClaude([
    { use: 'Read', input: { file_path } },
    { use: 'Edit', input: { file_path, old_string: 'two', new_string: 'TWO\nand a half' } },
    { say: 'That was all.' },
  ]);
  await view.shows('| claude-code |');
  await agent.press('edit it');
  await agent.shows('edit it');
  await agent.press('Enter');
  await view.shows('+and a half');
  expect(fileText()).toBe('one\ntwo\nthree\n');
  return { view, agent };
}

describe.skipIf(CLAUDE === undefined)('the real Claude Code (HAWSER_CLAUDE; npm run test:agents)', () => {
  it('writes what was accepted in the view of the bridge', { timeout: LONGEST_MS }, async () => {
    const { view, agent } = await begin();
    await view.press('a');
    await agent.shows('That was all.');
    expect(fileText()).toBe('one\nTWO\nand a half\nthree\n');
    await view.shows('Nothing waits for a decision');
  });

  it('writes nothing that was rejected there, and ends its turn', { timeout: LONGEST_MS }, async () => {
    const { view, agent } = await begin();
    await view.press('r');
    await view.shows('Nothing waits for a decision');
    await agent.shows(/interrupted|rejected/i);
    expect(fileText()).toBe('one\ntwo\nthree\n');
  });

  it('closes the proposal in the view when the user decides in its own terminal', {
    timeout: LONGEST_MS,
  }, async () => {
    const { view, agent } = await begin();
    await agent.shows('Do you want to make this edit');
    await agent.press('1');
    await agent.shows('That was all.');
    expect(fileText()).toBe('one\nTWO\nand a half\nthree\n');
    await view.shows(/withdrawn|Nothing waits/);
  });

  it('puts what is mentioned into its prompt, and tells its model what is there', { timeout: LONGEST_MS }, async () => {
    const { line } = await household.serve();
    expect(line).toContain('listening');
    const agent = await startClaude([{ say: 'I see.' }]);
    await agent.shows('for shortcuts');
    for (;;) {
      const { out } = await household.run('status');
      if (out.includes('(ready)')) break;
    }
    await household.run('mention', 'a.txt:2-3');
    await agent.shows('@a.txt#L2-3');
    await agent.press('what is this');
    await agent.press('Enter');
    await agent.shows('I see.');
    expect(model?.received[0]).toContain('two');
  });

  it('writes what Neovim shows and hawser review accepts', { timeout: LONGEST_MS }, async () => {
    const setup = `lua require('hawser').setup { node = [[${process.execPath}]] }`;
    const neovim = await screen(
      `nvim --clean --cmd 'set runtimepath^=${repository}' --cmd '${setup.replaceAll("'", '"')}' -c 'HawserStart' a.txt`,
    );
    await neovim.shows('three');
    await expect.poll(() => household.run('status'), { timeout: 20_000 }).toMatchObject({ code: 0 });
    const review = await screen(`'${process.execPath}' '${PROGRAM}' review`);
    await review.shows('Nothing waits for a decision');
    const { agent } = await beginWith(review);
    await neovim.shows('and a half');
    await review.press('a');
    await agent.shows('That was all.');
    expect(fileText()).toBe('one\nTWO\nand a half\nthree\n');
    await neovim.press('Escape', ':qa!', 'Enter');
  });
});
