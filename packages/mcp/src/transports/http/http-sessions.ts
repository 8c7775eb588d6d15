import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../../jsonrpc/connection.ts';
import { ConnectionClosed } from '../../jsonrpc/errors.ts';
import type { SessionKeeping, SessionSnapshot } from '../../protocol/session-snapshot.ts';
import { AnswerStream, type AnswerStreamOptions } from './answer-stream.ts';
import { type Arrival, HttpConnection, originOf } from './http-connection.ts';
import type { HttpStore } from './store.ts';
import { memoryStore } from './stores/memory.ts';

export interface HttpSessionsOptions {
  readonly accept: (connection: Connection, keeping: SessionKeeping) => unknown;
  readonly store?: HttpStore;
  readonly idleMs?: number;
}

/** Names of streams that belong to no request. */
const STANDALONE = 'standalone';
/** What the client said to whichever process, for the one that waits for it. */
const INBOX = 'inbox';

const SWEEP_MS = 60_000;

/** The sessions of an endpoint: those this process has at hand, and those only the store knows of. */
export class HttpSessions {
  readonly #accept: (connection: Connection, keeping: SessionKeeping) => unknown;
  readonly #store: HttpStore;
  readonly #streamOptions: AnswerStreamOptions;
  readonly #atHand = new Map<string, HttpSession>();
  readonly #sweep: NodeJS.Timeout;

  constructor({ accept, store = memoryStore(), idleMs = 3_600_000 }: HttpSessionsOptions, stream: AnswerStreamOptions) {
    this.#accept = accept;
    this.#store = store;
    this.#streamOptions = stream;
    this.#sweep = setInterval(() => this.#endIdle(idleMs), Math.min(SWEEP_MS, idleMs));
    this.#sweep.unref();
  }

  /** Opens a session with an `initialize`. It exists once the server has agreed to it. */
  open(arrival: Arrival, request: IncomingMessage, response: ServerResponse): void {
    const id = crypto.randomUUID();
    const session = this.#make(id, undefined, () => {
      if (this.#atHand.has(id)) return;
      this.#atHand.set(id, session);
      response.setHeader('Mcp-Session-Id', id);
    });
    session.post(arrival, request, response);
    if (!this.#atHand.has(id)) session.end('The handshake failed');
  }

  /** A session by its id, as every process knows it. */
  async find(id: string): Promise<HttpSession | undefined> {
    const found = this.#store.find(id);
    const state = (found instanceof Promise ? await found : found) as SessionSnapshot | undefined;
    const atHand = this.#atHand.get(id);
    if (state === undefined) {
      atHand?.end('The session has ended');
      return undefined;
    }
    // Another process may have changed it since.
    if (atHand?.isCurrent(state)) return atHand;
    atHand?.end('Another process goes on with the session');
    const session = this.#make(id, state, () => {});
    this.#atHand.set(id, session);
    return session;
  }

  async end(id: string): Promise<boolean> {
    const session = await this.find(id);
    if (session === undefined) return false;
    await this.#store.delete(id);
    session.end('The client has ended the session');
    return true;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    for (const session of [...this.#atHand.values()]) session.end('The server is closing');
  }

  #make(id: string, state: SessionSnapshot | undefined, saved: () => void): HttpSession {
    const store = this.#store;
    return new HttpSession(id, store, this.#streamOptions, state, {
      accept: this.#accept,
      saved,
      ended: (session) => {
        if (this.#atHand.get(id) === session) this.#atHand.delete(id);
      },
    });
  }

  #endIdle(idleMs: number): void {
    const oldest = Date.now() - idleMs;
    for (const [id, session] of this.#atHand) {
      if (session.lastUsed > oldest || session.hasStreams) continue;
      void this.#store.delete(id);
      session.end('The session was not used for too long');
    }
  }
}

interface HttpSessionHooks {
  readonly accept: (connection: Connection, keeping: SessionKeeping) => unknown;
  readonly saved: () => void;
  readonly ended: (session: HttpSession) => void;
}

/** One session as this process has it. */
export class HttpSession {
  readonly #id: string;
  readonly #store: HttpStore;
  readonly #streamOptions: AnswerStreamOptions;
  readonly #connection: HttpConnection;
  readonly #stopInbox: (() => void)[] = [];
  readonly #following = new Set<AnswerStream>();
  #state: SessionSnapshot | undefined;
  lastUsed = Date.now();

  constructor(
    id: string,
    store: HttpStore,
    streamOptions: AnswerStreamOptions,
    state: SessionSnapshot | undefined,
    hooks: HttpSessionHooks,
  ) {
    this.#id = id;
    this.#store = store;
    this.#streamOptions = streamOptions;
    this.#state = state;
    this.#connection = new HttpConnection(
      (text) => void store.append(id, STANDALONE, { text, last: false }),
      () => {
        for (const stop of this.#stopInbox) stop();
        for (const stream of this.#following) stream.close();
        hooks.ended(this);
      },
    );
    hooks.accept(this.#connection, {
      snapshot: state,
      save: (snapshot) => {
        this.#state = snapshot;
        void store.save(id, snapshot);
        this.#watchInbox();
        hooks.saved();
      },
    });
    if (state !== undefined) this.#watchInbox();
  }

  get hasStreams(): boolean {
    return this.#following.size > 0;
  }

  isCurrent(state: SessionSnapshot): boolean {
    return state === this.#state || JSON.stringify(state) === JSON.stringify(this.#state);
  }

  post(arrival: Arrival, request: IncomingMessage, response: ServerResponse): void {
    this.lastUsed = Date.now();
    if (isForWhoeverWaits(arrival)) {
      void this.#store.append(this.#id, INBOX, { text: JSON.stringify(arrival.message), last: false });
      response.writeHead(202).end();
      return;
    }
    const name = crypto.randomUUID();
    const version = request.headers['mcp-protocol-version'];
    const stream = new AnswerStream(response, {
      ...this.#streamOptions,
      log: (text, last) => this.#store.append(this.#id, name, { text, last }),
      primes: typeof version === 'string' && version >= '2025-11-25',
    });
    if (!this.#connection.deliver(arrival, stream, originOf(request, stream))) response.writeHead(202).end();
  }

  /** Sends the events of a stream as they come: what follows the last one seen, or what belongs to no request. */
  async follow(lastEventId: string | undefined, response: ServerResponse): Promise<boolean> {
    this.lastUsed = Date.now();
    const name = lastEventId === undefined ? STANDALONE : await this.#store.streamOf(this.#id, lastEventId);
    if (name === undefined) return false;
    let stop = () => {};
    const stream: AnswerStream = new AnswerStream(response, {
      ...this.#streamOptions,
      onDone: (done) => {
        stop();
        this.#following.delete(done);
        this.lastUsed = Date.now();
        this.#streamOptions.onDone?.(done);
      },
    });
    this.#following.add(stream);
    stream.openEvents();
    stop = this.#store.follow(this.#id, name, lastEventId, (event) => {
      if (event.text !== '') stream.forward(event);
    });
    return true;
  }

  end(reason: string): void {
    this.#connection.end(new ConnectionClosed(reason));
  }

  #watchInbox(): void {
    if (this.#stopInbox.length > 0) return;
    this.#stopInbox.push(this.#store.follow(this.#id, INBOX, undefined, ({ text }) => this.#connection.take(text)));
  }
}

/** An answer, or a cancellation: only the process that asked, or is being asked, can use it. */
function isForWhoeverWaits(arrival: Arrival): arrival is Arrival & { readonly kind: 'message' } {
  if (arrival.kind !== 'message') return false;
  return arrival.message.method === undefined || arrival.message.method === 'notifications/cancelled';
}
