// @ts-check
// Starts the built bridge as users do, so that V8 compiles what every start calls, and keeps that beside the bundles: a
// start that had to compile it would take a quarter longer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const program = join(root, 'packages', 'bridge', 'dist', 'main.cjs');
// With slashes on Windows, too: a backslash is an escape in NODE_OPTIONS.
const keepCompiled = join(root, 'scripts', 'keep-compiled.cjs').replaceAll('\\', '/');
const TIMEOUT_MS = 20_000;

/** Never fails: without it, bundles start a little later. */
export async function compileStarts() {
  const home = mkdtempSync(join(tmpdir(), 'hw-'));
  try {
    await served(home);
    await inNeovim(home);
  } catch (error) {
    console.warn(`The start of the bridge was not compiled: ${error instanceof Error ? error.message : error}`);
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * A bridge, and commands that reach it.
 * @param {string} home
 */
async function served(home) {
  const bridge = start(process.execPath, [program, 'serve', '--headless'], home);
  const ended = once(bridge, 'exit');
  const line = await Promise.race([once(bridge.stdout, 'data'), ended.then(() => undefined)]);
  if (line === undefined) throw new Error('hawser serve has ended');
  // `tools` connects like an agent, so that the agents' servers are compiled, too.
  for (const command of [['status'], ['review', '--list'], ['pause'], ['resume'], ['tools']]) {
    await once(start(process.execPath, [program, ...command], home), 'exit');
  }
  bridge.kill('SIGTERM');
  await ended;
}

/**
 * The bridge of a Neovim, if there is one on this machine.
 * @param {string} home
 */
async function inNeovim(home) {
  const lua = (/** @type {string} */ code) => ['-c', `lua ${code}`];
  const state = (/** @type {string} */ name) => `(function() return require('hawser').status().phase ${name} end)`;
  const neovim = start(
    'nvim',
    [
      ...['--clean', '--headless', '--cmd', `set runtimepath^=${root}`],
      ...lua(`require('hawser').setup({ node = ${JSON.stringify(process.execPath)} }) require('hawser').start()`),
      ...lua(`vim.wait(10000, ${state("~= 'starting'")}, 10) require('hawser').stop()`),
      ...lua(`vim.wait(10000, ${state("== 'stopped'")}, 10) vim.cmd('qall!')`),
    ],
    home,
  );
  // Rejects if there is no Neovim.
  await once(neovim, 'exit').catch(() => undefined);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} home
 */
function start(command, args, home) {
  const folders = ['CONFIG', 'DATA', 'STATE', 'CACHE'].map((name) => [`XDG_${name}_HOME`, join(home, name)]);
  const cwd = join(home, 'work');
  mkdirSync(cwd, { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: home,
    ...Object.fromEntries(folders),
    NODE_OPTIONS: `--require "${keepCompiled}"`,
  };
  return spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'], timeout: TIMEOUT_MS });
}
