import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import type { Agent } from '../../testing/agent.ts';
import { type Household, openDiff, PROGRAM, temporaryHousehold } from '../../testing/program.ts';
import { shellLine } from '../../testing/tmux.ts';

const EDITORS = fileURLToPath(new URL('../../../../editors', import.meta.url));
const COMMAND = [process.execPath, PROGRAM, 'editor'];
const OLD = 'one\ntwo\nthree\n';
const NEW = 'one\nTWO\nthree\n';

let house: Household;
let agent: Agent;
let file: string;
let line: string;

beforeEach(async () => {
  house = temporaryHousehold();
  file = house.file('a.txt', OLD);
  line = (await house.serve()).line;
  agent = await house.agent(line);
});

/** A terminal with a socket of its own. */
const open = (...words: string[]) => house.screen(shellLine(words), { columns: 120, rows: 40 });

it('Emacs, Vim and hawser review show one queue: the first decision counts, and the others see it', async () => {
  const settings = `(setq hawser-command '(${COMMAND.map((word) => JSON.stringify(word)).join(' ')}))`;
  const emacs = await open(
    ...['emacs', '-nw', '-Q', '-L', join(EDITORS, 'emacs'), '-l', 'hawser', 'a.txt'],
    ...['--eval', settings, '-f', 'hawser-mode'],
  );
  const vim = await open(
    ...['vim', '-Nu', 'NONE', '--cmd', `set rtp^=${join(EDITORS, 'vim')} noswapfile encoding=utf-8`],
    ...['--cmd', 'runtime plugin/hawser.vim', '--cmd', `let g:hawser_command = ${JSON.stringify(COMMAND)}`],
    ...['-c', 'Hawser start', 'a.txt'],
  );
  const review = await open(process.execPath, PROGRAM, 'review');
  await emacs.shows('Hawser)');

  const first = openDiff(agent, file, NEW);
  await Promise.all([emacs.shows('+TWO'), vim.shows('ZZ accept'), review.shows('TWO')]);
  await vim.press('ZQ');
  expect((await first)[0]).toBe('DIFF_REJECTED');
  await Promise.all([emacs.shows(without('+TWO')), vim.shows(without('ZZ accept')), review.shows('rejected in Vim')]);
  await review.press('Space');

  const second = openDiff(agent, file, NEW);
  await Promise.all([emacs.shows('+TWO'), vim.shows('ZZ accept'), review.shows('TWO')]);
  await emacs.press('C-x', 'o', 'C-c', 'C-c');
  expect(await second).toEqual(['FILE_SAVED', NEW]);
  await Promise.all([emacs.shows(without('+TWO')), vim.shows(without('ZZ accept')), review.shows('accepted in Emacs')]);
});

it('Neovim joins the bridge of its folder, too, and knows where agents find it', async () => {
  const nvim = await open(
    ...['nvim', '--clean', '--cmd', `set runtimepath^=${dirname(EDITORS)}`],
    ...['--cmd', `lua require('hawser').setup { node = '${process.execPath}', diff = { grace = 0 } }`, 'a.txt'],
  );
  const review = await open(process.execPath, PROGRAM, 'review');
  await expect.poll(async () => JSON.parse((await house.run('status', '--json')).out).editor).toBe('Neovim');

  const first = openDiff(agent, file, NEW);
  await Promise.all([nvim.shows('aa accept'), review.shows('TWO')]);
  await nvim.press('ZQ');
  expect((await first)[0]).toBe('DIFF_REJECTED');
  await Promise.all([nvim.shows(without('aa accept')), review.shows('rejected in Neovim')]);
  await review.press('Space');

  const second = openDiff(agent, file, NEW);
  await Promise.all([nvim.shows('aa accept'), review.shows('TWO')]);
  await review.press('a');
  expect(await second).toEqual(['FILE_SAVED', NEW]);
  await nvim.shows(without('aa accept'));

  await nvim.press(":lua print(require('hawser').status().address)", 'Enter');
  await nvim.shows(/ws:\S+:\d+/.exec(line)?.[0] ?? '');
});

const without = (words: string) => (text: string) => !text.includes(words);
