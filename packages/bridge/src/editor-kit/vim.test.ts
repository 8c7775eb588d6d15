import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../testing/agent.ts';
import { logInStatus } from '../../testing/log-in.ts';
import { type Household, openDiff, PROGRAM, type ServedBridge, temporaryHousehold } from '../../testing/program.ts';
import { shellLine, type TmuxScreen } from '../../testing/tmux.ts';
import type { Range } from '../editor.ts';
import { describePlugin } from './plugin.contract.ts';

const PLUGIN = fileURLToPath(new URL('../../../../editors/vim', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../../../..', import.meta.url));
const TEXT = 'one\ntwo\nthree\nfour\n';
const PROPOSED = 'ONE\ntwo\nthree\nFOUR\n';
const HANDS = join(PLUGIN, 'test', 'hands.vim');

// `npm run test:real -- vim` runs all suites. The short run has those that are about texts and decisions.
const documents = { showDocument: true, documents: true, save: true, close: true, diagnostics: true };

describePlugin(
  'Vim',
  // Modes, windows and keys need a terminal.
  {
    command: ['script', '-qfec', shellLine(['vim', '-Nu', HANDS]), '/dev/null'],
    variables: { ...process.env, TERM: 'xterm' },
    // Asked to end, script waits two seconds for Vim; killed, it hangs up the terminal, and Vim ends.
    endSignal: 'SIGKILL',
  },
  { ...(process.env.HAWSER_WHOLE_VIM === '1' && documents), proposals: { rounds: true }, writeText: true },
);

describe('the keys of Vim', () => {
  let household: Household;
  let bridge: ServedBridge;
  let agent: Agent;
  let vim: TmuxScreen;
  let path: string;

  beforeEach(async () => {
    household = temporaryHousehold();
    path = join(household.workspace, 'a.txt');
    writeFileSync(path, TEXT);
    bridge = await household.serve('--agents', 'claude-code');
    agent = await household.agent(bridge.line);
    const vimrc = join(household.home, 'vimrc');
    writeFileSync(
      vimrc,
      `set nocompatible encoding=utf-8 laststatus=2 noswapfile viminfo= shortmess+=I
set runtimepath^=${PLUGIN}
let g:hawser_command = ${JSON.stringify([process.execPath, PROGRAM, 'editor'])}
set statusline=%f%=%{hawser#Statusline()}
`,
    );
    vim = await household.screen(shellLine(['vim', '-Nu', vimrc, path]), { columns: 160 });
    await vim.press(':Hawser start', 'Enter');
    await vim.shows('[Hawser, claude-code]');
  });

  /** An agent proposes a change of the first and the last line, and Vim shows it. */
  const propose = async () => {
    const outcome = openDiff(agent, path, PROPOSED);
    await vim.shows('ZZ accept');
    return { outcome };
  };
  const isBack = () => vim.shows((screen) => !screen.includes('ZZ accept') && screen.includes('[Hawser, claude-code]'));

  it.each([
    ['ZZ', 'accepts', ['FILE_SAVED', PROPOSED]],
    [':wq', 'accepts', ['FILE_SAVED', PROPOSED]],
    [':x', 'accepts', ['FILE_SAVED', PROPOSED]],
    ['ZQ', 'rejects', 'DIFF_REJECTED'],
    [':q', 'rejects', 'DIFF_REJECTED'],
    [':tabclose', 'rejects', 'DIFF_REJECTED'],
  ])('%s %s, and the view goes', async (keys, does, told) => {
    const { outcome } = await propose();
    await vim.press(keys, ...(keys.startsWith(':') ? ['Enter'] : []));
    const answer = await outcome;
    expect(does === 'accepts' ? answer : answer[0]).toEqual(told);
    await isBack();
    if (does === 'rejects') expect(readFileSync(path, 'utf8')).toBe(TEXT);
  });

  it('do takes one change back, ]c goes to the next, and what was typed is accepted with the rest', async () => {
    const { outcome } = await propose();
    await vim.press('do');
    await vim.press(']c');
    await vim.press('A!', 'Escape');
    await vim.shows('FOUR!');
    await vim.press('ZZ');
    expect(await outcome).toEqual(['FILE_SAVED', 'one\ntwo\nthree\nFOUR!\n']);
  });

  it(':w alone decides nothing', async () => {
    const { outcome } = await propose();
    await vim.press(':w', 'Enter');
    await vim.shows('ZZ accepts, ZQ rejects');
    await vim.press('ZQ');
    expect((await outcome)[0]).toBe('DIFF_REJECTED');
  });

  it('gn writes a note, which is on the screen, and ga decides with it', async () => {
    const { outcome } = await propose();
    await vim.press('gn');
    await vim.shows('Note:');
    await vim.press('why so loud', 'Enter');
    await vim.shows('» why so loud');
    await vim.press('ga');
    expect((await outcome)[0]).toBe('DIFF_REJECTED');
    await isBack();
  });

  it('the next round takes back again what was taken back, marks what is new, and compares with the round before', async () => {
    const first = await propose();
    await vim.press('do', ':Hawser ask louder', 'Enter');
    expect((await first.outcome)[0]).toBe('DIFF_REJECTED');
    await isBack();
    const second = openDiff(agent, path, 'ONE\ntwo\nthree\nFOUR!\n');
    await vim.shows((screen) => screen.includes('you asked: louder') && /» *FOUR!/.test(screen));
    await vim.press(':Hawser compare', 'Enter');
    await vim.shows('as it was in round 1');
    await vim.shows(/ FOUR .*» FOUR!/);
    await vim.press(':Hawser compare', 'Enter');
    await vim.shows('as it is');
    await vim.press(':Hawser compare', 'Enter');
    await vim.shows('as it was in round 1');
    writeFileSync(path, `zero\n${TEXT}`);
    await vim.shows((screen) => screen.includes('zero') && screen.includes('as it is'));
    await vim.press('ZZ');
    expect(await second).toEqual(['FILE_SAVED', 'zero\none\ntwo\nthree\nFOUR!\n']);
  });

  it('what the user has edited is merged with a change of the file', async () => {
    writeFileSync(path, `${TEXT}${TEXT}`);
    const outcome = openDiff(agent, path, `${TEXT}${PROPOSED}`);
    await vim.shows('ZZ accept');
    await vim.press('G', 'A!', 'Escape');
    await vim.shows('FOUR!');
    writeFileSync(path, `first\n${TEXT}${TEXT}`);
    await vim.shows((screen) => /first.*first/.test(screen) && screen.includes('FOUR!'));
    await vim.press('ZZ');
    expect(await outcome).toEqual(['FILE_SAVED', `first\n${TEXT}${PROPOSED.replace('FOUR', 'FOUR!')}`]);
  });

  const problems = async () =>
    (await agent.callJson('getDiagnostics', { uri: `file://${path}` }))[0]?.diagnostics?.map(
      (each: { message: string; range: Range }) => [each.message, each.range.start.line],
    );

  it('agents see the quickfix list', async () => {
    writeFileSync(join(household.workspace, 'errors'), 'a.txt:3:2: three is wrong\n');
    await vim.press(':cgetfile errors', 'Enter');
    await expect.poll(problems).toEqual([['three is wrong', 2]]);
    await vim.press(':cexpr []', 'Enter');
    await expect.poll(problems).toEqual([]);
  });

  it('agents see what ALE finds', async () => {
    path = join(household.workspace, 'a.sh');
    await vim.press(':Hawser stop', 'Enter');
    await vim.shows((screen) => !screen.includes('[Hawser'));
    await vim.press(':set rtp+=/usr/share/vim-ale | runtime plugin/ale.vim | Hawser start', 'Enter');
    await vim.shows('[Hawser, claude-code]');
    await vim.press(":let g:ale_linters = {'sh': ['shell']} | filetype on | edit a.sh", 'Enter');
    await vim.press(":call setline(1, ['#!/bin/bash', '', 'if then']) | write", 'Enter');
    await expect.poll(problems).toContainEqual([expect.stringContaining('syntax error'), 2]);
  });

  it(':Hawser stop ends the bridge, and :Hawser start begins again', async () => {
    await vim.press(':Hawser stop', 'Enter');
    await vim.shows((screen) => !screen.includes('[Hawser'));
    await vim.press(':Hawser', 'Enter');
    await vim.shows('Hawser: stopped');
    await vim.press(':Hawser start', 'Enter');
    await vim.shows('[Hawser, claude-code]');
  });

  it(':Hawser agent starts a program in a terminal with what it needs to find the bridge', async () => {
    await vim.press(':Hawser agent sh', 'Enter');
    await vim.shows('!sh');
    await vim.press('echo "port=$CLAUDE_CODE_SSE_PORT."', 'Enter');
    await vim.shows(/port=\d+\./);
  });

  it(':help hawser is found', async () => {
    await vim.press(':help hawser#Statusline', 'Enter');
    await vim.shows('returns the agents and how many proposals wait');
  });

  it(':Hawser web makes a link to the review in the browser', async () => {
    await vim.press(':Hawser web', 'Enter');
    const [link = ''] = /http:\S+/.exec(await vim.shows('open this link, once: http')) ?? [];
    expect(await logInStatus(link)).toBe(200);
  });

  it('a proposal waits while the user types', async () => {
    await vim.press('i');
    await vim.shows('-- INSERT --');
    const outcome = openDiff(agent, path, PROPOSED);
    await vim.shows('1 proposal');
    await vim.press('typed ');
    expect(await vim.shows('typed one')).not.toContain('ZZ accept');
    await vim.press('Escape');
    await vim.shows('ZZ accept');
    await vim.press('ZQ');
    expect((await outcome)[0]).toBe('DIFF_REJECTED');
    await vim.shows('typed one');
  });

  it('a proposal waits while the user is in a terminal, is announced there, and leads back to it', async () => {
    await vim.press(':terminal cat', 'Enter');
    await vim.shows('!cat');
    const outcome = openDiff(agent, path, PROPOSED);
    await vim.shows('CTRL-W :Hawser review shows it');
    await vim.press('C-w', ':Hawser review', 'Enter');
    await vim.shows('ZZ accept');
    await vim.press('ZZ');
    expect(await outcome).toEqual(['FILE_SAVED', PROPOSED]);
    await isBack();
    await vim.press('in the terminal', 'Enter');
    await vim.shows(/in the terminal\s.*in the terminal/s);
  });

  it('a bridge that ends is said, an edited text is kept, and Vim goes on', async () => {
    const { outcome } = await propose();
    outcome.catch(() => {}); // its connection is cut
    await vim.press('Amine', 'Escape');
    await vim.shows('ONEmine');
    bridge.child.kill('SIGTERM');
    await vim.shows((screen) => !/ZZ accept|\[Hawser/.test(screen));
    await vim.press(':messages', 'Enter');
    await vim.shows('the bridge has ended');
    await vim.press('Enter', ':ls', 'Enter');
    await vim.shows('hawser-kept-a.txt');
    await vim.press('Enter', ':Hawser', 'Enter');
    await vim.shows('Hawser: stopped');
  });
});

describe('the plugin of Vim', () => {
  it('loads nothing before :Hawser is used, completes its subcommands, and is found in the root of the repository', async () => {
    const household = temporaryHousehold();
    const scripts = join(household.home, 'scripts');
    writeFileSync(
      join(household.home, 'vimrc'),
      `set nocompatible runtimepath^=${REPOSITORY}
autocmd VimEnter * call writefile([execute('scriptnames'), join(getcompletion('Hawser re', 'cmdline'))], '${scripts}') | qall!
`,
    );
    const screen = await household.screen(shellLine(['vim', '-Nu', join(household.home, 'vimrc')]));
    await screen.shows('ended 0');
    const [loaded = '', completed] = readFileSync(scripts, 'utf8')
      .trimEnd()
      .split(/\n(?=.*$)/);
    expect(loaded).toContain('plugin/hawser.vim');
    expect(loaded).not.toContain('hawser/session.vim');
    expect(completed).toBe('reject reject-hunk remove-note restart review');
  });

  it('does nothing in Neovim, which has another one', async () => {
    const command = ['--headless', '-u', 'NONE', '-i', 'NONE', '--cmd', `set rtp^=${PLUGIN}`];
    const ask = [
      '-c',
      'runtime plugin/hawser.vim',
      '-c',
      'echo exists(":Hawser") exists("g:loaded_hawser")',
      '-c',
      'qa!',
    ];
    expect((await promisify(execFile)('nvim', [...command, ...ask])).stderr.trim()).toBe('0 0');
  });
});
