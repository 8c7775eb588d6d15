import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isThenable } from '../../../jsonrpc/thenable.ts';

export interface AnswerStreamOptions {
  /** How an answer that nothing precedes is sent. */
  readonly answers: 'json' | 'sse';
  /** When more than this waits for the client to read, it is disconnected. */
  readonly maxQueuedBytes: number;
  /** Milliseconds after which a client that lost the stream should come back. */
  readonly retryMs: number;
  /** Called when the stream becomes one of events, and when such a stream is over. */
  readonly onOpen?: (stream: AnswerStream) => void;
  readonly onDone?: (stream: AnswerStream) => void;
}

/** Whom a response belongs to: one object for many, because making functions for each takes its time. */
export interface AnswerStreamOwner {
  /** Gives each event its id and keeps it, so that a client that lost the stream can fetch what it missed. */
  log?(stream: AnswerStream, text: string, last: boolean): string | Promise<string>;
  /** Whether the client understands an event without data, sent first so that it knows an id from the beginning. */
  readonly primes?: boolean;
  /** What must be on record before the client hears more, when that takes time. */
  readonly recording?: Promise<unknown> | undefined;
  /** Called when the stream becomes one of events, and when a response that was watched is over. */
  onOpen?(stream: AnswerStream): void;
  onDone?(stream: AnswerStream): void;
}

const EVENT_STREAM = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

const NO_OWNER: AnswerStreamOwner = {};
const ignore = () => {};

/**
 * The response to one HTTP request: a JSON body when there is nothing to say before the answer, else a stream of
 * events, of which the answer is the last.
 */
export class AnswerStream {
  readonly #response: ServerResponse;
  readonly #options: AnswerStreamOptions;
  readonly #owner: AnswerStreamOwner;
  #finish: (() => void) | undefined;
  /** What is to be sent waits here for what must come first, when that takes time. */
  #pending: Promise<void> | undefined;
  #isEvents = false;
  #done = false;
  #mayWait: number;
  status = 200;
  /** What its owner calls it, once it has to. */
  name: string | undefined = undefined;

  constructor(response: ServerResponse, options: AnswerStreamOptions, owner: AnswerStreamOwner = NO_OWNER) {
    this.#response = response;
    this.#options = options;
    this.#owner = owner;
    this.#mayWait = options.maxQueuedBytes;
  }

  /** Has `onDone` called when the response is over. One that is out already needs no watching. */
  watch(): void {
    if (this.#finish !== undefined) return;
    const response = this.#response;
    // A response that waits for earlier ones on its connection is not told of the end by Node.
    const queuedOn = response.socket === null && !response.destroyed ? response.req.socket : undefined;
    const finish = () => {
      if (this.#done) return;
      this.#done = true;
      queuedOn?.off('close', finish);
      this.#options.onDone?.(this);
      this.#owner.onDone?.(this);
    };
    this.#finish = finish;
    response.on('close', finish);
    response.on('error', ignore); // `close` follows
    queuedOn?.setMaxListeners(0).on('close', finish);
    // The client may have gone while its request was looked at.
    if (response.destroyed) queueMicrotask(finish);
  }

  /** Whether the answer is out. */
  get isAnswered(): boolean {
    return this.#response.writableEnded;
  }

  /** Whether nothing more can be sent to the client on this response. */
  get isGone(): boolean {
    return this.#done || this.#response.destroyed || this.#response.writableEnded;
  }

  /** Something that comes before the answer. */
  event(text: string): void {
    this.#openEvents();
    this.#sendEvent(text, false);
  }

  /** The answer, and the end. */
  answer(text: string): void {
    if (this.#isEvents) {
      this.#sendEvent(text, true);
    } else if (this.#options.answers === 'sse' && this.status === 200) {
      this.#answerWithOneEvent(text);
    } else {
      const { recording } = this.#owner;
      if (recording === undefined && this.#pending === undefined) this.#answerWithJson(text);
      else this.#inTurn(recording, () => this.#answerWithJson(text));
    }
  }

  /** The end without an answer: there will be none. */
  end(): void {
    this.#openEvents();
    this.#inTurn(this.#owner.log?.(this, '', true), () => this.#write('', true));
  }

  /** Begins the stream of events before there is one. */
  openEvents(): void {
    this.#openEvents();
    if (!this.isGone) this.#response.flushHeaders();
  }

  /** Writes an event that has its id already. */
  forward({ id, text, last }: { readonly id: string; readonly text: string; readonly last: boolean }): void {
    this.#openEvents();
    this.#write(messageEvent(id, text), last);
  }

  /** The same for what was there before the client came: it may wait, beyond the limit, until the client has read it. */
  replay(event: { readonly id: string; readonly text: string; readonly last: boolean }): void {
    const { maxQueuedBytes } = this.#options;
    if (this.#mayWait === maxQueuedBytes) {
      this.#response.once('drain', () => {
        this.#mayWait = maxQueuedBytes;
      });
    }
    this.#mayWait = Number.POSITIVE_INFINITY;
    this.forward(event);
    this.#mayWait = maxQueuedBytes + this.#response.writableLength;
  }

  /** Tells the client an id to come back with, and when. */
  prime(id: string): void {
    this.#write(primingEvent(id, this.#options.retryMs), false);
  }

  /** Tells the client to come back later, and disconnects it, if it knows how. What is to come is kept for it. */
  release(): void {
    const { retryMs } = this.#options;
    if (!this.#primes) return;
    this.#openEvents();
    this.#inTurn(undefined, () => this.#write(`retry: ${retryMs}\n\n`, true));
  }

  keepAlive(): void {
    if (this.#response.headersSent) this.#write(': keep-alive\n\n', false);
  }

  close(): void {
    if (this.#isEvents) this.#response.end();
    else this.#response.destroy();
  }

  #answerWithJson(text: string): void {
    if (this.isGone) return;
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    this.#sendWhole(headers, text);
  }

  /** Nothing came before the answer and nothing follows it: all of it is one write, whose length is known. */
  #answerWithOneEvent(text: string): void {
    const owner = this.#owner;
    const { recording } = owner;
    const primingId = this.#primes ? owner.log?.(this, '', false) : undefined;
    const id = owner.log?.(this, text, true);
    const waits = recording !== undefined || isThenable(primingId) || isThenable(id) || this.#pending !== undefined;
    if (!waits) this.#writeOneEvent(text, primingId as string | undefined, id as string | undefined);
    else {
      this.#inTurn(Promise.all([primingId, id, recording]), (known) => this.#writeOneEvent(text, known[0], known[1]));
    }
  }

  #writeOneEvent(text: string, primingId: string | undefined, id: string | undefined): void {
    if (this.isGone) return;
    const priming = primingId === undefined ? '' : primingEvent(primingId, this.#options.retryMs);
    const events = `${priming}${messageEvent(id, text)}`;
    // Nothing is to come that a proxy might hold back, so it is not asked to pass it on at once.
    const headers = {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'Content-Length': Buffer.byteLength(events),
    };
    this.#sendWhole(headers, events);
  }

  /** Head and body as one text: given to `end`, they would go to the socket as a list, which takes it far longer. */
  #sendWhole(headers: OutgoingHttpHeaders, body: string): void {
    const response = this.#response;
    response.writeHead(this.status, headers).write(body);
    response.socket?.uncork();
    response.end();
  }

  get #primes(): boolean {
    return this.#owner.log !== undefined && this.#owner.primes === true;
  }

  #openEvents(): void {
    if (this.#isEvents) return;
    this.#isEvents = true;
    const owner = this.#owner;
    this.watch();
    if (!this.#done) {
      this.#options.onOpen?.(this);
      owner.onOpen?.(this);
    }
    this.#inTurn(owner.recording, () => {
      if (!this.isGone) this.#response.writeHead(this.status, EVENT_STREAM);
    });
    if (this.#primes) this.#inTurn(owner.log?.(this, '', false), (id) => this.prime(id as string));
  }

  #sendEvent(text: string, last: boolean): void {
    this.#inTurn(this.#owner.log?.(this, text, last), (id) => this.#write(messageEvent(id, text), last));
  }

  /** Sends at once where nothing has to be waited for. */
  #inTurn<T>(needed: T | Promise<T>, send: (needed: T) => void): void {
    if (!isThenable(needed) && this.#pending === undefined) {
      send(needed as T); // no promise, by the line above
      return;
    }
    this.#pending = Promise.all([needed, this.#pending]).then(
      ([known]) => send(known),
      () => this.#fail(),
    );
  }

  /** What the client should hear could not be put on record. */
  #fail(): void {
    if (this.#response.headersSent || this.isGone) this.#response.destroy();
    else this.#response.writeHead(500).end();
  }

  #write(text: string, last: boolean): void {
    if (this.isGone) return;
    if (last) this.#response.end(text);
    else this.#response.write(text);
    // A client that does not read is let go; what it missed is in the log, if there is one.
    if (this.#response.writableLength > this.#mayWait) this.#response.destroy();
  }
}

/** Tells the client an id to come back with, and when. */
function primingEvent(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}

function messageEvent(id: string | undefined, text: string): string {
  return id === undefined ? `event: message\ndata: ${text}\n\n` : `event: message\nid: ${id}\ndata: ${text}\n\n`;
}
