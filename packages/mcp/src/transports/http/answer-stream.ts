import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isThenable } from '../../jsonrpc/thenable.ts';

export interface AnswerStreamOptions {
  /** How an answer that nothing precedes is sent. */
  readonly answers: 'json' | 'sse';
  /** When more than this waits for the client to read, it is disconnected. */
  readonly maxQueuedBytes: number;
  /** Milliseconds after which a client that lost the stream should come back. */
  readonly retryMs: number;
  /** Gives each event its id and keeps it, so that a client that lost the stream can fetch what it missed. */
  readonly log?: ((text: string, last: boolean) => string | Promise<string>) | undefined;
  /** Whether the client understands an event without data, sent first so that it knows an id from the beginning. */
  readonly primes?: () => boolean;
  /** What must be on record before the client hears more, when that takes time. */
  readonly record?: () => Promise<unknown> | undefined;
  /** Called when the stream becomes one of events, and when such a stream is over. */
  readonly onOpen?: (stream: AnswerStream) => void;
  readonly onDone?: (stream: AnswerStream) => void;
}

const EVENT_STREAM = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/**
 * The response to one HTTP request: a JSON body when there is nothing to say before the answer, else a stream of
 * events, of which the answer is the last.
 */
export class AnswerStream {
  readonly #response: ServerResponse;
  readonly #options: AnswerStreamOptions;
  /** What is to be sent waits here for what must come first, when that takes time. */
  #pending: Promise<void> | undefined;
  #isEvents = false;
  #done = false;
  #mayWait: number;
  #queuedOn: Socket | undefined;
  status = 200;

  constructor(response: ServerResponse, options: AnswerStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#mayWait = options.maxQueuedBytes;
    response.on('close', this.#finish);
    response.on('error', () => {}); // `close` follows
    // The client may have gone while its request was looked at.
    if (response.destroyed) queueMicrotask(this.#finish);
    // A response that waits for earlier ones on its connection is not told of the end by Node.
    else if (response.socket === null) {
      this.#queuedOn = response.req.socket.setMaxListeners(0).on('close', this.#finish);
    }
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
    if (this.#isEvents || (this.#options.answers === 'sse' && this.status === 200)) {
      this.#openEvents();
      this.#sendEvent(text, true);
    } else {
      this.#inTurn(this.#options.record?.(), () => {
        if (this.isGone) return;
        const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
        this.#response.writeHead(this.status, headers).end(text);
      });
    }
  }

  /** The end without an answer: there will be none. */
  end(): void {
    this.#openEvents();
    this.#inTurn(this.#options.log?.('', true), () => this.#write('', true));
  }

  /** Begins the stream of events before there is one. */
  openEvents(): void {
    this.#openEvents();
    if (!this.isGone) this.#response.flushHeaders();
  }

  /** Writes an event that has its id already. */
  forward({ id, text, last }: { readonly id: string; readonly text: string; readonly last: boolean }): void {
    this.#openEvents();
    this.#write(`event: message\nid: ${id}\ndata: ${text}\n\n`, last);
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
    this.#write(`id: ${id}\nretry: ${this.#options.retryMs}\ndata: \n\n`, false);
  }

  /** Tells the client to come back later, and disconnects it, if it knows how. What is to come is kept for it. */
  release(): void {
    const { log, primes, retryMs } = this.#options;
    if (!log || !primes?.()) return;
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

  #openEvents(): void {
    if (this.#isEvents) return;
    this.#isEvents = true;
    const { log, primes, record, onOpen } = this.#options;
    if (!this.#done) onOpen?.(this);
    this.#inTurn(record?.(), () => {
      if (!this.isGone) this.#response.writeHead(this.status, EVENT_STREAM);
    });
    if (log && primes?.()) this.#inTurn(log('', false), (id) => this.prime(id));
  }

  #sendEvent(text: string, last: boolean): void {
    const { log } = this.#options;
    if (log === undefined) this.#write(`event: message\ndata: ${text}\n\n`, last);
    else this.#inTurn(log(text, last), (id) => this.#write(`event: message\nid: ${id}\ndata: ${text}\n\n`, last));
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

  readonly #finish = (): void => {
    if (this.#done) return;
    this.#done = true;
    this.#queuedOn?.off('close', this.#finish);
    this.#options.onDone?.(this);
  };
}
