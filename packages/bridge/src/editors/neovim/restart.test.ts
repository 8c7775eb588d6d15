import { chmodSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { neovims } from '../../../testing/neovim/neovims.ts';
import { Served, type ServedOptions } from '../../../testing/neovim/served.ts';

describe.each(neovims)('the bridge of Neovim %s', (neovim) => {
  const start = (options?: ServedOptions) => Served.start(neovim, options);
  const begin = (options?: ServedOptions) => Served.begin(neovim, options);
  const commands = (served: Served, ...names: readonly string[]) =>
    served.user.lua('for _, name in ipairs({ ... }) do vim.cmd(name) end', ...names);

  it('runs if it is started while it still stops', async () => {
    const served = await start();
    const { port, pid } = await served.lock();
    await commands(served, 'HawserStop', 'HawserStart');
    await served.hasRestarted(pid);
    await served.user.until('#_G.notices == 2');
    expect(await served.user.notices()).toEqual([
      'Hawser: the bridge is stopped; agents are disconnected',
      `Hawser: the bridge runs on port ${port}`,
    ]);
  });

  it('obeys the last of several commands', async () => {
    const served = await start();
    const { pid } = await served.lock();
    await commands(served, 'HawserStop', 'HawserStart', 'HawserRestart', 'HawserStop');
    await served.user.until("require('hawser').status().phase == 'stopped'");
    expect(served.locks()).toEqual([]);
    await commands(served, 'HawserStart', 'HawserStop', 'HawserRestart');
    await served.hasRestarted(pid);
    expect(served.locks()).toHaveLength(1);
  });

  it('is waited for by :HawserAgent while it still stops', async () => {
    const served = await start();
    const { pid } = await served.lock();
    await served.user.lua(
      `require('hawser').setup { auto_start = false, node = ..., agent = {
      provider = function(command) _G.given = { command, require('hawser').status().pid } end } }
      vim.cmd('HawserStop')
      vim.cmd('HawserAgent')`,
      process.execPath,
    );
    await served.hasRestarted(pid);
    await served.user.until('_G.given');
    const [command, seen] = await served.user.lua('return _G.given');
    expect(command[0]).toBe('claude');
    expect(seen).not.toBe(pid);
  });

  it('has its last words read as it wrote them, however they arrive', async () => {
    const served = await begin();
    const program = served.path('halting-node');
    const words = "printf 'hawser: Port 4005 is' >&2; sleep 0.3; printf ' in use\\n' >&2; exit 1";
    writeFileSync(program, `#!/bin/sh\n[ "$1" = --version ] && { echo v22.1.0; exit 0; }\n${words}\n`);
    chmodSync(program, 0o755);
    await served.user.lua("require('hawser').setup { node = ... } require('hawser').start()", program);
    await served.user.until("require('hawser').status().phase == 'failed'");
    expect(await served.user.lua("return require('hawser').status().problem")).toBe(
      'could not start: Port 4005 is in use',
    );
  });

  it('leaves no data of an autocommand behind', async () => {
    const served = await begin({
      before: `_G.seen = {};
        vim.cmd("autocmd User ClaudeCodeServerStarted let g:seen = g:hawser_event.data.port")`,
    });
    await served.user.command('HawserStart');
    await served.isRunning();
    await served.user.until('vim.g.seen');
    const { port } = await served.lock();
    expect(await served.user.lua('return { vim.g.seen, vim.fn.exists("g:hawser_event") }')).toEqual([port, 0]);
  });
});
