import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NeovimClient } from 'neovim/lib/api/client.js';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

const nothing = () => undefined;
/** @type {any} */
const silent = { info: nothing, warn: nothing, error: nothing, debug: nothing, level: 'error' };

/** The installed Neovim, and those that `npm run test:real -- neovim` has fetched. */
export function neovims() {
  const cache = join(root, 'node_modules', '.cache', 'neovim');
  const fetched = existsSync(cache) ? readdirSync(cache).map((name) => join(cache, name, 'bin', 'nvim')) : [];
  return ['nvim', ...fetched].map((program) => {
    const said = execFileSync(program, ['--version'], { encoding: 'utf8' });
    return { program, version: /^NVIM v(\S+)/.exec(said)?.[1] };
  });
}

/** A Neovim with our plugin and a screen of 120 columns and 40 lines, so that it draws. */
export async function openNeovim({ program }) {
  const home = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const child = spawn(program, ['--clean', '--embed', '--cmd', `set runtimepath^=${root} noswapfile`], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, TMPDIR: home, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const nvim = new NeovimClient({ logger: silent });
  nvim.attach({ reader: child.stdout, writer: child.stdin });
  await nvim.channelId;
  nvim.on('notification', nothing); // what it draws
  await nvim.request('nvim_ui_attach', [120, 40, { ext_linegrid: true }]);
  return {
    home,
    nvim,
    lua: (code, ...args) => nvim.request('nvim_exec_lua', [code, args]),
    async until(expression) {
      while (!(await nvim.request('nvim_exec_lua', [`return (${expression}) and true or false`, []]))) await delay(5);
    },
    async close() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await exited;
      // Its bridge sees the end of it, and writes that to its log.
      await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}
