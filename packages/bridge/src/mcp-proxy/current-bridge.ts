import { watch } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Implementation } from '@hawser/mcp';
import { closeAll } from '../close-all.ts';
import { type BridgeEndpoint, BridgeLink } from './bridge-link.ts';
import { NoBridge } from './tool-proxy.ts';

export interface CurrentBridgeOptions {
  /** The running bridge to use now, or that of a process. */
  readonly find: (pid?: number) => Promise<BridgeEndpoint | undefined>;
  /** Starts a bridge in this process; undefined if the user named one. */
  readonly startStandIn: (() => Promise<{ close(): Promise<void> }>) | undefined;
  /** Of this process. */
  readonly pid: number;
  /** The folder in which each running bridge has a socket. */
  readonly controlFolder: string;
  /** The tools may be others now. */
  readonly onChange: (link: BridgeLink) => void;
  readonly onProblem: (problem: Error) => void;
}

/** How long to wait for a bridge that has ended to come back. */
const RESTART_MS = 5000;
const LOOK_AGAIN_MS = 100;
/** How long a bridge that was found may take to open its adapters. */
const OPENING_MS = 1000;
/** How long to look for another bridge after something has changed. */
const LOOK_MS = 3000;

/**
 * Keeps a connection to a bridge: an editor's if one runs, else a stand-in of this process. When the bridge ends it waits
 * for its restart. When an editor's bridge appears, new calls go there, and a stand-in ends after its last call.
 */
export class CurrentBridge {
  readonly #options: CurrentBridgeOptions;
  #agent: Implementation = { name: 'hawser mcp', version: '0' };
  #link: Promise<BridgeLink> | undefined;
  #standIn: { close(): Promise<void> } | undefined;
  #watcher: { close(): void } | undefined;
  #isLooking = false;
  #lookUntil = 0;
  #isClosed = false;

  constructor(options: CurrentBridgeOptions) {
    this.#options = options;
  }

  /** Connects at the first call. Rejects with a `NoBridge` if there is none. */
  link(agent: Implementation | undefined): Promise<BridgeLink> {
    if (this.#link !== undefined) return this.#link;
    if (agent !== undefined) this.#agent = agent;
    return this.#begin(0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watcher?.close();
    await this.#link?.then((link) => link.close()).catch(() => {});
    await this.#standIn?.close();
  }

  /** Looks for a bridge for `patienceMs`, then starts a stand-in. A failure is forgotten, so that the next call tries again. */
  #begin(patienceMs: number): Promise<BridgeLink> {
    const link = this.#search(performance.now() + patienceMs);
    this.#link = link;
    link.then(
      (found) => this.#options.onChange(found),
      () => {
        if (this.#link === link) this.#link = undefined;
      },
    );
    return link;
  }

  async #search(until: number): Promise<BridgeLink> {
    const openUntil = performance.now() + OPENING_MS;
    for (;;) {
      const found = await this.#connect().catch((problem: Error) => problem);
      if (found !== undefined && !(found instanceof Error)) return found;
      // A bridge that can't be used may be one that has just started.
      const patience = found === undefined ? until : Math.max(until, openUntil);
      if (this.#isClosed || performance.now() >= patience) {
        if (found !== undefined) this.#options.onProblem(found);
        break;
      }
      await delay(LOOK_AGAIN_MS);
    }
    if (this.#isClosed || this.#options.startStandIn === undefined) {
      throw new NoBridge('No editor is connected. Ask the user to start it, then try again');
    }
    this.#standIn ??= await this.#options.startStandIn();
    const link = await this.#connect(this.#options.pid);
    if (link === undefined) throw new NoBridge('The editor could not be started');
    this.#watch();
    // Another process may have done the same at the same time.
    void this.#look();
    return link;
  }

  /** Undefined if no bridge runs. Rejects if none of those that run can be used. */
  async #connect(pid?: number): Promise<BridgeLink | undefined> {
    const endpoint = await this.#options.find(pid);
    return endpoint && (await this.#connectTo(endpoint));
  }

  async #connectTo(endpoint: BridgeEndpoint): Promise<BridgeLink> {
    const link: BridgeLink = await BridgeLink.connect(endpoint, {
      agent: this.#agent,
      onToolsChanged: () => this.#options.onChange(link),
      onLost: () => {
        if (this.#isClosed) return;
        // If none was found meanwhile, the next call looks again.
        this.#link?.then(
          (current) => {
            if (current === link) this.#begin(RESTART_MS);
          },
          () => {},
        );
      },
    }).catch(async (error: unknown) => {
      await endpoint.control.close();
      throw error;
    });
    return link;
  }

  /** Only a stand-in gives way to others. */
  #watch(): void {
    this.#watcher ??= watch(this.#options.controlFolder, { persistent: false }, () => void this.#look());
  }

  /** A bridge can be found a moment before its adapters are open, so it looks for a while. */
  async #look(): Promise<void> {
    this.#lookUntil = performance.now() + LOOK_MS;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (!this.#isClosed && this.#standIn !== undefined && performance.now() < this.#lookUntil) {
      // Whatever is wrong with another bridge, the stand-in goes on.
      if (await this.#changeOver().catch(() => false)) break;
      await delay(LOOK_AGAIN_MS);
    }
    this.#isLooking = false;
  }

  /** True if there is another bridge now. */
  async #changeOver(): Promise<boolean> {
    const current = await this.#link;
    const endpoint = await this.#options.find();
    if (endpoint === undefined) return false;
    if (endpoint.pid === this.#options.pid || this.#isClosed) {
      await endpoint.control.close();
      return false;
    }
    const next = await this.#connectTo(endpoint);
    this.#link = Promise.resolve(next);
    this.#options.onChange(next);
    void this.#giveWay(current).catch(this.#options.onProblem);
    return true;
  }

  /** Ends the stand-in once its last call is answered. */
  async #giveWay(link: BridgeLink | undefined): Promise<void> {
    const standIn = this.#standIn;
    this.#standIn = undefined;
    this.#watcher?.close();
    this.#watcher = undefined;
    await link?.idle();
    await closeAll([() => link?.close(), () => standIn?.close()]);
  }
}
