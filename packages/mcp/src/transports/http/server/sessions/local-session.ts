import type { Arrival } from '../../../../jsonrpc/codec.ts';
import { ConnectionClosed } from '../../../../jsonrpc/errors.ts';
import { isThenable, whenKnown } from '../../../../jsonrpc/thenable.ts';
import type { ChangeMark } from '../../../../protocol/change-mark.ts';
import type { Origin } from '../../../../protocol/origin.ts';
import { findRevision } from '../../../../protocol/revisions/all.ts';
import type { SessionSnapshot } from '../../../../protocol/session-snapshot.ts';
import type { NewEvent, StopFollower, StoredState } from '../../store.ts';
import type { HttpCall } from '../http-call.ts';
import { Burst } from '../responses/burst.ts';
import { ResponseStream, type ResponseStreamOwner } from '../responses/response-stream.ts';
import { describeFailure } from '../status.ts';
import { forwardEvents } from './forward-events.ts';
import { HttpConnection, type UnrelatedMessages } from './http-connection.ts';
import type { HttpSessions } from './http-sessions.ts';
import { inBackground, untilDone } from './in-background.ts';
import { routed } from './routed-messages.ts';
import { INBOX, SessionInbox } from './session-inbox.ts';
import { SessionSaver } from './session-saver.ts';

/** The stream of messages that belong to no request. */
const STANDALONE = 'standalone';

const DIED =
  'the process that worked on this request has died. Part of the work may be done; send it again if that is safe';

/** Characters of a UUID, with 48 random bits. The name is short because it is looked up with each event. */
const PREFIX_LENGTH = 13;

interface SessionIdentity {
  readonly id: string;
  /** The id of the principal that opened it. */
  readonly owner: string | undefined;
  /** The client that limits count by. */
  readonly client: string | undefined;
}

/** Stay empty: a session of a client that only calls tools needs none of them. Those that are needed are made then. */
const NO_STREAMS: ReadonlySet<ResponseStream> = new Set();

/** One session in this process. A server may have ten thousand, so it makes few objects. */
export class LocalSession implements ResponseStreamOwner, UnrelatedMessages {
  readonly id: string;
  readonly owner: string | undefined;
  readonly client: string | undefined;
  readonly #sessions: HttpSessions;
  readonly #connection: HttpConnection;
  readonly #saver: SessionSaver;
  /** The open streams of calls, by their names in the store. */
  #calls: Map<string, ResponseStream> | undefined;
  #following: Set<ResponseStream> | undefined;
  /** HTTP responses that closed before their JSON-RPC response, and when the client was last connected to them. */
  #lost: Map<ResponseStream, number> | undefined;
  readonly #inbox: SessionInbox;
  #burst: Burst | undefined;
  #catchUp: ((snapshot: SessionSnapshot) => void) | undefined;
  #appending: unknown;
  /** The errors that calls got when the session ended here, until the store has them. */
  #lastResponses: Promise<unknown>[] | undefined;
  #leaving = false;
  #namePrefix: string | undefined;
  #named = 0;
  lastUsed = Date.now();
  /** Whether the client has ever followed a stream. */
  hadStream = false;

  /** `found` is what the store has of a session that was opened before. */
  constructor(sessions: HttpSessions, identity: SessionIdentity, found?: StoredState) {
    this.id = identity.id;
    this.owner = identity.owner;
    this.client = identity.client;
    this.#sessions = sessions;
    this.#saver = new SessionSaver(sessions, this, found);
    this.#inbox = new SessionInbox(sessions.store, this);
    this.#connection = new HttpConnection(this);
    sessions.server.connect(this.#connection, {
      snapshot: this.#saver.snapshot,
      position: found?.position,
      save: (changed) => {
        this.#saver.save(changed);
        this.#inbox.open(this.#saver.saving);
        sessions.saved(this);
      },
      follow: (catchUp) => {
        this.#catchUp = catchUp;
      },
    });
    if (found !== undefined) this.#inbox.open(this.#saver.saving);
  }

  /** For the state in the store: another process has changed it. */
  changed(snapshot: SessionSnapshot): void {
    this.#catchUp?.(snapshot);
  }

  failed(error: Error): void {
    this.#sessions.streamOptions.onError(error);
  }

  /** For the inbox: a message of the client that this or another process received. */
  received(text: string, eventId: string): void {
    const { store } = this.#sessions;
    const streams = this.#connection.take(text);
    if (streams === undefined) return;
    // Only the process that has asked has no more use for the response.
    this.#inBackground(() => store.erase?.(this.id, eventId));
    for (const stream of streams) stream.hasArrived = true;
  }

  /** For the connection, like the next four: a message that belongs to no request of the client. */
  send(text: string, change: ChangeMark | undefined): void {
    const { maxBurstBytes, onError } = this.#sessions.streamOptions;
    this.#burst ??= new Burst(maxBurstBytes, onError);
    this.#burst.add(text.length);
    this.#appending = this.#appendStandalone({ text, last: false, change });
  }

  get followed(): ReadonlySet<ResponseStream> {
    return this.#following ?? NO_STREAMS;
  }

  dropsNotification(): boolean {
    return this.#burst?.drops() === true;
  }

  async drained(): Promise<void> {
    await this.#appending;
    await Promise.all([...this.followed].map((stream) => stream.drained()));
  }

  closed(): void {
    this.#inbox.close();
    for (const stream of this.followed) stream.close();
    // The server ended the session, so it ends in every process.
    if (!this.#leaving) this.#delete();
    this.#sessions.ended(this);
  }

  /** Whether a client has a response open. */
  get isBusy(): boolean {
    return this.followed.size > 0 || this.#connection.isAwaited;
  }

  /** Settles when messages that other processes receive reach this one; undefined if they do. */
  get watching(): Promise<void> | undefined {
    return this.#inbox.opening;
  }

  /** Takes over what another process may have changed. */
  refresh(found: StoredState): void {
    this.#saver.refresh(found);
  }

  /** Calls the listener once, when no request that was posted is open. */
  whenResponded(listener: () => void): void {
    this.#connection.whenResponded(listener);
  }

  /** False when the session has ended. */
  post(arrival: Arrival, origin: Origin, call: HttpCall): boolean | Promise<boolean> {
    if (!this.#connection.isOpen) return false;
    this.lastUsed = Date.now();
    const { texts, rest } = routed(arrival, this.#saver.snapshot?.protocolVersion);
    const routing = texts.length > 0 ? this.#inbox.add(texts) : undefined;
    if (rest !== undefined && this.#deliver(rest, origin, call)) {
      this.#inBackground(() => routing);
      return true;
    }
    return this.#accepted(routing, call);
  }

  /** The client's next request may reach another process, so everything must be saved first. */
  async #accepted(routing: Promise<boolean> | undefined, call: HttpCall): Promise<boolean> {
    const isRouted = routing === undefined || (await routing);
    if (!isRouted) return false;
    const { recording } = this;
    if (recording !== undefined) await recording;
    call.send(202, {}, '');
    return true;
  }

  /**
   * Sends the events of a stream as they are added: those after the given event, or those that belong to no request.
   * False when the event is unknown.
   */
  async follow(lastEventId: string | undefined, call: HttpCall): Promise<boolean> {
    this.lastUsed = Date.now();
    const { store } = this.#sessions;
    const place =
      lastEventId === undefined ? { stream: STANDALONE, last: false } : await store.locate(this.id, lastEventId);
    if (place === undefined || place.stream === INBOX) return false;
    let stop: StopFollower = () => {};
    const stream: ResponseStream = new ResponseStream(call, this.#sessions.streamOptions, {
      onDone: (done) => {
        stop(isBroken(done));
        this.#following?.delete(done);
        this.lastUsed = Date.now();
      },
    });
    stream.name = place.stream;
    this.#following ??= new Set();
    this.#following.add(stream);
    this.hadStream = true;
    stream.watch();
    if (!place.last) {
      this.#calls?.get(place.stream)?.close();
      const start = lastEventId === undefined ? 'undelivered' : { after: lastEventId };
      stop = await forwardEvents(this, store, place.stream, start, stream);
      if (stream.isGone) stop(isBroken(stream));
    }
    stream.openEvents();
    if (place.last) stream.close();
    return true;
  }

  /** For the streams of calls, like the following members. */
  log(stream: ResponseStream, text: string, last: boolean): string | undefined | Promise<string | undefined> {
    const id = this.#sessions.store.append(this.id, this.#nameOf(stream), this.#eventOf(stream, text, last));
    if (!isThenable(id)) return this.#logged(stream, id, last);
    const logged = Promise.resolve(id).then((known) => this.#logged(stream, known, last));
    if (!this.#connection.isOpen) {
      this.#lastResponses ??= [];
      this.#lastResponses.push(logged);
    }
    return logged;
  }

  fail(stream: ResponseStream, error: Error): string {
    const text = this.#connection.failureText(stream, describeFailure(error, 'the session store failed'));
    const { name } = stream;
    if (name !== undefined && stream.isLogged) {
      this.#untilDone(() => this.#sessions.store.append(this.id, name, { text, last: true }));
    }
    this.#connection.cancel(stream, error.message);
    return text;
  }

  get primes(): boolean {
    const { snapshot } = this.#saver;
    return snapshot !== undefined && findRevision(snapshot.protocolVersion)?.primedStreams === true;
  }

  /** A change made here that the store has not saved yet. */
  get recording(): Promise<unknown> | undefined {
    const { saving } = this.#saver;
    return saving === undefined ? this.watching : Promise.all([saving, this.watching]);
  }

  onOpen(stream: ResponseStream): void {
    this.#calls ??= new Map();
    this.#calls.set(this.#nameOf(stream), stream);
  }

  onDone(stream: ResponseStream): void {
    if (stream.name !== undefined) this.#calls?.delete(stream.name);
    if (stream.hasResponded) return;
    this.#lost ??= new Map();
    this.#lost.set(stream, Date.now());
  }

  /** Cancels the requests whose clients left before this time and have not come back for the response. */
  cancelLost(before: number): void {
    const lost = this.#lost;
    if (lost === undefined) return;
    for (const [stream, since] of lost) {
      const isFollowed = [...this.followed].some(({ name }) => name !== undefined && name === stream.name);
      if (!this.#connection.isPending(stream)) lost.delete(stream);
      else if (isFollowed) lost.set(stream, Date.now());
      else if (since <= before) {
        this.#connection.cancel(stream, 'The client has gone');
        stream.end();
      }
    }
  }

  /** Settles when the store has the responses to calls that ended with the session, or cannot have them. */
  get settled(): Promise<unknown> | undefined {
    return this.#lastResponses && Promise.allSettled(this.#lastResponses);
  }

  /** Ends it in this process; another may still have it. */
  end(reason: string): void {
    this.#leaving = true;
    this.#connection.end(new ConnectionClosed(reason));
  }

  #deliver(arrival: Arrival, origin: Origin, call: HttpCall): boolean {
    const stream = new ResponseStream(call, this.#sessions.streamOptions, this);
    const hasResponded = this.#connection.deliver(arrival, stream, origin);
    if (hasResponded && !stream.hasResponded) stream.watch();
    return hasResponded;
  }

  /** A name that no other process gives to a stream of this session. A plain response needs none. */
  #nameOf(stream: ResponseStream): string {
    if (stream.name === undefined) {
      this.#namePrefix ??= crypto.randomUUID().slice(0, PREFIX_LENGTH);
      this.#named += 1;
      stream.name = `${this.#namePrefix}-${this.#named}`;
    }
    return stream.name;
  }

  #eventOf(stream: ResponseStream, text: string, last: boolean): NewEvent {
    if (last || stream.isLogged) return { text, last };
    stream.isLogged = true;
    const { lease } = this.#sessions;
    this.#inBackground(() => lease.start());
    const failureText = () => this.#connection.failureText(stream, DIED);
    return { text, last, call: { process: lease.process, failureText } };
  }

  #logged(stream: ResponseStream, id: string | undefined, last: boolean): string | undefined {
    if (id === undefined && !last) this.#inBackground(() => this.#endUnlogged(stream));
    return id;
  }

  /** Another process has ended the call, because this one did not renew its lease in time; or the session is gone. */
  async #endUnlogged(stream: ResponseStream): Promise<void> {
    if ((await this.#sessions.store.find(this.id)) === undefined) this.end('The session is gone');
    this.#connection.cancel(stream, 'The call was ended');
    stream.cutOff();
  }

  /** Ends the session if the event cannot be added: a client must notice that it misses something. */
  #appendStandalone(event: NewEvent): unknown {
    const failed = (error: Error) => {
      this.#sessions.streamOptions.onError(error);
      this.end('A message to the client could not be saved');
      this.#delete();
    };
    const added = (id: string | undefined) => {
      if (id === undefined) this.end('The session is gone');
    };
    return inBackground(() => whenKnown(this.#sessions.store.append(this.id, STANDALONE, event), added), failed);
  }

  #delete(): void {
    this.#untilDone(() => this.#sessions.store.delete(this.id));
  }

  #untilDone(work: () => unknown): void {
    void untilDone(work, this.#sessions.closing, this.#sessions.streamOptions.onError);
  }

  #inBackground(work: () => unknown): unknown {
    return inBackground(work, this.#sessions.streamOptions.onError);
  }
}

/** Whether the client may have got no event of the stream, and so no id to come back with. */
function isBroken(stream: ResponseStream): boolean {
  return !stream.hasResponded && !stream.hasArrived;
}
