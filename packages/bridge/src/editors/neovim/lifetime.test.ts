import { once } from 'node:events';
import { chmodSync, mkdirSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { neovims, repository } from '../../../testing/neovim/neovims.ts';
import { hasEnded } from '../../../testing/neovim/processes.ts';
import { Served, type ServedOptions } from '../../../testing/neovim/served.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';

const UNDECIDED = 'Neovim was closed before the user decided; nothing is written';

describe.each(neovims)('the bridge of Neovim %s', (neovim) => {
  const start = (options?: ServedOptions) => Served.start(neovim, options);
  /** One that is not to start the bridge, or cannot. */
  const begin = (options?: ServedOptions) => Served.begin(neovim, options);
  const diffOf = (served: Served, name: string) => ({
    old_file_path: served.path(name),
    new_file_path: served.path(name),
    new_file_contents: 'two\n',
    tab_name: 'tab',
  });

  it('goes with a Neovim that is killed, and the agent whose diff was open is answered', async () => {
    const served = await start();
    writeFileSync(served.path('a.txt'), 'one\n');
    const agent = await served.agent();
    const { pid } = await served.lock();
    const answer = agent.callRaw('openDiff', diffOf(served, 'a.txt'));
    await served.user.until("#require('hawser.diff').pending() == 1");
    const exited = once(served.user.process, 'exit');
    served.user.process.kill('SIGKILL');
    await exited;
    await expect.poll(() => served.locks()).toEqual([]);
    expect(await answer).toEqual({ isError: true, texts: [UNDECIDED] });
    await hasEnded(pid);
  });

  it('leaves no lock of a Neovim that is killed while the bridge opens', async () => {
    const served = await begin();
    mkdirSync(served.lockFolder, { recursive: true });
    const written = new Promise<void>((resolve) => {
      const watcher = watch(served.lockFolder, () => {
        if (served.locks().length === 0) return;
        watcher.close();
        resolve();
      });
    });
    await served.user.lua("require('hawser').start()");
    const pid = await served.user.lua("return require('hawser').status().pid");
    await written;
    served.user.process.kill('SIGKILL');
    await hasEnded(pid);
    expect(served.locks()).toEqual([]);
  });

  it('may be killed: Neovim says so, works on, and brings it back with the same port and token', async () => {
    const served = await start();
    writeFileSync(served.path('a.txt'), 'one\n');
    const agent = await served.agent();
    void agent.callRaw('openDiff', diffOf(served, 'a.txt')).catch(() => undefined);
    await served.user.until("#require('hawser.diff').pending() == 1");
    const before = await served.lock();
    process.kill(before.pid, 'SIGKILL');
    await served.user.until("require('hawser').status().phase == 'failed'");
    expect(await served.user.notices()).toEqual(['Hawser: the bridge ended (code 137); :Hawser restart restarts it']);
    expect(await served.user.lua("return #require('hawser.diff').pending()")).toBe(0);
    expect(await served.user.lua("return require('hawser').statusline()")).toBe('hawser !');
    await served.user.command('HawserRestart');
    await served.isRunning();
    const after = await served.lock();
    expect([after.port, after.authToken]).toEqual([before.port, before.authToken]);
    expect(after.pid).not.toBe(before.pid);
    expect(await served.user.lua('return vim.v.errmsg')).toBe('');
  });

  it('starts for the other agents if the folder of one can not be read', async () => {
    const served = await begin();
    writeFileSync(join(served.user.home, '.claude'), '');
    await served.user.lua("require('hawser').start()");
    await served.isRunning();
    expect(await served.user.lua("return require('hawser').status().address")).not.toContain('ws:');
  });

  it('is started by :HawserAgent, which then starts the agent', async () => {
    const served = await start();
    await served.user.command('HawserStop');
    await served.user.until("require('hawser').status().phase == 'stopped'");
    await served.user.lua(
      `require('hawser').setup { auto_start = false, node = ..., agent = {
      provider = function(command, settings) _G.given = { command, settings.env.CLAUDE_CODE_SSE_PORT } end } }`,
      process.execPath,
    );
    await served.user.command('HawserAgent --resume');
    await served.isRunning();
    const { port } = await served.lock();
    expect(await served.user.lua('return _G.given')).toEqual([
      ['claude', '--ide', '--permission-mode=default', '--resume'],
      String(port),
    ]);
  });

  it('may be killed while a proposal is edited: the last message says where the text is', async () => {
    const served = await start();
    writeFileSync(served.path('a.txt'), 'one\n');
    const agent = await served.agent();
    void agent.callRaw('openDiff', diffOf(served, 'a.txt')).catch(() => undefined);
    await served.user.until("vim.api.nvim_buf_get_name(0):match('^hawser://proposed')");
    await served.user.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'my words' })");
    process.kill((await served.lock()).pid, 'SIGKILL');
    await served.user.until("require('hawser').status().phase == 'failed'");
    expect(await served.user.notices()).toEqual([
      'Hawser: the bridge ended (code 137); :Hawser restart restarts it',
      'Hawser: the proposal is closed; your text is in :b kept/a.txt',
    ]);
  });

  it('keeps port and token through a restart after :cd', async () => {
    const served = await start();
    const before = await served.lock();
    mkdirSync(served.path('sub'));
    await served.user.command(`cd ${served.path('sub')}`);
    await expect.poll(async () => (await served.lock()).workspaceFolders).toEqual([served.path('sub')]);
    await served.user.command('HawserRestart');
    await served.hasRestarted(before.pid);
    expect(await served.lock()).toMatchObject({ port: before.port, authToken: before.authToken });
    await expect.poll(async () => (await served.lock()).workspaceFolders).toEqual([served.path('sub')]);
  });

  it('is stopped, started and restarted by command, which is confirmed, and leaves no lock', async () => {
    const served = await start();
    const { pid } = await served.lock();
    await served.user.command('HawserStop');
    await served.user.until("require('hawser').status().phase == 'stopped'");
    expect(served.locks()).toEqual([]);
    await served.user.command('HawserStart');
    await served.isRunning();
    expect(served.locks()).toHaveLength(1);
    // Another program may have taken the port of the one before.
    const second = await served.lock();
    expect(second.pid).not.toBe(pid);
    await served.user.command('HawserStart');
    await served.user.command('HawserRestart');
    await served.hasRestarted(second.pid);
    await served.user.until('#_G.notices == 4');
    const third = await served.lock();
    expect(await served.user.notices()).toEqual([
      'Hawser: the bridge is stopped; agents are disconnected',
      `Hawser: the bridge runs on port ${second.port}`,
      `Hawser: the bridge runs already on port ${second.port}`,
      `Hawser: the bridge runs on port ${third.port}`,
    ]);
  });

  it('what a bridge said before it ended, and what is read after that, does not make it run', async () => {
    const served = await start();
    await served.user.command('HawserStop');
    await served.user.until("require('hawser').status().phase == 'stopped'");
    await served.user.lua(`require('hawser.rpc').receive({ method = 'bridge/status', params = { agents = {}, paused = false,
      proposals = 0, environment = {}, launches = {}, name = 'Neovim', address = 'ws://127.0.0.1:1/' } })`);
    expect(await served.user.lua("return require('hawser').status().phase")).toBe('stopped');
  });

  it('says why it could not start when its port is taken, exits, and starts when the port is free', async () => {
    const first = await start();
    const { port } = await first.lock();
    const second = await begin({ setup: `{ port = ${port} }` });
    await second.user.command('HawserStart');
    await second.user.until("require('hawser').status().phase == 'failed'");
    const problem = await second.user.lua("return require('hawser').status().problem");
    expect(problem).toBe(`could not start: Port ${port} is in use; choose another`);
    expect(await second.user.notices()).toEqual([`Hawser: ${problem}`]);
    expect(await second.user.lua("return require('hawser').statusline()")).toBe('hawser !');
    expect(second.locks()).toEqual([]);
    await first.user.command('HawserStop');
    await first.user.until("require('hawser').status().phase == 'stopped'");
    await second.user.command('HawserStart');
    await second.isRunning();
    expect(await second.lock()).toMatchObject({ port });
  });

  it.each([':wqa', ':xall'])(
    '%s in a proposal accepts it, and the agent is told before Neovim exits',
    async (command) => {
      const served = await start({ setup: '{ diff = { idle = 0, grace = 0 } }' });
      writeFileSync(served.path('a.txt'), 'one\n');
      const agent = await served.agent();
      const answer = agent.callRaw('openDiff', diffOf(served, 'a.txt'));
      await served.user.until("#require('hawser.diff').pending() == 1");
      expect(await served.user.lua("return require('hawser.diff.actions').reveal()")).toBe(true);
      const exited = once(served.user.process, 'exit');
      await served.user.keys(`${command}<CR>`);
      expect(await answer).toEqual({ isError: false, texts: ['FILE_SAVED', 'two\n'] });
      await exited;
    },
  );

  it('a proposal that waits when the user leaves Neovim is answered: it was not decided', async () => {
    const served = await start();
    writeFileSync(served.path('a.txt'), 'one\n');
    const agent = await served.agent();
    const answer = agent.callRaw('openDiff', diffOf(served, 'a.txt'));
    await served.user.until("#require('hawser.diff').pending() == 1");
    void served.user.command('qa!').catch(() => undefined);
    expect(await answer).toEqual({ isError: true, texts: [UNDECIDED] });
  });

  it('goes with a Neovim that is left', async () => {
    const served = await start();
    const { pid } = await served.lock();
    const exited = once(served.user.process, 'exit');
    void served.user.command('qa!').catch(() => undefined);
    await exited;
    await expect.poll(() => served.locks()).toEqual([]);
    await hasEnded(pid);
  });

  it('has a name of its own beside another in the same project, and the user gets a message', async () => {
    const first = await start();
    const second = await start({
      folder: first.folder,
      env: { CLAUDE_CONFIG_DIR: join(first.user.home, '.claude') },
    });
    const [one, other] = [await first.lock(), await second.lock()];
    const nvimPid = await second.user.lua('return vim.fn.getpid()');
    expect([one.ideName, other.ideName]).toEqual(['Neovim', `Neovim (${nvimPid})`]);
    expect(other.port).not.toBe(one.port);
    await expect
      .poll(() => second.user.notices())
      .toEqual([`Hawser: agents see this as Neovim (${nvimPid}); :help hawser-several`]);
    expect(await first.user.notices()).toEqual([]);
  });

  it('has a name of its own beside an editor that another agent alone can reach', async () => {
    const [folder, home] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(join(home, 'ide'));
    const lock = { port: 4711, workspacePath: folder, authToken: 'x', ppid: process.pid, ideName: 'Another Editor' };
    writeFileSync(join(home, 'ide', '4711.lock'), JSON.stringify(lock));
    const served = await start({ folder, env: { QWEN_HOME: home } });
    const nvimPid = await served.user.lua('return vim.fn.getpid()');
    expect((await served.lock()).ideName).toBe(`Neovim (${nvimPid})`);
  });

  it('fires autocommands for its start, its agents and its end', async () => {
    const served = await begin({
      before: `_G.fired = {};
        vim.api.nvim_create_autocmd('User', { pattern = 'ClaudeCode*', callback = function(event)
          table.insert(_G.fired, { event.match, event.data or vim.g.hawser_event.data }) end })`,
    });
    await served.user.command('HawserStart');
    await served.isRunning();
    const { port } = await served.lock();
    const agent = await served.agent();
    agent.close();
    await served.user.until("#require('hawser').status().clients == 0");
    await served.user.command('HawserStop');
    await served.user.until('#_G.fired == 4');
    const clientInfo = { name: 'claude-code', version: '2.1.325' };
    const fired: [string, object][] = await served.user.lua('return _G.fired');
    expect(fired.slice(0, 3)).toEqual([
      ['ClaudeCodeServerStarted', { port }],
      ['ClaudeCodeClientConnected', { clientInfo }],
      ['ClaudeCodeClientDisconnected', { clientInfo }],
    ]);
    expect(fired[3]?.[0]).toBe('ClaudeCodeServerStopped');
  });

  it('is missed with one message when there is no Node, or one too old', async () => {
    const none = await begin({ setup: "{ node = 'no-such-node' }" });
    for (let time = 0; time < 3; time += 1) await none.user.lua("require('hawser').start()");
    await none.user.until('#_G.notices > 0');
    expect(await none.user.notices()).toEqual(['Hawser: no-such-node was not found; Node 20.19 or newer is needed']);

    const old = await begin();
    const program = old.path('old-node');
    writeFileSync(
      program,
      '#!/bin/sh\n[ "$1" = --version ] && { echo v18.20.4; exit 0; }\necho SyntaxError >&2\nexit 1\n',
    );
    chmodSync(program, 0o755);
    await old.user.lua("require('hawser').setup { node = ... } require('hawser').start()", program);
    await old.user.until("require('hawser').status().phase == 'failed'");
    await old.user.until('#_G.notices > 0');
    expect(await old.user.notices()).toEqual([
      expect.stringContaining('Hawser: Node 20.19 or newer is needed, this is v18.20.4: '),
    ]);
  });

  it('is missed with one message when it is not built', async () => {
    const served = await begin({
      before: "require('hawser.program').path = function() return '/nowhere/main.js' end",
    });
    await served.user.command('HawserStart');
    await served.user.until('#_G.notices > 0');
    const root = repository.replace(/\/$/, '');
    expect(await served.user.lua("return require('hawser').status().problem")).toContain(root);
    expect(await served.user.notices()).toEqual([
      expect.stringContaining('Hawser: not built: run `npm run build` in '),
    ]);
  });

  it('says why it could not start', async () => {
    const served = await begin({ setup: "{ agents = { 'garage' } }" });
    await served.user.command('HawserStart');
    await served.user.until('#_G.notices > 0');
    expect(await served.user.notices()).toEqual([expect.stringContaining('Hawser: could not start: ')]);
    const problem = await served.user.lua("return require('hawser').status().problem");
    expect(problem).toContain('Unknown agent: garage');
  });

  it('takes options twice, and says what is wrong with them', async () => {
    const served = await begin();
    await served.user.lua(
      `require('hawser').setup { selection = { debounce_ms = 'soon', colour = 1 }, diff = { layout = 'round' }, nood = 1 }
       require('hawser').setup { diff = { layout = 'inline' } }
       require('hawser').setup(7)`,
    );
    const notices = await served.user.notices();
    expect(notices.sort()).toEqual([
      'Hawser: diff.layout: "round" is not auto, split, inline, tab or off',
      'Hawser: selection.debounce_ms: "soon" is not a whole number, 0-300',
      'Hawser: setup takes a table, not 7',
      'Hawser: there is no option nood',
      'Hawser: there is no option selection.colour',
    ]);
  });

  it('offers no diffs when the user wants none', async () => {
    const served = await start({ setup: "{ diff = { layout = 'off' } }" });
    const agent = await served.agent();
    const { tools } = await agent.request('tools/list');
    const names = tools.map(({ name }: { name: string }) => name);
    expect(names).toContain('openFile');
    expect(names).not.toContain('openDiff');
  });
});
