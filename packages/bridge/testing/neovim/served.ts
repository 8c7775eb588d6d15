import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Agent, connectAgent } from '../agent.ts';
import type { Neovim } from './neovims.ts';
import { hasEnded } from './processes.ts';
import { NeovimUser, type StartOptions } from './user.ts';

export interface ServedOptions extends Omit<StartOptions, 'folder' | 'before'> {
  /** A table of Lua, for `setup`. */
  readonly setup?: string;
  /** Lua that runs before that. */
  readonly before?: string;
  readonly folder?: string;
}

interface LockContent {
  readonly pid: number;
  readonly ideName: string;
  readonly workspaceFolders: readonly string[];
  readonly authToken: string;
}

/** A Neovim that has started its bridge, and agents that come through its lock file. */
export class Served {
  readonly user: NeovimUser;
  readonly folder: string;
  readonly #agents: Agent[] = [];
  readonly #bridges = new Set<number>();

  private constructor(user: NeovimUser, folder: string) {
    this.user = user;
    this.folder = folder;
  }

  /** Without waiting for the bridge. Ends with the test, as that of `start`. */
  static async begin(neovim: Neovim, options: ServedOptions = {}): Promise<Served> {
    const served = await Served.#open(neovim, options);
    onTestFinished(() => served.dispose());
    return served;
  }

  static async start(neovim: Neovim, options: ServedOptions = {}): Promise<Served> {
    const served = await Served.begin(neovim, options);
    await served.#startBridge();
    return served;
  }

  /** For several tests, after which the caller disposes of it. */
  static async startForAll(neovim: Neovim, options: ServedOptions = {}): Promise<Served> {
    const served = await Served.#open(neovim, options);
    await served.#startBridge();
    return served;
  }

  static async #open(neovim: Neovim, { setup = '{}', before = '', folder, ...options }: ServedOptions) {
    const place = folder ?? realpathSync(mkdtempSync(join(tmpdir(), 'hawser-served-')));
    const node = JSON.stringify(process.execPath);
    const user = await NeovimUser.start(neovim, {
      ...options,
      folder: place,
      before: `${before} require('hawser').setup(vim.tbl_deep_extend('force',
        { node = ${node}, selection = { debounce_ms = 5 }, diff = { grace = 0 } }, ${setup}))`,
    });
    return new Served(user, place);
  }

  async #startBridge(): Promise<void> {
    try {
      await this.user.lua("require('hawser').start()");
      await this.isRunning();
    } catch (error) {
      const notices = await this.user.notices().catch(() => []);
      await this.dispose();
      throw new Error(`The bridge has not started: ${notices.join('; ')}`, { cause: error });
    }
  }

  async isRunning(): Promise<void> {
    await this.user.until("require('hawser').status().phase == 'running'");
    this.#bridges.add(await this.user.lua("return require('hawser').status().pid"));
  }

  /** The bridge that runs by now, if it is another one than at the start. */
  async hasRestarted(before: number): Promise<void> {
    await this.user.until(
      "require('hawser').status().pid ~= ... and require('hawser').status().phase == 'running'",
      before,
    );
    await this.isRunning();
  }

  get lockFolder(): string {
    return join(this.user.home, '.claude', 'ide');
  }

  locks(): string[] {
    try {
      return readdirSync(this.lockFolder).filter((name) => name.endsWith('.lock'));
    } catch {
      return [];
    }
  }

  async lock(): Promise<LockContent & { readonly port: number }> {
    const { lock, port } = await this.user.lua("return require('hawser').status()");
    return { ...JSON.parse(readFileSync(lock, 'utf8')), port };
  }

  async connect(): Promise<Agent> {
    const { port, authToken } = await this.lock();
    const agent = await connectAgent(`ws://127.0.0.1:${port}/`, authToken);
    this.#agents.push(agent);
    return agent;
  }

  /** An agent that has said who it is, and whom Neovim knows. */
  async agent(): Promise<Agent> {
    const agent = await this.connect();
    await agent.initialize();
    await this.knowsAgents();
    return agent;
  }

  /** Until Neovim knows of every agent that has come. */
  knowsAgents(): Promise<void> {
    return this.user.until(
      "#require('hawser').status().clients == ... and require('hawser').is_connected()",
      this.#agents.length,
    );
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** As it was at the start, but for what stands on disk: no agents, no buffers, one window. */
  async reset(): Promise<void> {
    for (const agent of this.#agents.splice(0)) agent.close();
    await this.user.until("#require('hawser').status().clients == 0");
    await this.user.lua(
      `vim.cmd('stopinsert | silent! tabonly! | silent! only! | silent! %bwipeout!')
       vim.cmd('cd ' .. ...)
       require('hawser.channel').send_selection(nil)
       _G.notices = {}`,
      this.folder,
    );
  }

  async dispose(): Promise<void> {
    for (const agent of this.#agents) agent.close();
    await this.user.end();
    // Until then it may still write or remove its lock.
    for (const pid of this.#bridges) await hasEnded(pid);
    await this.user.dispose();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
