import { isThenable } from '../../../jsonrpc/thenable.ts';
import type { ServedRequests } from '../../../protocol/exchange.ts';
import type { Origin } from '../../../protocol/origin.ts';
import type { SessionSnapshot } from '../../../protocol/session-snapshot.ts';
import type { HttpStore } from '../store.ts';
import type { AnswerStreamOptions } from './answer-stream.ts';
import type { Arrival } from './arrival.ts';
import type { HttpCall } from './http-call.ts';
import { endEverywhere, inBackground, LocalSession, type StoredSession } from './local-session.ts';

export interface HttpSessionsOptions {
  readonly server: ServedRequests;
  readonly store: HttpStore;
  readonly idleMs: number;
  readonly abandonedMs: number;
  readonly cancelAfterMs: number;
  readonly maxSessions: number;
  readonly streamOptions: AnswerStreamOptions;
}

const SWEEP_MS = 60_000;

/** The sessions of an endpoint: those in this process, and those that only the store has. */
export class HttpSessions {
  readonly #options: HttpSessionsOptions;
  /** In the order of their last use. */
  readonly #local = new Map<string, LocalSession>();
  #sweep: ReturnType<typeof setInterval> | undefined;
  /** It is the last in the order already. */
  #lastFound: LocalSession | undefined;

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
  }

  /** Opens a session with an `initialize`. It exists once the server has accepted it. False if the server closed it. */
  open(arrival: Arrival, origin: Origin, call: HttpCall): boolean | Promise<boolean> {
    const id = crypto.randomUUID();
    const session = this.#make(id, undefined, origin.principal?.id, () => {
      if (this.#local.has(id)) return;
      this.#add(id, session);
      call.setHeader('Mcp-Session-Id', id);
    });
    const accepted = session.post(arrival, origin, call);
    if (!this.#local.has(id)) session.end('The handshake failed');
    return accepted;
  }

  /** The session with this id, if it belongs to the principal. */
  find(id: string, principal: string | undefined): LocalSession | undefined | Promise<LocalSession | undefined> {
    const saves = this.#local.get(id)?.saves;
    const found = this.#options.store.find(id) as StoredSession | undefined | Promise<StoredSession | undefined>;
    return isThenable(found)
      ? Promise.resolve(found).then((stored) => this.#found(id, stored, principal, saves))
      : this.#found(id, found as StoredSession | undefined, principal, saves); // not a promise, by the line above
  }

  /** False when there is no such session, or it belongs to another principal. */
  async end(id: string, principal: string | undefined): Promise<boolean> {
    const { store } = this.#options;
    const stored = (await store.find(id)) as StoredSession | undefined;
    const isKnown = stored !== undefined && stored.owner === principal;
    if (isKnown) await endEverywhere(store, id);
    if (isKnown || stored === undefined) this.#local.get(id)?.end('The session has ended');
    return isKnown;
  }

  /** Sessions stay in the store, for other processes. */
  close(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
    for (const session of [...this.#local.values()]) session.end('The server is closing');
  }

  #found(
    id: string,
    stored: StoredSession | undefined,
    principal: string | undefined,
    saves: number | undefined,
  ): LocalSession | undefined {
    const local = this.#local.get(id);
    if (stored === undefined) {
      local?.end('The session has ended');
      return undefined;
    }
    if (stored.owner !== principal) return undefined;
    if (local !== undefined) {
      if (local !== this.#lastFound) {
        this.#local.delete(id);
        this.#local.set(id, local);
        this.#lastFound = local;
      }
      // A change that this process made in the meantime is newer.
      if (local.saves === saves && local.recording === undefined) local.refresh(stored.snapshot);
      return local;
    }
    const session = this.#make(id, stored.snapshot, stored.owner, () => {});
    this.#add(id, session);
    return session;
  }

  #make(id: string, snapshot: SessionSnapshot | undefined, owner: string | undefined, saved: () => void): LocalSession {
    const { store, server, streamOptions } = this.#options;
    const ended = (session: LocalSession) => {
      if (this.#local.get(id) === session) this.#local.delete(id);
    };
    return new LocalSession({ id, store, server, streamOptions, snapshot, owner, saved, ended });
  }

  #add(id: string, session: LocalSession): void {
    this.#local.set(id, session);
    this.#lastFound = session;
    this.#startSweep();
    for (const oldest of this.#local.values()) {
      if (this.#local.size <= this.#options.maxSessions) return;
      if (!oldest.isBusy) oldest.end('Other sessions need the room');
    }
  }

  #startSweep(): void {
    if (this.#sweep !== undefined) return;
    const { idleMs, abandonedMs, cancelAfterMs } = this.#options;
    const shortest = Math.min(idleMs, abandonedMs, cancelAfterMs);
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(SWEEP_MS, shortest / 2));
    // Only Node has it, and only there a timer keeps the process alive.
    (this.#sweep as { unref?: () => void }).unref?.();
  }

  #endIdle(): void {
    const { store, streamOptions, idleMs, abandonedMs, cancelAfterMs } = this.#options;
    const now = Date.now();
    for (const [id, session] of this.#local) {
      session.cancelLost(now - cancelAfterMs);
      const unusedMs = session.hadStream ? Math.min(abandonedMs, idleMs) : idleMs;
      if (session.isBusy) {
        inBackground(() => store.find(id), streamOptions.onError); // marks it as used for other processes
      } else if (session.lastUsed <= now - unusedMs) {
        session.end('The session was not used for too long');
        inBackground(() => store.deleteUnused(id, unusedMs), streamOptions.onError);
      }
    }
  }
}
