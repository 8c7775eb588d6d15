import type { CallToolResult, Tool } from '@hawser/mcp';
import { type Implementation, type Progress, RpcError } from '@hawser/mcp';
import { Client, type ClientSession } from '@hawser/mcp/client';
import { connectHttp } from '@hawser/mcp/http';
import type { ControlClient } from '../control/control-client.ts';

export interface BridgeEndpoint {
  readonly url: string;
  readonly token: string;
  /** Open for as long as the bridge runs. */
  readonly control: ControlClient;
  readonly pid: number;
  /** A bridge that another `hawser mcp` serves until an editor's is there. */
  readonly isStandIn: boolean;
}

export interface LinkOptions {
  /** The agent, as the user sees it when it proposes changes. */
  readonly agent: Implementation;
  readonly onToolsChanged: () => void;
  /** The bridge has ended. Called once, and not after `close`. */
  readonly onLost: () => void;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** How long to wait for the notice that the bridge has ended, after a call has failed. */
const NOTICE_MS = 500;

/** The tools of one running bridge. */
export class BridgeLink {
  readonly #session: ClientSession;
  readonly #control: ControlClient;
  readonly #ended = new AbortController();
  #calls = 0;
  #onIdle: (() => void) | undefined;

  private constructor({ control }: BridgeEndpoint, session: ClientSession) {
    this.#control = control;
    this.#session = session;
  }

  /** Rejects if the bridge does not answer. */
  static async connect(endpoint: BridgeEndpoint, { agent, onToolsChanged, onLost }: LinkOptions): Promise<BridgeLink> {
    // The adapter knows sessions alone.
    const client = new Client(agent, { onError: () => {}, negotiation: 'initialize' });
    const connection = connectHttp(endpoint.url, { headers: { Authorization: `Bearer ${endpoint.token}` } });
    const session = await client.connect(connection, { maxTimeout: 5000 });
    const link = new BridgeLink(endpoint, session);
    session.onNotification('notifications/tools/list_changed', onToolsChanged);
    void endpoint.control.closed.then(() => {
      if (link.#ended.signal.aborted) return;
      void link.close();
      onLost();
    });
    return link;
  }

  listTools(): Promise<Tool[]> {
    return this.#session.listTools();
  }

  /** Rejects with a `BridgeEnded` if the bridge ends meanwhile. */
  async call(name: string, args: object, { signal, onProgress }: CallOptions): Promise<CallToolResult> {
    this.#calls += 1;
    try {
      const either = AbortSignal.any([signal, this.#ended.signal]);
      return await this.#session.callTool(name, { ...args }, { signal: either, onProgress, timeout: 0 });
    } catch (error) {
      if (signal.aborted) throw error;
      if (await this.#hasEnded()) throw new BridgeEnded();
      throw error instanceof RpcError ? error : new Error(`The editor can't be reached: ${(error as Error).message}`);
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0) this.#onIdle?.();
    }
  }

  /** Resolves when no call waits for an answer. */
  async idle(): Promise<void> {
    if (this.#calls === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  async close(): Promise<void> {
    this.#ended.abort(new BridgeEnded());
    await Promise.all([this.#session.close(), this.#control.close()]);
  }

  /** A bridge that ends answers its calls before it closes. */
  async #hasEnded(): Promise<boolean> {
    if (this.#ended.signal.aborted) return true;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), NOTICE_MS);
    });
    const ended = this.#control.closed.then(() => true);
    return await Promise.race([ended, late]).finally(() => clearTimeout(timer));
  }
}

/** The bridge ended while a call ran. */
export class BridgeEnded extends Error {
  override readonly name = 'BridgeEnded';

  constructor() {
    super(
      'The editor ended or restarted while this call ran. The call may or may not have had its effect: look before you repeat it',
    );
  }
}
