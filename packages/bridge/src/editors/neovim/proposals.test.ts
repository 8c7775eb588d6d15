import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { neovims } from '../../../testing/neovim/neovims.ts';
import { Served } from '../../../testing/neovim/served.ts';
import { PROGRAM } from '../../../testing/program.ts';

describe.each(neovims)('in Neovim %s', (neovim) => {
  let served: Served;

  beforeAll(async () => {
    served = await Served.startForAll(neovim, { setup: '{ diff = { idle = 0 } }' });
  });

  afterEach(() => served.reset());

  afterAll(() => served.dispose());

  /** The command in another terminal. */
  const hawser = (...args: string[]): string => {
    const { home } = served.user;
    const env = { ...process.env, HOME: home, XDG_STATE_HOME: join(home, 'state') };
    const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: served.folder,
      env,
      encoding: 'utf8',
    });
    return stdout + stderr;
  };

  it('a proposal can be decided with hawser review, and in Neovim while hawser review lists it', async () => {
    writeFileSync(served.path('a.txt'), 'one\n');
    const agent = await served.agent();
    const propose = (text: string) =>
      agent.call('openDiff', {
        old_file_path: served.path('a.txt'),
        new_file_path: served.path('a.txt'),
        new_file_contents: text,
        tab_name: text,
      });
    const isShown = () => served.user.until("(require('hawser.diff').pending()[1] or {}).state == 'shown'");
    const answer = propose('two\n');
    await isShown();
    const [{ id }] = JSON.parse(hawser('review', '--list', '--json'));
    expect(hawser('review', '--accept', id)).toMatch(/accepted/);
    expect(await answer).toEqual(['FILE_SAVED', 'two\n']);
    await served.user.until("#require('hawser.diff').pending() == 0 and vim.fn.winnr('$') == 1");
    await expect.poll(() => served.user.notices()).toContainEqual(expect.stringMatching(/a\.txt was accepted in \w+/));

    const other = propose('three\n');
    await isShown();
    const [listed] = JSON.parse(hawser('review', '--list', '--json'));
    await served.user.command('HawserReject');
    expect(await other).toEqual(['DIFF_REJECTED', 'three\n']);
    expect(JSON.parse(hawser('review', '--list', '--json'))).toEqual([]);
    expect(hawser('review', '--accept', listed.id)).toMatch(/rejected/);
    expect(hawser('status')).toContain('claude-code');
  });

  it('the proposals of an agent go with it, or when it withdraws them, and those of others stay', async () => {
    // Before there is an agent, which would be taken for the one that wrote them.
    for (const name of ['first', 'second', 'third']) writeFileSync(served.path(`${name}.txt`), 'one\n');
    const [one, other] = [await served.agent(), await served.agent()];
    const open = (agent: Agent, tab_name: string) => {
      const path = served.path(`${tab_name}.txt`);
      return agent.call('openDiff', {
        old_file_path: path,
        new_file_path: path,
        new_file_contents: `${tab_name}\n`,
        tab_name,
      });
    };
    const titles = (): Promise<string[]> =>
      served.user.lua(
        "return vim.tbl_map(function(each) return vim.fn.fnamemodify(each.path, ':t:r') end, require('hawser.diff').pending())",
      );
    void open(one, 'first').catch(() => undefined);
    await expect.poll(titles).toEqual(['first']);
    const withdrawn = open(one, 'second');
    await expect.poll(titles).toEqual(['first', 'second']);
    const kept = open(other, 'third');
    await expect.poll(titles).toEqual(['first', 'second', 'third']);
    expect(await one.call('close_tab', { tab_name: 'second' })).toEqual(['TAB_CLOSED']);
    expect(await withdrawn).toEqual(['DIFF_REJECTED', 'second']);
    await expect.poll(titles).toEqual(['first', 'third']);
    one.close();
    await expect.poll(titles).toEqual(['third']);
    expect(await other.call('closeAllDiffTabs')).toEqual(['CLOSED_1_DIFF_TABS']);
    expect(await kept).toEqual(['DIFF_REJECTED', 'third']);
    await served.user.until('vim.fn.winnr("$") == 1');
  });

  it('a proposal for a buffer with unsaved changes is shown, and says so', async () => {
    writeFileSync(served.path('a.txt'), 'one\n');
    await served.user.command(`edit ${served.path('a.txt')}`);
    await served.user.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'typed' })");
    const agent = await served.agent();
    const answer = agent.call('openDiff', {
      old_file_path: served.path('a.txt'),
      new_file_path: served.path('a.txt'),
      new_file_contents: 'two\n',
      tab_name: 'a',
    });
    await served.user.until("(require('hawser.diff').pending()[1] or {}).state == 'shown'");
    const bars = await served.user.lua(`local bars = {}
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        table.insert(bars, vim.fn.exists('+winbar') == 1 and vim.wo[win].winbar or vim.wo[win].statusline)
      end
      return table.concat(bars, ' ')`);
    expect(bars).toContain('unsaved changes');
    await served.user.command('HawserReject');
    expect(await answer).toEqual(['DIFF_REJECTED', 'a']);
    await served.user.until("vim.fn.winnr('$') == 1");
    expect(await served.user.lua('return vim.api.nvim_buf_get_lines(0, 0, -1, false)')).toEqual(['typed']);
  });

  it('decisions fire autocommands', async () => {
    await served.user.lua(`_G.fired = {}
      vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeCodeDiff*', callback = function(event)
        table.insert(_G.fired, { event.match, vim.g.hawser_event.data.filePath }) end })`);
    const agent = await served.agent();
    for (const command of ['HawserAccept', 'HawserReject']) {
      writeFileSync(served.path(command), 'one\n');
      const answer = agent.call('openDiff', {
        old_file_path: served.path(command),
        new_file_path: served.path(command),
        new_file_contents: 'two\n',
        tab_name: command,
      });
      await served.user.until(IS_SHOWN, served.path(command));
      await served.user.command(command);
      await answer;
    }
    await served.user.until('#_G.fired == 2');
    expect(await served.user.lua('return _G.fired')).toEqual([
      ['ClaudeCodeDiffAccepted', served.path('HawserAccept')],
      ['ClaudeCodeDiffRejected', served.path('HawserReject')],
    ]);
  });
});

const IS_SHOWN = `(function(path)
  local first = require('hawser.diff').pending()[1] or {}
  return first.state == 'shown' and first.path == path
end)(...)`;
