import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NeovimClient } from 'neovim/lib/api/client.js';
import { onTestFinished } from 'vitest';
import { type Neovim, repository } from './neovims.ts';

export interface Shown {
  readonly id?: string;
  readonly title?: string;
  readonly path?: string;
  readonly from?: string;
  readonly old?: string;
  readonly new: string;
  readonly layout?: 'split' | 'tab' | 'inline';
  readonly hunks?: readonly (readonly number[])[];
  readonly notice?: string;
}

export type Decision = readonly [id: string, kind: 'accepted', text: string] | readonly [id: string, kind: 'rejected'];

/**
 * A real Neovim with the diff views and nothing else of the plugin. Texts are byte strings: one character for each byte.
 * It ends with the test.
 */
export class DiffNvim {
  readonly client: NeovimClient;
  readonly folder: string;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #decisions: Decision[] = [];
  #ended = false;

  static async start(neovim: Neovim, options: { readonly setup?: string; readonly before?: string } = {}) {
    const nvim = new DiffNvim(neovim.program);
    onTestFinished(() => nvim.close());
    nvim.client.on('notification', (name: string, [id, kind, hex]: [string, 'accepted' | 'rejected', string]) => {
      if (name !== 'decision') return;
      const text = Buffer.from(hex, 'hex').toString('latin1');
      nvim.#decisions.push(kind === 'accepted' ? [id, kind, text] : [id, kind]);
    });
    const channel = await nvim.client.channelId;
    await nvim.client.request('nvim_ui_attach', [120, 40, {}]);
    await nvim.lua(
      `
      vim.opt.runtimepath:prepend(...)
      local diff = require('hawser.diff')
      diff.setup(${options.setup ?? '{ idle = 0 }'})
      function _G.unhex(hex) return hex and (hex:gsub('..', function(c) return string.char(tonumber(c, 16)) end)) end
      function _G.hex(text) return (text:gsub('.', function(c) return ('%02x'):format(c:byte()) end)) end
      diff.on_decision(function(id, decision)
        vim.rpcnotify(${channel}, 'decision', id, decision.kind, hex(decision.text or ''))
      end)
      ${options.before ?? ''}
    `,
      repository,
    );
    return nvim;
  }

  private constructor(program: string) {
    this.folder = mkdtempSync(join(tmpdir(), 'hawser-diff-'));
    const env = { ...process.env, HOME: this.folder, XDG_CONFIG_HOME: this.folder, XDG_STATE_HOME: this.folder };
    this.#process = spawn(program, ['--clean', '-n', '-i', 'NONE', '--embed', '--headless'], { cwd: this.folder, env });
    const silent = { level: 'error', info: nothing, warn: nothing, error: nothing, debug: nothing };
    // The client's own logger replaces the console's functions.
    this.client = new NeovimClient({ logger: silent });
    this.client.attach({ reader: this.#process.stdout, writer: this.#process.stdin });
  }

  async lua(code: string, ...args: readonly unknown[]): Promise<unknown> {
    return await this.client.executeLua(code, [...args] as never);
  }

  async command(command: string): Promise<void> {
    await this.client.command(command);
  }

  /** Types keys and comes back when Neovim has taken them in. */
  async type(keys: string): Promise<void> {
    await this.client.input(keys);
    await this.client.request('nvim_get_mode', []);
  }

  async mode(): Promise<string> {
    const { mode } = (await this.client.request('nvim_get_mode', [])) as { mode: string };
    return mode;
  }

  /** What may be sent while Neovim waits at a prompt: no answer is waited for. */
  showLater(shown: Shown): void {
    this.client.notify('nvim_exec_lua', [SHOW, [specOf(shown)]]);
  }

  async show(shown: Shown): Promise<void> {
    await this.lua(SHOW, specOf(shown));
  }

  /** Resolves when the proposal is on the screen. */
  async shown(id = 'p'): Promise<void> {
    await this.until(`
      local first = require('hawser.diff').pending()[1]
      return first ~= nil and first.id == '${id}' and first.state == 'shown'`);
  }

  async states(): Promise<unknown> {
    return await this.lua(`
      return vim.tbl_map(function(one) return one.id .. ' ' .. one.state end, require('hawser.diff').pending())`);
  }

  async call(name: string): Promise<unknown> {
    return await this.lua(`return require('hawser.diff').${name}()`);
  }

  /** The decisions, when there are as many as expected. */
  async decisions(count = 1): Promise<readonly Decision[]> {
    await this.#eventually(async () => this.#decisions.length >= count);
    return this.#decisions;
  }

  /** The decisions after everything that Neovim has scheduled until now. */
  async decisionsSoFar(): Promise<readonly Decision[]> {
    await this.settle();
    return this.#decisions;
  }

  /** Comes back when all that was scheduled before has run. */
  async settle(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await this.lua(
        'vim.wait(1000, (function() local ran; vim.schedule(function() ran = true end); return function() return ran end end)(), 1)',
      );
    }
  }

  async until(code: string): Promise<void> {
    await this.#eventually(async () => (await this.lua(code)) === true);
  }

  async #eventually(holds: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 10_000;
    while (!(await holds())) {
      if (Date.now() > deadline) throw new Error('This did not come true in ten seconds');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exited = once(this.#process, 'exit');
      this.#process.kill('SIGKILL');
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The exit code when Neovim ends by itself. */
  async exited(): Promise<number | null> {
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
    return this.#process.exitCode;
  }
}

const SHOW = `
  local spec = ...
  spec.old, spec.new = unhex(spec.old), unhex(spec.new)
  require('hawser.diff').show(spec)`;

function specOf(shown: Shown): object {
  const hex = (text: string) => Buffer.from(text, 'latin1').toString('hex');
  const old = shown.old === undefined ? {} : { old: hex(shown.old) };
  return {
    id: 'p',
    title: 'Change a file',
    from: 'Claude Code',
    path: '/tmp/a.txt',
    ...shown,
    ...old,
    new: hex(shown.new),
  };
}

const nothing = (): never => undefined as never;
