import { ConnectionClosed } from '../../../../jsonrpc/errors.ts';
import { isThenable } from '../../../../jsonrpc/thenable.ts';
import type { Origin } from '../../../../protocol/origin.ts';
import { findRevision } from '../../../../protocol/revisions/all.ts';
import type { SessionSnapshot } from '../../../../protocol/session-snapshot.ts';
import type { ServedRequests } from '../../../../protocol/stateless-response.ts';
import type { HttpStore, NewEvent, StoredState } from '../../store.ts';
import type { Arrival } from '../arrival.ts';
import type { HttpCall } from '../http-call.ts';
import { Burst } from '../responses/burst.ts';
import { forwardEvents } from '../responses/forward-events.ts';
import { ResponseStream, type ResponseStreamOptions, type ResponseStreamOwner } from '../responses/response-stream.ts';
import { describeFailure } from '../status.ts';
import type { Heartbeat } from './heartbeat.ts';
import { HttpConnection } from './http-connection.ts';
import { inBackground, untilDone } from './in-background.ts';
import { routed } from './routed-messages.ts';
import { INBOX, SessionInbox } from './session-inbox.ts';
import { SessionState } from './session-state.ts';

/** The stream of messages that belong to no request. */
const STANDALONE = 'standalone';

const DIED =
  'the process that worked on this request has died. Part of the work may be done; send it again if that is safe';

/** Characters of a UUID, with 48 random bits. The name is short because it is looked up with each event. */
const PREFIX_LENGTH = 13;

/** What the sessions of an endpoint share. */
export interface SessionsSetting {
  readonly store: HttpStore;
  readonly server: ServedRequests;
  readonly streamOptions: ResponseStreamOptions;
  /** Milliseconds for which the store keeps a session that no process uses. */
  readonly keepMs: number;
  readonly heartbeat: Heartbeat;
  /** Aborts when the endpoint closes. */
  readonly closing: AbortSignal;
}

export interface SessionSetting extends SessionsSetting {
  readonly id: string;
  /** What the store has of a session that was opened before. */
  readonly found: StoredState | undefined;
  readonly owner: string | undefined;
  /** The client that limits count by. */
  readonly client: string | undefined;
  readonly saved: () => void;
  readonly ended: (session: LocalSession) => void;
}

/** One session in this process. */
export class LocalSession implements ResponseStreamOwner {
  readonly #setting: SessionSetting;
  readonly #store: HttpStore;
  readonly #connection: HttpConnection;
  readonly #state: SessionState;
  /** The open streams of calls, by their names in the store. */
  readonly #calls = new Map<string, ResponseStream>();
  readonly #following = new Set<ResponseStream>();
  /** HTTP responses that closed before their JSON-RPC response, and when the client was last connected to them. */
  readonly #lost = new Map<ResponseStream, number>();
  readonly #inbox: SessionInbox;
  #catchUp: ((snapshot: SessionSnapshot) => void) | undefined;
  #appending: unknown;
  /** The errors that calls got when the session ended here, until the store has them. */
  readonly #lastResponses: Promise<unknown>[] = [];
  #leaving = false;
  #namePrefix: string | undefined;
  #named = 0;
  lastUsed = Date.now();
  /** Whether the client has ever followed a stream. */
  hadStream = false;

  constructor(setting: SessionSetting) {
    const { id, store, server, owner, client, keepMs, found, saved, ended } = setting;
    this.#setting = setting;
    this.#store = store;
    const host = {
      ...{ id, store, owner, client, keepMs },
      position: () => server.position,
      changed: (snapshot: SessionSnapshot) => this.#catchUp?.(snapshot),
      gone: () => this.end('The session is gone'),
      failed: setting.streamOptions.onError,
    };
    this.#state = new SessionState(host, found);
    this.#inbox = new SessionInbox(store, id, {
      message: (text, eventId) => {
        // Only the process that has asked has no more use for the response.
        if (this.#connection.take(text)) this.#inBackground(() => store.erase?.(id, eventId));
      },
      changed: (stored) => this.#state.refresh(stored),
      lost: (reason) => this.end(reason.message),
      failed: (error) => {
        setting.streamOptions.onError(error);
        this.end('The session could not be followed in the store');
      },
    });
    const burst = new Burst(setting.streamOptions.maxBurstBytes, setting.streamOptions.onError);
    this.#connection = new HttpConnection(
      {
        dropsNotification: () => burst.drops(),
        send: (text, change) => {
          burst.add(text.length);
          this.#appending = this.#appendStandalone({ text, last: false, change });
        },
        drained: () => this.#drained(),
      },
      () => {
        this.#inbox.close();
        for (const stream of this.#following) stream.close();
        // The server ended the session, so it ends in every process.
        if (!this.#leaving) this.#delete();
        ended(this);
      },
    );
    server.connect(this.#connection, {
      snapshot: this.#state.snapshot,
      position: found?.position,
      save: (changed) => {
        this.#state.save(changed);
        this.#inbox.open(this.#state.saving);
        saved();
      },
      follow: (catchUp) => {
        this.#catchUp = catchUp;
      },
    });
    if (found !== undefined) this.#inbox.open(this.#state.saving);
  }

  get owner(): string | undefined {
    return this.#setting.owner;
  }

  /** The client that limits count by. */
  get client(): string | undefined {
    return this.#setting.client;
  }

  /** Whether a client has a response open. */
  get isBusy(): boolean {
    return this.#following.size > 0 || this.#connection.isAwaited;
  }

  /** Settles when messages that other processes receive reach this one; undefined if they do. */
  get watching(): Promise<void> | undefined {
    return this.#inbox.opening;
  }

  /** Takes over what another process may have changed. */
  refresh(found: StoredState): void {
    this.#state.refresh(found);
  }

  /** Calls the listener once, when no request that was posted is open. */
  whenResponded(listener: () => void): void {
    this.#connection.whenResponded(listener);
  }

  /** False when the session has ended. */
  post(arrival: Arrival, origin: Origin, call: HttpCall): boolean | Promise<boolean> {
    if (!this.#connection.isOpen) return false;
    this.lastUsed = Date.now();
    const { texts, rest } = routed(arrival, this.#state.snapshot?.protocolVersion);
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
    const { id } = this.#setting;
    const place =
      lastEventId === undefined ? { stream: STANDALONE, last: false } : await this.#store.locate(id, lastEventId);
    if (place === undefined || place.stream === INBOX) return false;
    let stop = () => {};
    const stream: ResponseStream = new ResponseStream(call, this.#setting.streamOptions, {
      onDone: (done) => {
        stop();
        this.#following.delete(done);
        this.lastUsed = Date.now();
      },
    });
    stream.name = place.stream;
    this.#following.add(stream);
    this.hadStream = true;
    stream.watch();
    if (!place.last) {
      this.#calls.get(place.stream)?.close();
      const start = lastEventId === undefined ? 'undelivered' : { after: lastEventId };
      stop = await forwardEvents({ session: id, name: place.stream, start }, this.#store, stream, {
        primes: () => this.primes,
        failed: this.#setting.streamOptions.onError,
      });
      if (stream.isGone) stop();
    }
    stream.openEvents();
    if (place.last) stream.close();
    return true;
  }

  /** For the streams of calls, like the following members. */
  log(stream: ResponseStream, text: string, last: boolean): string | undefined | Promise<string | undefined> {
    const id = this.#store.append(this.#setting.id, this.#nameOf(stream), this.#eventOf(stream, text, last));
    if (!isThenable(id)) return this.#logged(stream, id, last);
    const logged = Promise.resolve(id).then((known) => this.#logged(stream, known, last));
    if (!this.#connection.isOpen) this.#lastResponses.push(logged);
    return logged;
  }

  fail(stream: ResponseStream, error: Error): string {
    const text = this.#connection.failureText(stream, describeFailure(error, 'the session store failed'));
    const { name } = stream;
    if (name !== undefined && stream.isLogged) {
      this.#untilDone(() => this.#store.append(this.#setting.id, name, { text, last: true }));
    }
    this.#connection.cancel(stream, error.message);
    return text;
  }

  get primes(): boolean {
    const { snapshot } = this.#state;
    return snapshot !== undefined && findRevision(snapshot.protocolVersion)?.primedStreams === true;
  }

  /** A change made here that the store has not saved yet. */
  get recording(): Promise<unknown> | undefined {
    const { saving } = this.#state;
    return saving === undefined ? this.watching : Promise.all([saving, this.watching]);
  }

  onOpen(stream: ResponseStream): void {
    this.#calls.set(this.#nameOf(stream), stream);
  }

  onDone(stream: ResponseStream): void {
    if (stream.name !== undefined) this.#calls.delete(stream.name);
    if (!stream.hasResponded) this.#lost.set(stream, Date.now());
  }

  /** Cancels the requests whose clients left before this time and have not come back for the response. */
  cancelLost(before: number): void {
    for (const [stream, since] of this.#lost) {
      const isFollowed = [...this.#following].some(({ name }) => name !== undefined && name === stream.name);
      if (!this.#connection.isPending(stream)) this.#lost.delete(stream);
      else if (isFollowed) this.#lost.set(stream, Date.now());
      else if (since <= before) {
        this.#connection.cancel(stream, 'The client has gone');
        stream.end();
      }
    }
  }

  /** Settles when the store has the responses to calls that ended with the session, or cannot have them. */
  get settled(): Promise<unknown> | undefined {
    return this.#lastResponses.length === 0 ? undefined : Promise.allSettled(this.#lastResponses);
  }

  /** Ends it in this process; another may still have it. */
  end(reason: string): void {
    this.#leaving = true;
    this.#connection.end(new ConnectionClosed(reason));
  }

  #deliver(arrival: Arrival, origin: Origin, call: HttpCall): boolean {
    const stream = new ResponseStream(call, this.#setting.streamOptions, this);
    const hasResponded = this.#connection.deliver(arrival, stream, origin);
    if (hasResponded && !stream.hasResponded) stream.watch();
    return hasResponded;
  }

  async #drained(): Promise<void> {
    await this.#appending;
    await Promise.all([...this.#following].map((stream) => stream.drained()));
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
    const { heartbeat } = this.#setting;
    heartbeat.start();
    const failureText = () => this.#connection.failureText(stream, DIED);
    return { text, last, call: { process: heartbeat.process, failureText } };
  }

  #logged(stream: ResponseStream, id: string | undefined, last: boolean): string | undefined {
    if (id === undefined && !last) this.#inBackground(() => this.#endUnlogged(stream));
    return id;
  }

  /** Another process has ended the call, because this one did not renew its lease in time; or the session is gone. */
  async #endUnlogged(stream: ResponseStream): Promise<void> {
    if ((await this.#store.find(this.#setting.id)) === undefined) this.end('The session is gone');
    this.#connection.cancel(stream, 'The call was ended');
    stream.cutOff();
  }

  /** Ends the session if the event cannot be added: a client must notice that it misses something. */
  #appendStandalone(event: NewEvent): unknown {
    const failed = (error: Error) => {
      this.#setting.streamOptions.onError(error);
      this.end('A message to the client could not be saved');
      this.#delete();
    };
    const added = (id: string | undefined) => {
      if (id === undefined) this.end('The session is gone');
    };
    return inBackground(() => {
      const id = this.#store.append(this.#setting.id, STANDALONE, event);
      return isThenable(id) ? Promise.resolve(id).then(added) : added(id);
    }, failed);
  }

  #delete(): void {
    this.#untilDone(() => this.#store.delete(this.#setting.id));
  }

  #untilDone(work: () => unknown): void {
    void untilDone(work, this.#setting.closing, this.#setting.streamOptions.onError);
  }

  #inBackground(work: () => unknown): unknown {
    return inBackground(work, this.#setting.streamOptions.onError);
  }
}
