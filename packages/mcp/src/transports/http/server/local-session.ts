import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../../../jsonrpc/connection.ts';
import { ConnectionClosed } from '../../../jsonrpc/errors.ts';
import type { Malformed, Message } from '../../../jsonrpc/message.ts';
import { isThenable } from '../../../jsonrpc/thenable.ts';
import { findRevision } from '../../../protocol/revisions/all.ts';
import type { SessionPersistence, SessionSnapshot } from '../../../protocol/session-snapshot.ts';
import type { HttpStore } from '../store.ts';
import { AnswerStream, type AnswerStreamOptions, type AnswerStreamOwner } from './answer-stream.ts';
import { type Arrival, HttpConnection, HttpOrigin } from './http-connection.ts';

/** The stream of what belongs to no request. */
const STANDALONE = 'standalone';
/** What the client said to whichever process, for the one that waits for it. */
const INBOX = 'inbox';

/** Of a UUID: 48 random bits, and names that are short, because they are looked up with each event. */
const PREFIX_LENGTH = 13;

export interface SessionHooks {
  readonly accept: (connection: Connection, persistence: SessionPersistence) => unknown;
  readonly saved: () => void;
  readonly ended: (session: LocalSession) => void;
}

/** One session as this process has it. */
export class LocalSession implements AnswerStreamOwner {
  readonly #id: string;
  readonly #store: HttpStore;
  readonly #streamOptions: AnswerStreamOptions;
  readonly #connection: HttpConnection;
  /** The open streams of calls, by their names in the store. */
  readonly #calls = new Map<string, AnswerStream>();
  readonly #following = new Set<AnswerStream>();
  #stopInbox: (() => void) | undefined;
  #catchUp: ((snapshot: SessionSnapshot) => void) | undefined;
  #state: SessionSnapshot | undefined;
  #saving: Promise<unknown> | undefined;
  #leaving = false;
  #namePrefix: string | undefined;
  #named = 0;
  /** How often this process has changed it. */
  saves = 0;
  lastUsed = Date.now();

  constructor(
    id: string,
    store: HttpStore,
    streamOptions: AnswerStreamOptions,
    state: SessionSnapshot | undefined,
    hooks: SessionHooks,
  ) {
    this.#id = id;
    this.#store = store;
    this.#streamOptions = streamOptions;
    this.#state = state;
    this.#connection = new HttpConnection(
      (text) => inBackground(store.append(id, STANDALONE, { text, last: false })),
      () => {
        this.#stopInbox?.();
        for (const stream of this.#following) stream.close();
        // A server that ends a session means it, wherever the client turns next.
        if (!this.#leaving) inBackground(endEverywhere(store, id));
        hooks.ended(this);
      },
    );
    hooks.accept(this.#connection, {
      snapshot: state,
      save: (snapshot) => {
        this.#save(snapshot);
        hooks.saved();
      },
      follow: (catchUp) => {
        this.#catchUp = catchUp;
      },
    });
    if (state !== undefined) this.#watchInbox();
  }

  /** Whether a client has a response open. */
  get isBusy(): boolean {
    return this.#following.size > 0 || this.#connection.isAwaited;
  }

  /** Takes over what another process may have changed. */
  refresh(state: SessionSnapshot): void {
    if (state === this.#state || JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#catchUp?.(state);
  }

  /** False when the session has ended. */
  post(arrival: Arrival, request: IncomingMessage, response: ServerResponse): boolean | Promise<boolean> {
    if (!this.#connection.isOpen) return false;
    this.lastUsed = Date.now();
    const { routedMessages, rest } = this.#sortOut(arrival);
    const handedOn = routedMessages.length > 0 ? this.#handOn(routedMessages) : undefined;
    inBackground(handedOn);
    if (rest !== undefined && this.#deliver(rest, request, response)) return true;
    return this.#accepted(handedOn, response);
  }

  /** Whatever the client does next may reach another process, so all must be on record. */
  async #accepted(handedOn: Promise<unknown> | undefined, response: ServerResponse): Promise<boolean> {
    if (handedOn !== undefined) await handedOn;
    if (this.#saving !== undefined) await this.#saving;
    response.writeHead(202).end();
    return true;
  }

  /**
   * Sends the events of a stream as they come: what follows the last one seen, or what belongs to no request. False
   * when that event is not known.
   */
  async follow(lastEventId: string | undefined, response: ServerResponse): Promise<boolean> {
    this.lastUsed = Date.now();
    const place =
      lastEventId === undefined ? { stream: STANDALONE, last: false } : await this.#store.locate(this.#id, lastEventId);
    if (place === undefined || place.stream === INBOX) return false;
    let stop = () => {};
    const stream: AnswerStream = new AnswerStream(response, this.#streamOptions, {
      onDone: (done) => {
        stop();
        this.#following.delete(done);
        this.lastUsed = Date.now();
      },
    });
    this.#following.add(stream);
    stream.openEvents();
    if (place.last) stream.close();
    else stop = this.#forwardTo(stream, place.stream, lastEventId);
    return true;
  }

  /** Called by the stream of a call, like the four that follow. */
  log(stream: AnswerStream, text: string, last: boolean): string | Promise<string> {
    return this.#store.append(this.#id, this.#nameOf(stream), { text, last });
  }

  get primes(): boolean {
    return this.#state !== undefined && this.#state.protocolVersion >= '2025-11-25';
  }

  /** A change made here that is still on its way into the store. */
  get recording(): Promise<unknown> | undefined {
    return this.#saving;
  }

  onOpen(stream: AnswerStream): void {
    this.#calls.set(this.#nameOf(stream), stream);
  }

  onDone(stream: AnswerStream): void {
    this.#calls.delete(this.#nameOf(stream));
  }

  /** This process goes on without it; another may still have it. */
  end(reason: string): void {
    this.#leaving = true;
    this.#connection.end(new ConnectionClosed(reason));
  }

  #deliver(arrival: Arrival, request: IncomingMessage, response: ServerResponse): boolean {
    const stream = new AnswerStream(response, this.#streamOptions, this);
    const isAsked = this.#connection.deliver(arrival, stream, new HttpOrigin(request, stream));
    if (isAsked && !stream.isAnswered) stream.watch();
    return isAsked;
  }

  /** Unlike that of any other process that serves this session. A plain answer needs none. */
  #nameOf(stream: AnswerStream): string {
    if (stream.name === undefined) {
      this.#namePrefix ??= crypto.randomUUID().slice(0, PREFIX_LENGTH);
      this.#named += 1;
      stream.name = `${this.#namePrefix}-${this.#named}`;
    }
    return stream.name;
  }

  /** Each message goes to one response only: the newest that asks for the stream. */
  #forwardTo(stream: AnswerStream, name: string, lastEventId: string | undefined): () => void {
    const turn = `turn ${crypto.randomUUID()}`;
    let hasTurn = false;
    this.#calls.get(name)?.close();
    const stop = this.#store.follow(this.#id, name, lastEventId, (event) => {
      if (isMessage(event.text)) hasTurn ? stream.forward(event) : stream.replay(event);
      else if (event.last || (hasTurn && event.text !== turn)) stream.close();
      else if (event.text === turn) {
        hasTurn = true;
        if (this.primes) stream.prime(event.id);
      }
    });
    // Whoever has followed the stream until now, in whichever process, sees this and ends.
    if (!stream.isGone) inBackground(this.#store.append(this.#id, name, { text: turn, last: false }));
    return stop;
  }

  #save(snapshot: SessionSnapshot): void {
    this.#state = snapshot;
    this.saves += 1;
    const saved = this.#store.save(this.#id, snapshot);
    if (isThenable(saved)) {
      const saving = Promise.all([this.#saving, saved]);
      this.#saving = saving;
      const settled = () => {
        if (this.#saving === saving) this.#saving = undefined;
      };
      saving.then(settled, settled);
    }
    this.#watchInbox();
  }

  #watchInbox(): void {
    this.#stopInbox ??= this.#store.follow(this.#id, INBOX, undefined, ({ text, last }) => {
      if (last) this.end('The session was ended');
      else this.#connection.take(text);
    });
  }

  #handOn(messages: readonly Message[]): Promise<unknown> {
    const events = messages.map((message) => ({ text: JSON.stringify(message), last: false }));
    return Promise.all(events.map((event) => this.#store.append(this.#id, INBOX, event)));
  }

  /** An answer, or a cancellation: only the process that asked, or is being asked, can use it. */
  #sortOut(arrival: Arrival): { readonly routedMessages: readonly Message[]; readonly rest: Arrival | undefined } {
    if (arrival.kind === 'message' && isRouted(arrival.message)) {
      return { routedMessages: [arrival.message], rest: undefined };
    }
    const batches = this.#state !== undefined && findRevision(this.#state.protocolVersion)?.batches === true;
    if (arrival.kind !== 'batch' || !batches) return { routedMessages: [], rest: arrival };
    const routedMessages = arrival.items.filter(isRouted);
    const items = arrival.items.filter((item) => !isRouted(item));
    const isDone = routedMessages.length > 0 && items.length === 0;
    return { routedMessages, rest: isDone ? undefined : { kind: 'batch', items } };
  }
}

/** Tells every process that a session is over, and forgets it. */
export async function endEverywhere(store: HttpStore, id: string): Promise<void> {
  await store.append(id, INBOX, { text: '', last: true });
  await store.delete(id);
}

/** For what nobody waits for: a store that fails has failed those who wait already. */
export function inBackground(work: unknown): void {
  if (isThenable(work)) work.then(undefined, () => {});
}

function isRouted(item: Message | Malformed): item is Message {
  if (!('jsonrpc' in item)) return false;
  return item.method === undefined || item.method === 'notifications/cancelled';
}

/** Other events are signs for followers. */
function isMessage(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[');
}
