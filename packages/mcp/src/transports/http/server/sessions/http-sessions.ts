import type { Arrival } from '../../../../jsonrpc/codec.ts';
import { unref } from '../../../../jsonrpc/deadlines.ts';
import { asError } from '../../../../jsonrpc/errors.ts';
import { largestShare } from '../../../../jsonrpc/in-flight.ts';
import { whenKnown } from '../../../../jsonrpc/thenable.ts';
import { settlesWithin } from '../../../../jsonrpc/waiting.ts';
import type { Origin } from '../../../../protocol/origin.ts';
import { ProcessLease } from '../../../../protocol/process-lease.ts';
import type { ServedRequests } from '../../../../protocol/stateless-response.ts';
import type { HttpStore, StoredState } from '../../store.ts';
import type { HttpCall } from '../http-call.ts';
import type { ResponseStreamOptions } from '../responses/response-stream.ts';
import { inBackground } from './in-background.ts';
import { LocalSession } from './local-session.ts';
import type { StoredSession } from './session-saver.ts';

export interface HttpSessionsOptions {
  readonly server: ServedRequests;
  readonly store: HttpStore;
  readonly idleMs: number;
  readonly abandonedMs: number;
  readonly cancelAfterMs: number;
  readonly leaseMs: number;
  readonly maxSessions: number;
  readonly streamOptions: ResponseStreamOptions;
}

const SWEEP_MS = 60_000;
/** How long a server that closes waits for its store. */
const CLOSE_MS = 2000;

/** The sessions of an endpoint: those in this process, and those that only the store has. */
export class HttpSessions {
  readonly server: ServedRequests;
  readonly store: HttpStore;
  readonly streamOptions: ResponseStreamOptions;
  /** Milliseconds for which the store keeps a session that no process uses. */
  readonly keepMs: number;
  /** Keeps the calls of this process alive in the store, from the first one on. */
  readonly lease: ProcessLease;
  /** Aborts when the endpoint closes. */
  readonly closing: AbortSignal;
  readonly #options: HttpSessionsOptions;
  /** In the order of their last use. */
  readonly #local = new Map<string, LocalSession>();
  /** Those whose `initialize` is still open, and the call that brought it. */
  readonly #opening = new Map<LocalSession, HttpCall>();
  readonly #close = new AbortController();
  #sweep: ReturnType<typeof setInterval> | undefined;
  /** The session that was used last, which is at the end of the order already. */
  #lastFound: LocalSession | undefined;

  constructor(options: HttpSessionsOptions) {
    const { server, store, streamOptions, idleMs, leaseMs } = options;
    this.#options = options;
    this.server = server;
    this.store = store;
    this.streamOptions = streamOptions;
    // Processes end sessions that are unused for `idleMs`; what they leave behind, the store deletes.
    this.keepMs = 2 * idleMs;
    this.lease = new ProcessLease(store, leaseMs, (thrown) => streamOptions.onError(asError(thrown)));
    this.closing = this.#close.signal;
  }

  /** Those in this process. */
  get size(): number {
    return this.#local.size;
  }

  /** Opens a session with an `initialize`. It exists once the server has accepted it. False if the server closed it. */
  open(arrival: Arrival, origin: Origin, call: HttpCall): boolean | Promise<boolean> {
    // What randomUUID returns is a tree of twenty strings; without dashes it is one.
    const id = crypto.randomUUID().replaceAll('-', '');
    const session = new LocalSession(this, { id, owner: origin.principal?.id, client: origin.client });
    this.#opening.set(session, call);
    const accepted = session.post(arrival, origin, call);
    // Middleware may take its time before the server accepts the session.
    session.whenResponded(() => {
      this.#opening.delete(session);
      if (!this.#local.has(id)) session.end('The handshake failed');
    });
    return accepted;
  }

  /** Called by the session: the store has it, or will. */
  saved(session: LocalSession): void {
    const call = this.#opening.get(session);
    if (call === undefined || this.#local.has(session.id)) return;
    this.#add(session);
    call.setHeader('Mcp-Session-Id', session.id);
  }

  /** Called by the session: it has ended in this process. */
  ended(session: LocalSession): void {
    if (this.#local.get(session.id) === session) this.#local.delete(session.id);
  }

  /** The session with this id, if it belongs to the principal. */
  find(
    id: string,
    principal: string | undefined,
    client?: string | undefined,
  ): LocalSession | undefined | Promise<LocalSession | undefined> {
    return whenKnown(this.store.find(id), (found) => this.#found(id, found, principal, client));
  }

  /** False when there is no such session, or it belongs to another principal. */
  async end(id: string, principal: string | undefined): Promise<boolean> {
    const found = await this.store.find(id);
    const isKnown = found !== undefined && ownerOf(found) === principal;
    if (isKnown) await this.store.delete(id);
    if (isKnown || found === undefined) this.#local.get(id)?.end('The session has ended');
    return isKnown;
  }

  /** Sessions stay in the store, for other processes. Settles when they know which calls have ended. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    const sessions = [...this.#local.values(), ...this.#opening.keys()];
    for (const session of sessions) session.end('The server is closing');
    this.#close.abort();
    const settling = sessions.map(({ settled }) => settled).filter((settled) => settled !== undefined);
    if (settling.length > 0) await settlesWithin(CLOSE_MS, Promise.all(settling));
    this.lease.stop();
  }

  #found(
    id: string,
    found: StoredState | undefined,
    principal: string | undefined,
    client: string | undefined,
  ): LocalSession | undefined | Promise<LocalSession> {
    const local = this.#local.get(id);
    if (found === undefined) {
      local?.end('The session has ended');
      return undefined;
    }
    if (ownerOf(found) !== principal) return undefined;
    if (local !== undefined) {
      if (local !== this.#lastFound) {
        this.#local.delete(id);
        this.#local.set(id, local);
        this.#lastFound = local;
      }
      local.refresh(found);
      return whenWatched(local);
    }
    const session = new LocalSession(this, { id, owner: ownerOf(found), client }, found);
    this.#add(session);
    return whenWatched(session);
  }

  #add(session: LocalSession): void {
    this.#local.set(session.id, session);
    this.#lastFound = session;
    this.#startSweep();
    while (this.#local.size > this.#options.maxSessions) {
      const idle = [...this.#local.values()].filter((each) => each !== session && !each.isBusy);
      const [oldest] = largestShare(
        idle,
        ({ client }) => client,
        () => 1,
      );
      if (oldest === undefined) return;
      oldest.end('Evicted: maxSessions reached');
    }
  }

  #startSweep(): void {
    if (this.#sweep !== undefined) return;
    const { idleMs, abandonedMs, cancelAfterMs } = this.#options;
    const shortest = Math.min(idleMs, abandonedMs, cancelAfterMs);
    this.#sweep = unref(setInterval(() => this.#endIdle(), Math.min(SWEEP_MS, shortest / 2)));
  }

  #endIdle(): void {
    const { idleMs, abandonedMs, cancelAfterMs } = this.#options;
    const { onError } = this.streamOptions;
    const now = Date.now();
    for (const [id, session] of this.#local) {
      session.cancelLost(now - cancelAfterMs);
      const unusedMs = session.hadStream ? Math.min(abandonedMs, idleMs) : idleMs;
      if (session.isBusy) {
        inBackground(() => this.store.find(id), onError); // marks it as used for other processes
      } else if (session.lastUsed <= now - unusedMs) {
        session.end('The session was not used for too long');
        inBackground(() => this.store.deleteUnused(id, unusedMs), onError);
      }
    }
  }
}

function ownerOf({ state }: StoredState): string | undefined {
  return (state as StoredSession).owner;
}

/** The responses to a handler's questions arrive through the store, which must be followed before. */
function whenWatched(session: LocalSession): LocalSession | Promise<LocalSession> {
  const { watching } = session;
  return watching === undefined ? session : watching.then(() => session);
}
