import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NeovimClient } from 'neovim/lib/api/client.js';
import { onTestFinished } from 'vitest';
import type { OutcomeSummary, Progress, Proposal } from '../../src/review/proposal.ts';
import { type Neovim, repository } from './neovims.ts';
import { CONNECT, type Decision, Reviewing, type Shown } from './reviewing.ts';

export type Layout = 'auto' | 'split' | 'inline' | 'tab';

/** A real Neovim with the diff views, and the reviewer that shows proposals in it. It ends with the test. */
export class DiffNvim {
  readonly client: NeovimClient;
  readonly folder: string;
  readonly #process: ChildProcessWithoutNullStreams;
  /** Of the views, in Lua. */
  readonly #options: string;
  #reviewing: Reviewing | undefined;
  #ended = false;

  static async start(
    neovim: Neovim,
    options: { readonly setup?: string; readonly before?: string; readonly layout?: Layout } = {},
  ): Promise<DiffNvim> {
    const nvim = new DiffNvim(neovim.program, options.setup ?? '{ idle = 0, grace = 0 }');
    onTestFinished(() => nvim.close());
    await nvim.client.channelId;
    await nvim.client.request('nvim_ui_attach', [120, 40, {}]);
    await nvim.lua('vim.opt.runtimepath:prepend(...)', repository);
    await nvim.#setUp(options.layout ?? 'split');
    await nvim.lua(options.before ?? '');
    nvim.#reviewing = await Reviewing.accept(nvim.#socketPath, () => nvim.lua(CONNECT, nvim.#socketPath));
    return nvim;
  }

  private constructor(program: string, options: string) {
    this.#options = options;
    this.folder = mkdtempSync(join(tmpdir(), 'hawser-diff-'));
    const env = { ...process.env, HOME: this.folder, XDG_CONFIG_HOME: this.folder, XDG_STATE_HOME: this.folder };
    const args = ['--clean', '-n', '-i', 'NONE', '--embed', '--headless'];
    this.#process = spawn(program, args, { cwd: this.folder, env });
    const silent = { level: 'error', info: nothing, warn: nothing, error: nothing, debug: nothing };
    // The client's own logger replaces the console's functions.
    this.client = new NeovimClient({ logger: silent });
    this.client.attach({ reader: this.#process.stdout, writer: this.#process.stdin });
  }

  get #socketPath(): string {
    return join(this.folder, 'socket');
  }

  get #reviews(): Reviewing {
    if (this.#reviewing === undefined) throw new Error('Neovim has not started');
    return this.#reviewing;
  }

  /** Why proposals could not be shown. */
  get problems(): readonly string[] {
    return this.#reviews.problems;
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

  async #setUp(layout: Layout): Promise<void> {
    const options = `vim.tbl_extend('keep', ${this.#options}, { layout = '${layout}' })`;
    await this.lua(`require('hawser').setup({ auto_start = false, diff = ${options} })`);
  }

  /** Does not wait: Neovim may be at a prompt. */
  showLater(shown: Shown): void {
    this.#reviews.show(shown);
  }

  /** Resolves when Neovim knows of it. `layout` holds from now on. */
  async show({ layout, ...shown }: Shown & { readonly layout?: Layout }): Promise<void> {
    if (layout !== undefined) await this.#setUp(layout);
    this.showLater(shown);
    await this.synced();
  }

  /** Another text of the file, and of the proposal. */
  async refresh(id: string, change: Partial<Proposal>): Promise<void> {
    this.#reviews.refresh(id, change);
    await this.synced();
  }

  /** What has become of a decision. */
  async progress(id: string, progress: Progress): Promise<void> {
    this.#reviews.replace(id, { progress });
    await this.synced();
  }

  async withdraw(id = 'p', outcome?: OutcomeSummary): Promise<void> {
    this.#reviews.end(id, outcome ?? { kind: 'withdrawn', reason: 'the agent closed it' });
    await this.synced();
  }

  async synced(): Promise<void> {
    await this.#reviews.synced();
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

  /** Calls a function of the diff views, and waits for what it asks of the bridge. */
  async call(name: string): Promise<unknown> {
    const result = await this.lua(`return require('hawser.diff.actions').${name}()`);
    await this.synced();
    return result;
  }

  /** The decisions, when there are as many as expected, and their views are closed. */
  async decisions(count = 1): Promise<readonly Decision[]> {
    await this.#eventually(async () => this.#reviews.decisions.length >= count);
    await this.synced();
    return this.#reviews.decisions;
  }

  /** The decisions after everything that Neovim has scheduled until now. */
  async decisionsSoFar(): Promise<readonly Decision[]> {
    await this.settle();
    return this.#reviews.decisions;
  }

  async messages(): Promise<string> {
    return (await this.lua('return vim.fn.execute("messages")')) as string;
  }

  /** Comes back when all that was scheduled before has run. */
  async settle(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await this.lua(
        'vim.wait(30000, (function() local ran; vim.schedule(function() ran = true end); return function() return ran end end)(), 1)',
      );
      await this.synced();
    }
  }

  async until(code: string): Promise<void> {
    await this.#eventually(async () => (await this.lua(code)) === true);
  }

  async #eventually(holds: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + 30_000;
    while (!(await holds())) {
      if (Date.now() > deadline) throw new Error('This did not come true in half a minute');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#reviewing?.close();
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const exited = once(this.#process, 'exit');
      this.#process.kill('SIGKILL');
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The exit code when Neovim ends by itself. */
  async exited(): Promise<number | null> {
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
    return this.#process.exitCode;
  }
}

const nothing = (): never => undefined as never;

/** The texts above the windows of a tab. */
export const BARS = `
  local bars = {}
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    bars[#bars + 1] = vim.wo[window][vim.fn.exists('+winbar') == 1 and 'winbar' or 'statusline']
  end
  return table.concat(bars, '|')`;
