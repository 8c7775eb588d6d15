import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NeovimClient } from 'neovim/lib/api/client.js';
import type { Json } from '../../../mcp/testing/json.ts';
import { endOnError } from './end-on-error.ts';
import { type Neovim, repository } from './neovims.ts';

export interface StartOptions {
  readonly folder: string;
  /** Lua that runs before plugins are loaded. */
  readonly before?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
}

const nothing = (): never => undefined as never;
const silent = { info: nothing, warn: nothing, error: nothing, debug: nothing, level: 'error' };

/** A Neovim with our plugin and no configuration, and a user who works with it through a socket of its own. */
export class NeovimUser {
  readonly process: ChildProcess;
  readonly nvim: NeovimClient;
  readonly #room: string;
  readonly #exited: Promise<unknown>;

  private constructor(process: ChildProcess, nvim: NeovimClient, room: string) {
    this.process = process;
    this.nvim = nvim;
    this.#room = room;
    this.#exited = process.exitCode === null ? once(process, 'exit') : Promise.resolve();
  }

  static async start(
    { program }: Neovim,
    { folder, before = '', args = [], env = {} }: StartOptions,
  ): Promise<NeovimUser> {
    const room = mkdtempSync(join(tmpdir(), 'hawser-nvim-'));
    const socket = join(room, 'nvim.sock');
    const heed = '_G.notices = {}; vim.notify = function(text) table.insert(_G.notices, text) end';
    const commands = [
      `set runtimepath^=${repository.replace(/\/$/, '')}`,
      `lua ${heed}`,
      ...(before === '' ? [] : [`lua ${before.replaceAll('\n', ' ')}`]),
    ];
    const { CLAUDE_CONFIG_DIR: _of, NVIM: _this, NVIM_LISTEN_ADDRESS: _user, ...environment } = process.env;
    const child = spawn(
      program,
      [
        '--clean',
        '--embed',
        '--headless',
        '--listen',
        socket,
        ...commands.flatMap((command) => ['--cmd', command]),
        ...args,
      ],
      { cwd: folder, env: { ...environment, HOME: room, ...privateFolders(room), ...env } },
    );
    const exited = once(child, 'exit');
    let stream = await connected(socket);
    while (stream === undefined) {
      const ended = await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 5))]);
      if (ended !== undefined) throw new Error(`Neovim has ended: ${ended}`);
      stream = await connected(socket);
    }
    stream.on('error', () => undefined);
    const nvim = new NeovimClient({ logger: silent });
    nvim.attach({ reader: endOnError(stream), writer: stream });
    await nvim.channelId;
    const user = new NeovimUser(child, nvim, room);
    const problem = await user.lua('return vim.v.errmsg');
    if (problem === '') return user;
    await user.dispose();
    throw new Error(`Neovim has started with an error: ${problem}`);
  }

  get home(): string {
    return this.#room;
  }

  /** Runs Lua and gives what it returns. */
  lua(code: string, ...args: unknown[]): Promise<Json> {
    return this.nvim.request('nvim_exec_lua', [code, args]);
  }

  command(command: string): Promise<unknown> {
    return this.nvim.request('nvim_command', [command]);
  }

  /** Keys as if typed: they are taken when Neovim gets to them. */
  keys(keys: string): Promise<unknown> {
    return this.nvim.request('nvim_input', [keys]);
  }

  /** Keys that are taken before this resolves. */
  typed(keys: string): Promise<unknown> {
    return this.lua("vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(..., true, true, true), 'xt', false)", keys);
  }

  /** Waits until an expression of Lua is true, looking now and again. */
  async until(expression: string, ...args: unknown[]): Promise<void> {
    const deadline = Date.now() + 30_000;
    while ((await this.lua(`return (${expression}) and true or false`, ...args)) !== true) {
      if (Date.now() > deadline) {
        const notices = await this.notices();
        throw new Error(`This has not come true: ${expression}; Neovim has said: ${notices.join('; ')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** What `vim.notify` was given since the start. */
  notices(): Promise<string[]> {
    return this.lua('return _G.notices');
  }

  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGKILL');
    await this.#exited;
  }

  async dispose(): Promise<void> {
    await this.end();
    rmSync(this.#room, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The file is there a moment before anybody listens. */
function connected(socket: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const stream = connect(socket);
    stream.once('connect', () => resolve(stream));
    stream.once('error', () => resolve(undefined));
  });
}

function privateFolders(room: string): NodeJS.ProcessEnv {
  const names = ['CONFIG', 'DATA', 'STATE', 'CACHE'];
  const folders = names.map((name) => [`XDG_${name}_HOME`, join(room, name.toLowerCase())]);
  // Some agents look for editors in the temporary folder.
  return { ...Object.fromEntries(folders), TMPDIR: room };
}
