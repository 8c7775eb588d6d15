import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { everyNeovim } from '../../../testing/neovim/neovims.ts';
import { Served } from '../../../testing/neovim/served.ts';

// What a user does in a first session, on every Neovim that is here; the other tests run on one.
describe.each(everyNeovim)('Neovim %s', (neovim) => {
  let served: Served;

  it('serves an agent from start to stop, by the subcommands of :Hawser, and its autocommands tell', async () => {
    served = await Served.begin(neovim, {
      setup: '{ diff = { idle = 0 } }',
      before: `_G.fired = {};
        for _, pattern in ipairs({ 'Hawser*', 'ClaudeCode*' }) do
          vim.api.nvim_create_autocmd('User', { pattern = pattern, callback = function(event)
            table.insert(_G.fired, { event.match, vim.g.hawser_event.data, vim.deep_equal(event.data or vim.g.hawser_event.data,
              vim.g.hawser_event.data) }) end })
        end`,
    });
    const { user } = served;
    await user.command('Hawser start');
    await served.isRunning();
    const { port } = await served.lock();
    const agent = await served.agent();

    const path = served.path('my file.txt');
    const old = ['one', ...Array.from({ length: 20 }, (_, line) => `line ${line}`), 'last'];
    writeFileSync(path, `${old.join('\n')}\n`);
    await user.lua("vim.cmd('edit ' .. vim.fn.fnameescape((...)))", path);
    const selected = agent.notification('selection_changed', ({ text }) => text === 'one');
    await user.keys('gg0viw<Esc>');
    expect(await selected).toMatchObject({ filePath: path });

    for (const [command, lines] of [
      ['Hawser send', {}],
      ['2,3Hawser send', { lineStart: 1, lineEnd: 2 }],
      ['enew | Hawser send #', {}],
      ["execute 'Hawser send' escape(expand('#:t'), ' ')", {}],
    ] as const) {
      const mentioned = agent.notification('at_mentioned');
      await user.command(command);
      expect([command, await mentioned]).toEqual([command, { filePath: path, ...lines }]);
    }

    const proposed = ['ONE', ...old.slice(1, -1), 'LAST'];
    const answer = agent.call('openDiff', {
      old_file_path: path,
      new_file_path: path,
      new_file_contents: `${proposed.join('\n')}\n`,
      tab_name: 'tab',
    });
    await user.until("(require('hawser.diff').pending()[1] or {}).state == 'shown'");
    expect(await user.lua("return require('hawser').statusline()")).toBe('hawser 1 ±1');
    await user.command('Hawser reject-hunk');
    await user.lua(
      "vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes('<Plug>(hawser-accept-hunk)', true, true, true), 'xm', false)",
    );
    await user.command('Hawser accept');
    expect(await answer).toEqual(['FILE_SAVED', `${['one', ...old.slice(1, -1), 'LAST'].join('\n')}\n`]);

    agent.close();
    await user.until("#require('hawser').status().clients == 0");
    await user.command('Hawser stop');
    await user.until("require('hawser').status().phase == 'stopped'");
    expect(served.locks()).toEqual([]);
    const info = { name: 'claude-code', version: '2.1.325' };
    const change = { path, agent: 'claude-code' };
    await user.until('#_G.fired == 11');
    const fired: [string, object, boolean][] = await user.lua('return _G.fired');
    expect(fired.map(([name, data, isSame]) => (isSame ? [name, data] : [name]))).toEqual([
      ['HawserStarted', { port, address: `ws://127.0.0.1:${port}/` }],
      ['ClaudeCodeServerStarted', { port }],
      ['HawserAgentConnected', info],
      ['ClaudeCodeClientConnected', { clientInfo: info }],
      ['HawserProposalOpened', change],
      ['HawserProposalAccepted', change],
      ['ClaudeCodeDiffAccepted', { filePath: path }],
      ['HawserAgentDisconnected', info],
      ['ClaudeCodeClientDisconnected', { clientInfo: info }],
      ['HawserStopped', {}],
      ['ClaudeCodeServerStopped', {}],
    ]);
    expect(await user.lua('return vim.v.errmsg')).toBe('');
  });

  it('says which subcommands there are when one is unknown', async () => {
    served = await Served.begin(neovim);
    await served.user.command('Hawser fly');
    expect(await served.user.notices()).toEqual(['Hawser: there is no :Hawser fly; :help hawser-commands lists them']);
  });
});
