import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../../../jsonrpc/connection.ts';
import { isThenable } from '../../../jsonrpc/thenable.ts';
import type { SessionPersistence, SessionSnapshot } from '../../../protocol/session-snapshot.ts';
import type { HttpStore } from '../store.ts';
import { memoryStore } from '../stores/memory.ts';
import type { AnswerStreamOptions } from './answer-stream.ts';
import type { Arrival } from './http-connection.ts';
import { endEverywhere, inBackground, LocalSession } from './local-session.ts';

export interface HttpSessionsOptions {
  readonly accept: (connection: Connection, persistence: SessionPersistence) => unknown;
  readonly store?: HttpStore;
  readonly idleMs?: number;
}

const SWEEP_MS = 60_000;
/** Beyond it the one unused the longest is left to the store. */
const MAX_AT_HAND = 10_000;

/** The sessions of an endpoint: those this process has at hand, and those only the store knows of. */
export class HttpSessions {
  readonly #accept: (connection: Connection, persistence: SessionPersistence) => unknown;
  readonly #store: HttpStore;
  readonly #streamOptions: AnswerStreamOptions;
  /** In the order of their last use. */
  readonly #atHand = new Map<string, LocalSession>();
  readonly #sweep: NodeJS.Timeout;
  /** It stands last already. */
  #lastFound: LocalSession | undefined;

  constructor({ accept, store = memoryStore(), idleMs = 3_600_000 }: HttpSessionsOptions, stream: AnswerStreamOptions) {
    this.#accept = accept;
    this.#store = store;
    this.#streamOptions = stream;
    this.#sweep = setInterval(() => this.#endIdle(idleMs), Math.min(SWEEP_MS, idleMs / 2));
    this.#sweep.unref();
  }

  /** Opens a session with an `initialize`. It exists once the server has agreed to it. False when it takes none. */
  open(arrival: Arrival, request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean> {
    const id = crypto.randomUUID();
    const session = this.#make(id, undefined, () => {
      if (this.#atHand.has(id)) return;
      this.#add(id, session);
      response.setHeader('Mcp-Session-Id', id);
    });
    const taken = session.post(arrival, request, response);
    if (!this.#atHand.has(id)) session.end('The handshake failed');
    return taken;
  }

  /** A session by its id, as every process knows it. */
  find(id: string): LocalSession | undefined | Promise<LocalSession | undefined> {
    const saves = this.#atHand.get(id)?.saves;
    const found = this.#store.find(id) as SessionSnapshot | undefined | Promise<SessionSnapshot | undefined>;
    return isThenable(found)
      ? Promise.resolve(found).then((state) => this.#found(id, state, saves))
      : this.#found(id, found as SessionSnapshot | undefined, saves); // no promise, by the line above
  }

  #found(id: string, state: SessionSnapshot | undefined, saves: number | undefined): LocalSession | undefined {
    const atHand = this.#atHand.get(id);
    if (state === undefined) {
      atHand?.end('The session has ended');
      return undefined;
    }
    if (atHand !== undefined) {
      if (atHand !== this.#lastFound) {
        this.#atHand.delete(id);
        this.#atHand.set(id, atHand);
        this.#lastFound = atHand;
      }
      // What this process has changed meanwhile is newer.
      if (atHand.saves === saves && atHand.recording === undefined) atHand.refresh(state);
      return atHand;
    }
    const session = this.#make(id, state, () => {});
    this.#add(id, session);
    return session;
  }

  async end(id: string): Promise<boolean> {
    const isKnown = (await this.#store.find(id)) !== undefined;
    if (isKnown) await endEverywhere(this.#store, id);
    this.#atHand.get(id)?.end('The session has ended');
    return isKnown;
  }

  /** Sessions stay in the store, for other processes. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    for (const session of [...this.#atHand.values()]) session.end('The server is closing');
  }

  #make(id: string, state: SessionSnapshot | undefined, saved: () => void): LocalSession {
    return new LocalSession(id, this.#store, this.#streamOptions, state, {
      accept: this.#accept,
      saved,
      ended: (session) => {
        if (this.#atHand.get(id) === session) this.#atHand.delete(id);
      },
    });
  }

  #add(id: string, session: LocalSession): void {
    this.#atHand.set(id, session);
    this.#lastFound = session;
    for (const oldest of this.#atHand.values()) {
      if (this.#atHand.size <= MAX_AT_HAND) return;
      if (!oldest.isBusy) oldest.end('Other sessions need the room');
    }
  }

  #endIdle(idleMs: number): void {
    const oldest = Date.now() - idleMs;
    for (const [id, session] of this.#atHand) {
      if (session.isBusy) {
        inBackground(this.#store.find(id)); // so that no other process takes it for unused
      } else if (session.lastUsed <= oldest) {
        session.end('The session was not used for too long');
        inBackground(this.#store.deleteUnused(id, idleMs));
      }
    }
  }
}
