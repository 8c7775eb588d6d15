import { asError } from '../../../../jsonrpc/errors.ts';
import type { RequestId } from '../../../../jsonrpc/message.ts';
import { isThenable } from '../../../../jsonrpc/thenable.ts';
import type { HttpCall } from '../http-call.ts';
import { statusOfFailure } from '../status.ts';
import { Burst, nextTurn } from './burst.ts';
import type { OpenStreams } from './open-streams.ts';

/** What all streams of an endpoint share. */
export interface ResponseStreamOptions {
  /** The format of a response without notifications. */
  readonly responseFormat: 'json' | 'sse';
  readonly maxQueuedBytes: number;
  readonly maxBurstBytes: number;
  /** Milliseconds after which a client that lost the stream should reconnect. */
  readonly retryMs: number;
  readonly open: OpenStreams;
  readonly onError: (error: Error) => void;
}

/** Owns responses: one object for many of them, because making functions for each takes time. */
export interface ResponseStreamOwner {
  /**
   * Gives each event its id and keeps it, so that a client that lost the stream can fetch what it missed. Undefined when
   * it can no longer be kept.
   */
  log?(stream: ResponseStream, text: string, last: boolean): string | undefined | Promise<string | undefined>;
  /** The session store failed. Ends the call, and returns the error to send for it. */
  fail?(stream: ResponseStream, error: Error): string;
  /** Whether the client understands an event without data, which is sent first to give it an id to resume from. */
  readonly primes?: boolean;
  /** A change that must be saved before the client gets anything, if that takes time. */
  readonly recording?: Promise<unknown> | undefined;
  /** Called when the response becomes an event stream. */
  onOpen?(stream: ResponseStream): void;
  /** Called when a watched response has closed. */
  onDone?(stream: ResponseStream): void;
}

const EVENT_STREAM = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};
/** For an event stream that is sent whole: no proxy needs to be asked not to buffer it. */
const ONE_EVENT = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' };

const NO_OWNER: ResponseStreamOwner = {};
/** A handler that awaits `drained()` lets other requests run after this many bytes. */
const BYTES_PER_TURN = 64 * 1024;
/** Of a response that was sent whole: with fewer bytes left to read, its client is not watched. */
const UNREAD_BYTES = 1024;

/** The response to one HTTP request: a JSON body, or an event stream if something precedes the JSON-RPC response. */
export class ResponseStream {
  readonly #call: HttpCall;
  readonly #options: ResponseStreamOptions;
  readonly #owner: ResponseStreamOwner;
  /** Settles when everything sent so far is written; undefined when it is. */
  #pending: Promise<void> | undefined;
  #isWatched = false;
  #isEvents = false;
  #isDone = false;
  /** Bytes of replayed events, which may exceed the limit until the client has read them. */
  #replayedBytes = 0;
  #burst: Burst | undefined;
  #writtenBytes = 0;
  /** What was written when `drained()` last let other requests run. */
  #turnStart = 0;
  #status = 200;
  /** The name of the stream in the store, once its owner needs one. */
  name: string | undefined = undefined;
  /** The request that it belongs to, or those of a batch. */
  requestIds: RequestId | readonly RequestId[] | undefined = undefined;
  /** Whether its owner has logged an event of it. */
  isLogged = false;

  constructor(call: HttpCall, options: ResponseStreamOptions, owner: ResponseStreamOwner = NO_OWNER) {
    this.#call = call;
    this.#options = options;
    this.#owner = owner;
  }

  /** Has `onDone` called when the response has closed. A response that was sent at once needs no watching. */
  watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#options.open.watch(this);
    this.#call.onClose(() => {
      if (this.#isDone) return;
      this.#isDone = true;
      this.#options.open.delete(this);
      this.#owner.onDone?.(this);
    });
  }

  /** Whether the client has responded to a request that it can have got on this. */
  hasArrived = false;

  /** The client that limits count by. */
  get client(): string | undefined {
    return this.#call.client;
  }

  /** Whether the JSON-RPC response was sent. */
  get hasResponded(): boolean {
    return this.#call.isEnded;
  }

  /** Whether nothing more can be sent to the client on this response. */
  get isGone(): boolean {
    return this.#isDone || this.#call.isGone;
  }

  /** Whether the next notification must be dropped: the handler sends too many without letting other requests run. */
  dropsNotification(): boolean {
    return this.#burst?.drops() === true;
  }

  get queuedBytes(): number {
    return this.#call.queuedBytes;
  }

  /** The bytes, approximately, that have left the queue. Grows when the client reads. */
  get flushedBytes(): number {
    return this.#writtenBytes - this.#call.queuedBytes;
  }

  /** Sends a message that precedes the response. */
  event(text: string): void {
    this.#burst ??= new Burst(this.#options.maxBurstBytes, this.#options.onError);
    this.#burst.add(text.length);
    this.openEvents();
    this.#sendEvent(text, false);
  }

  /** Sends the JSON-RPC response and ends the HTTP response. */
  respond(text: string, status = 200): void {
    if (this.#isEvents) {
      this.#sendEvent(text, true);
      return;
    }
    this.#status = status;
    if (this.#options.responseFormat === 'sse' && status === 200) {
      this.#respondWithOneEvent(text);
      return;
    }
    const { recording } = this.#owner;
    if (recording === undefined && this.#pending === undefined) this.#sendJson(status, text);
    else this.#inOrder(recording, () => this.#sendJson(status, text));
  }

  /** Ends the HTTP response without a JSON-RPC response, because there will be none. */
  end(): void {
    this.openEvents();
    this.#inOrder(this.#owner.log?.(this, '', true), () => this.#call.end());
  }

  /** Writes an event without a message. */
  namedEvent(type: string, data: string): void {
    this.#write(`event: ${type}\ndata: ${data}\n\n`, false);
  }

  /** Writes an event that has its id already. */
  forward({ id, text, last }: { readonly id: string; readonly text: string; readonly last: boolean }): void {
    this.openEvents();
    this.#write(messageEvent(id, text), last);
  }

  /** The same for an event from before the client connected. The limit does not apply to it. */
  replay(event: { readonly id: string; readonly text: string; readonly last: boolean }): void {
    this.#replayedBytes += event.text.length;
    this.forward(event);
  }

  /** Gives the client an id to resume from, and the delay before it should reconnect. */
  prime(id: string): void {
    this.#write(primingEvent(id, this.#options.retryMs), false);
  }

  /** Closes the stream after asking the client to reconnect, if it knows how. What follows is kept for it. */
  release(): void {
    if (!this.#primes) return;
    this.openEvents();
    this.#inOrder(undefined, () => this.#write(`retry: ${this.#options.retryMs}\n\n`, true));
  }

  keepAlive(): void {
    if (this.#isEvents && this.#call.isOpened) this.#write(': keep-alive\n\n', false);
  }

  /** Settles when the client has read enough of what was sent, or has gone. Lets other requests run now and then. */
  async drained(): Promise<void> {
    if (this.#pending !== undefined) await this.#pending;
    await this.#call.drained();
    if (this.#writtenBytes - this.#turnStart > BYTES_PER_TURN) {
      this.#turnStart = this.#writtenBytes;
      await nextTurn();
    }
  }

  /** Ends an event stream; breaks off any other response. */
  close(): void {
    if (this.#isEvents) this.#call.end();
    else this.#call.destroy();
  }

  /** Cuts off a client that does not read. What it misses is in the log, if there is one. */
  cutOff(): void {
    this.#call.destroy();
  }

  /** Nothing precedes or follows the response, so all of it is one write. */
  #respondWithOneEvent(text: string): void {
    const owner = this.#owner;
    const { recording } = owner;
    const primingId = this.#primes ? owner.log?.(this, '', false) : undefined;
    const id = owner.log?.(this, text, true);
    const waits = recording !== undefined || isThenable(primingId) || isThenable(id) || this.#pending !== undefined;
    if (!waits) this.#sendOneEvent(text, primingId as string | undefined, id as string | undefined);
    else {
      this.#inOrder(Promise.all([primingId, id, recording]), (known) => this.#sendOneEvent(text, known[0], known[1]));
    }
  }

  #sendOneEvent(text: string, primingId: string | undefined, id: string | undefined): void {
    const priming = primingId === undefined ? '' : primingEvent(primingId, this.#options.retryMs);
    this.#call.send(200, ONE_EVENT, `${priming}${messageEvent(id, text)}`);
    this.#watchReader(text.length);
  }

  #sendJson(status: number, text: string): void {
    this.#call.sendJson(status, text);
    this.#watchReader(text.length);
  }

  /** A response was sent whole: its client must read it in time, if it has not. */
  #watchReader(length: number): void {
    const call = this.#call;
    if (call.queuedBytes < UNREAD_BYTES) return;
    this.#writtenBytes += length;
    this.#options.open.addUnread(this);
    if (!this.#isWatched) call.onClose(() => this.#options.open.delete(this));
  }

  get #primes(): boolean {
    return this.#owner.log !== undefined && this.#owner.primes === true;
  }

  /** Sends the head of the event stream. */
  openEvents(): void {
    if (this.#isEvents) return;
    this.#isEvents = true;
    const owner = this.#owner;
    this.watch();
    if (!this.#isDone) {
      this.#options.open.add(this);
      owner.onOpen?.(this);
    }
    this.#inOrder(owner.recording, () => this.#call.open(this.#status, EVENT_STREAM));
    if (this.#primes) this.#inOrder(owner.log?.(this, '', false), (id) => id !== undefined && this.prime(id));
  }

  #sendEvent(text: string, last: boolean): void {
    const isLogged = this.#owner.log !== undefined;
    this.#inOrder(this.#owner.log?.(this, text, last), (id) => {
      // An event that could not be logged is not sent, and the owner ends the call. The response is always sent.
      if (id !== undefined || !isLogged || last) this.#write(messageEvent(id, text), last);
    });
  }

  /** Sends at once if nothing has to be awaited. */
  #inOrder<T>(needed: T | Promise<T>, send: (needed: T) => unknown): void {
    if (!isThenable(needed) && this.#pending === undefined) {
      send(needed as T); // not a promise, by the line above
      return;
    }
    const pending = Promise.all([needed, this.#pending])
      .then(
        ([known]) => send(known),
        (error) => this.#fail(asError(error)),
      )
      .then(() => {
        if (this.#pending === pending) this.#pending = undefined;
      });
    this.#pending = pending;
  }

  /** The store could not save what the client should get. */
  #fail(error: Error): void {
    this.#options.onError(error);
    if (this.hasResponded) return;
    const text = this.#owner.fail?.(this, error);
    if (text === undefined) this.#call.destroy();
    else if (this.#call.isOpened) this.#write(messageEvent(undefined, text), true);
    else this.#sendJson(statusOfFailure(error), text);
  }

  #write(text: string, last: boolean): void {
    if (this.isGone) return;
    const call = this.#call;
    this.#writtenBytes += text.length;
    // A response may be larger than the limit: it is the last thing that waits.
    if (!last && this.#exceedsLimit(call.queuedBytes)) {
      this.cutOff();
      return;
    }
    call.write(text);
    if (last) call.end();
  }

  #exceedsLimit(queuedBytes: number): boolean {
    if (queuedBytes === 0) {
      this.#replayedBytes = 0;
      return false;
    }
    return queuedBytes > this.#options.maxQueuedBytes + this.#replayedBytes || this.#options.open.isOverflowing(this);
  }
}

function primingEvent(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

function messageEvent(id: string | undefined, text: string): string {
  return id === undefined ? `event: message\ndata: ${text}\n\n` : `event: message\nid: ${id}\ndata: ${text}\n\n`;
}
