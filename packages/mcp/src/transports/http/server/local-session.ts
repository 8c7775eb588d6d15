import { asError, ConnectionClosed } from '../../../jsonrpc/errors.ts';
import { isThenable } from '../../../jsonrpc/thenable.ts';
import type { ServedRequests } from '../../../protocol/exchange.ts';
import type { Origin } from '../../../protocol/origin.ts';
import { findRevision } from '../../../protocol/revisions/all.ts';
import type { SessionSnapshot } from '../../../protocol/session-snapshot.ts';
import type { HttpStore } from '../store.ts';
import { AnswerStream, type AnswerStreamOptions, type AnswerStreamOwner } from './answer-stream.ts';
import type { Arrival } from './arrival.ts';
import { Burst } from './burst.ts';
import type { HttpCall } from './http-call.ts';
import { HttpConnection } from './http-connection.ts';
import { routed } from './routed-messages.ts';

/** The stream of messages that belong to no request. */
const STANDALONE = 'standalone';
/** The stream of messages from the client that another process may be waiting for. */
const INBOX = 'inbox';

/** Of a UUID: 48 random bits. The name is short because it is looked up with each event. */
const PREFIX_LENGTH = 13;

/** A session as the store keeps it; plain JSON. */
export interface StoredSession {
  readonly snapshot: SessionSnapshot;
  /** The id of the principal that opened it, and the only one that may use it. */
  readonly owner?: string | undefined;
}

export interface SessionSetting {
  readonly id: string;
  readonly store: HttpStore;
  readonly server: ServedRequests;
  readonly streamOptions: AnswerStreamOptions;
  /** What is known of a session that was opened before. */
  readonly snapshot: SessionSnapshot | undefined;
  readonly owner: string | undefined;
  readonly saved: () => void;
  readonly ended: (session: LocalSession) => void;
}

/** One session in this process. */
export class LocalSession implements AnswerStreamOwner {
  readonly #setting: SessionSetting;
  readonly #store: HttpStore;
  readonly #connection: HttpConnection;
  /** The open streams of calls, by their names in the store. */
  readonly #calls = new Map<string, AnswerStream>();
  readonly #following = new Set<AnswerStream>();
  /** Responses that closed before their answer, with the time of that or of the last look at their resumed stream. */
  readonly #lost = new Map<AnswerStream, number>();
  #stopInbox: (() => void) | undefined;
  #catchUp: ((snapshot: SessionSnapshot) => void) | undefined;
  #snapshot: SessionSnapshot | undefined;
  #saving: Promise<unknown> | undefined;
  #appending: unknown;
  #leaving = false;
  #namePrefix: string | undefined;
  #named = 0;
  /** How often this process has changed the session. */
  saves = 0;
  lastUsed = Date.now();
  /** Whether the client has ever followed a stream. */
  hadStream = false;

  constructor(setting: SessionSetting) {
    const { id, store, server, snapshot, saved, ended } = setting;
    this.#setting = setting;
    this.#store = store;
    this.#snapshot = snapshot;
    const burst = new Burst(setting.streamOptions.maxBurstBytes);
    this.#connection = new HttpConnection(
      {
        get isFlooded() {
          return burst.isOver;
        },
        send: (text) => {
          burst.add(text.length);
          this.#appending = this.#inBackground(() => store.append(id, STANDALONE, { text, last: false }));
        },
        drained: () => this.#drained(),
      },
      () => {
        this.#stopInbox?.();
        for (const stream of this.#following) stream.close();
        // The server ended the session, so it ends in every process.
        if (!this.#leaving) this.#inBackground(() => endEverywhere(store, id));
        ended(this);
      },
    );
    server.connect(this.#connection, {
      snapshot,
      save: (changed) => {
        this.#save(changed);
        saved();
      },
      follow: (catchUp) => {
        this.#catchUp = catchUp;
      },
    });
    if (snapshot !== undefined) this.#watchInbox();
  }

  get owner(): string | undefined {
    return this.#setting.owner;
  }

  /** Whether a client has a response open. */
  get isBusy(): boolean {
    return this.#following.size > 0 || this.#connection.isAwaited;
  }

  /** Takes over what another process may have changed. */
  refresh(snapshot: SessionSnapshot): void {
    if (snapshot === this.#snapshot || JSON.stringify(snapshot) === JSON.stringify(this.#snapshot)) return;
    this.#snapshot = snapshot;
    this.#catchUp?.(snapshot);
  }

  /** False when the session has ended. */
  post(arrival: Arrival, origin: Origin, call: HttpCall): boolean | Promise<boolean> {
    if (!this.#connection.isOpen) return false;
    this.lastUsed = Date.now();
    const { texts, rest } = routed(arrival, this.#snapshot?.protocolVersion);
    const routing = texts.length > 0 ? this.#route(texts) : undefined;
    if (rest !== undefined && this.#deliver(rest, origin, call)) {
      this.#inBackground(() => routing);
      return true;
    }
    return this.#accepted(routing, call);
  }

  /** The client's next request may reach another process, so everything must be saved first. */
  async #accepted(routing: Promise<unknown> | undefined, call: HttpCall): Promise<boolean> {
    if (routing !== undefined) await routing;
    if (this.#saving !== undefined) await this.#saving;
    call.send(202, {}, '');
    return true;
  }

  /**
   * Sends the events of a stream as they are added: those after the given event, or those that belong to no request.
   * False when the event is unknown.
   */
  async follow(lastEventId: string | undefined, call: HttpCall): Promise<boolean> {
    this.lastUsed = Date.now();
    const { id } = this.#setting;
    const place =
      lastEventId === undefined ? { stream: STANDALONE, last: false } : await this.#store.locate(id, lastEventId);
    if (place === undefined || place.stream === INBOX) return false;
    let stop = () => {};
    const stream: AnswerStream = new AnswerStream(call, this.#setting.streamOptions, {
      onDone: (done) => {
        stop();
        this.#following.delete(done);
        this.lastUsed = Date.now();
      },
    });
    stream.name = place.stream;
    this.#following.add(stream);
    this.hadStream = true;
    stream.openEvents();
    if (place.last) stream.close();
    else stop = this.#forwardTo(stream, place.stream, lastEventId);
    return true;
  }

  /** For the streams of calls, like the following members. */
  log(stream: AnswerStream, text: string, last: boolean): string | Promise<string> {
    return this.#store.append(this.#setting.id, this.#nameOf(stream), { text, last });
  }

  get primes(): boolean {
    return this.#snapshot !== undefined && findRevision(this.#snapshot.protocolVersion)?.primedStreams === true;
  }

  /** A change made here that the store has not saved yet. */
  get recording(): Promise<unknown> | undefined {
    return this.#saving;
  }

  onOpen(stream: AnswerStream): void {
    this.#calls.set(this.#nameOf(stream), stream);
  }

  onDone(stream: AnswerStream): void {
    if (stream.name !== undefined) this.#calls.delete(stream.name);
    if (!stream.isAnswered) this.#lost.set(stream, Date.now());
  }

  /** Cancels the requests whose clients left before this time and have not come back for the answer. */
  cancelLost(before: number): void {
    for (const [stream, since] of this.#lost) {
      const open = this.#connection.requestsOn(stream);
      const isFollowed = [...this.#following].some(({ name }) => name !== undefined && name === stream.name);
      if (open.length === 0) this.#lost.delete(stream);
      else if (isFollowed) this.#lost.set(stream, Date.now());
      else if (since <= before) for (const id of open) this.#connection.cancel(id);
    }
  }

  /** Ends it in this process; another may still have it. */
  end(reason: string): void {
    this.#leaving = true;
    this.#connection.end(new ConnectionClosed(reason));
  }

  #deliver(arrival: Arrival, origin: Origin, call: HttpCall): boolean {
    const stream = new AnswerStream(call, this.#setting.streamOptions, this);
    const isAnswered = this.#connection.deliver(arrival, stream, origin);
    if (isAnswered && !stream.isAnswered) stream.watch();
    return isAnswered;
  }

  async #drained(): Promise<void> {
    await this.#appending;
    await Promise.all([...this.#following].map((stream) => stream.drained()));
  }

  /** A name that no other process gives to a stream of this session. A plain answer needs none. */
  #nameOf(stream: AnswerStream): string {
    if (stream.name === undefined) {
      this.#namePrefix ??= crypto.randomUUID().slice(0, PREFIX_LENGTH);
      this.#named += 1;
      stream.name = `${this.#namePrefix}-${this.#named}`;
    }
    return stream.name;
  }

  /** Each message goes to one response only: the newest that follows the stream. */
  #forwardTo(stream: AnswerStream, name: string, lastEventId: string | undefined): () => void {
    const { id } = this.#setting;
    const turn = `turn ${crypto.randomUUID()}`;
    let hasTurn = false;
    this.#calls.get(name)?.close();
    const stop = this.#store.follow(id, name, lastEventId, (event) => {
      if (isMessage(event.text)) hasTurn ? stream.forward(event) : stream.replay(event);
      else if (event.last || (hasTurn && event.text !== turn)) stream.close();
      else if (event.text === turn) {
        hasTurn = true;
        if (this.primes) stream.prime(event.id);
      }
    });
    // The response that followed the stream until now, in any process, sees this event and ends.
    if (!stream.isGone) this.#inBackground(() => this.#store.append(id, name, { text: turn, last: false }));
    return stop;
  }

  #save(snapshot: SessionSnapshot): void {
    this.#snapshot = snapshot;
    this.saves += 1;
    const stored: StoredSession = { snapshot, owner: this.owner };
    const saved = this.#store.save(this.#setting.id, stored);
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
    this.#inBackground(() => {
      this.#stopInbox ??= this.#store.follow(this.#setting.id, INBOX, undefined, ({ text, last }) => {
        if (last) this.end('The session was ended');
        else this.#connection.take(text);
      });
    });
  }

  #route(texts: readonly string[]): Promise<unknown> {
    return Promise.all(texts.map((text) => this.#store.append(this.#setting.id, INBOX, { text, last: false })));
  }

  #inBackground(work: () => unknown): unknown {
    return inBackground(work, this.#setting.streamOptions.onError);
  }
}

/** Ends a session in every process, and deletes it. */
export async function endEverywhere(store: HttpStore, id: string): Promise<void> {
  await store.append(id, INBOX, { text: '', last: true });
  await store.delete(id);
}

/** For work of the store that no request waits for: its failures are reported. The result never rejects. */
export function inBackground(work: () => unknown, onError: (error: Error) => void): unknown {
  const failed = (error: unknown) => onError(asError(error));
  try {
    const outcome = work();
    return isThenable(outcome) ? outcome.then(undefined, failed) : undefined;
  } catch (error) {
    failed(error);
    return undefined;
  }
}

/** Other events are signals between processes. */
function isMessage(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[');
}
