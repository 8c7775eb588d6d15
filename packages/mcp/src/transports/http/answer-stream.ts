import type { ServerResponse } from 'node:http';

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
  readonly primes?: boolean;
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
  /** Events wait here for their ids, when those take time. */
  #pending: Promise<void> | undefined;
  #isEvents = false;
  #done = false;
  status = 200;

  constructor(response: ServerResponse, options: AnswerStreamOptions) {
    this.#response = response;
    this.#options = options;
    response.on('close', () => this.#finish());
    response.on('error', () => {}); // `close` follows
  }

  /** Whether nothing more can be sent to the client on this response. */
  get isGone(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
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
    } else if (!this.isGone) {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
      this.#response.writeHead(this.status, headers).end(text);
    }
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

  /** Tells the client to come back later, and disconnects it. What is to come is kept for it. */
  release(): void {
    this.#openEvents();
    this.#write(`retry: ${this.#options.retryMs}\n\n`, true);
  }

  keepAlive(): void {
    if (!this.isGone) this.#response.write(': keep-alive\n\n');
  }

  close(): void {
    if (this.#isEvents) this.#response.end();
    else this.#response.destroy();
  }

  #openEvents(): void {
    if (this.#isEvents) return;
    this.#isEvents = true;
    const { log, primes, onOpen, retryMs } = this.#options;
    onOpen?.(this);
    if (!this.isGone) this.#response.writeHead(this.status, EVENT_STREAM);
    if (!log || !primes) return;
    this.#withId(log('', false), (id) => this.#write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`, false));
  }

  #sendEvent(text: string, last: boolean): void {
    const { log } = this.#options;
    if (log === undefined) this.#write(`event: message\ndata: ${text}\n\n`, last);
    else this.#withId(log(text, last), (id) => this.#write(`event: message\nid: ${id}\ndata: ${text}\n\n`, last));
  }

  #withId(id: string | Promise<string>, write: (id: string) => void): void {
    if (typeof id === 'string' && this.#pending === undefined) {
      write(id);
      return;
    }
    this.#pending = Promise.all([id, this.#pending]).then(
      ([known]) => write(known),
      () => this.close(),
    );
  }

  #write(text: string, last: boolean): void {
    if (this.isGone) return;
    if (last) this.#response.end(text);
    else this.#response.write(text);
    // A client that does not read is let go; what it missed is in the log, if there is one.
    if (this.#response.writableLength > this.#options.maxQueuedBytes) this.#response.destroy();
  }

  #finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.#options.onDone?.(this);
  }
}
