import type { Readable, Writable } from 'node:stream';
import { encode } from '../../jsonrpc/codec.ts';
import type { Connection, Outgoing, Receiver } from '../../jsonrpc/connection.ts';
import { ConnectionClosed } from '../../jsonrpc/errors.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, withDefaults } from '../../jsonrpc/limits.ts';
import { Drain } from '../drain.ts';
import { InputTurns } from './input-turns.ts';
import { LineReader } from './line-reader.ts';

export interface StreamConnectionOptions extends ConnectionLimits {
  /** What the end of the input means: the peer may still read (default), or the connection is over. */
  readonly inputEnd?: 'half' | 'over';
  /** Called once when the connection is over, to release what belongs to it; returns the final reason. */
  readonly release?: (reason: Error) => Error | Promise<Error>;
}

/** Queued text is written to the stream at the latest when it is this long. */
const FLUSH_CHARS = 64 * 1024;
/** How long `close` waits for a reader to take what is queued. */
const LINGER_MS = 5000;

/** Messages as lines on a pair of byte streams. */
export class StreamConnection implements Connection {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #write: (text: string) => boolean;
  readonly #limits: Required<ConnectionLimits>;
  readonly #inputEnd: 'half' | 'over';
  readonly #release: ((reason: Error) => Error | Promise<Error>) | undefined;
  #receiver: Receiver | undefined;
  #queue = '';
  #flushScheduled = false;
  #drain: Drain | undefined;
  #reason: Error | undefined;
  #over: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(input: Readable, output: Writable, options: StreamConnectionOptions = {}) {
    this.#input = input;
    this.#output = output;
    // `process.stdout.write` may be redirected later.
    this.#write = output.write.bind(output);
    this.#limits = withDefaults(options, DEFAULT_CONNECTION_LIMITS);
    this.#inputEnd = options.inputEnd ?? 'half';
    this.#release = options.release;
    output.on('error', (error) => this.end(new ConnectionClosed(`Writing failed: ${error.message}`)));
    output.on('close', () => this.end(new ConnectionClosed('The output was closed')));
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    const reader = new LineReader(receiver, this.#limits);
    const turns = new InputTurns(this.#input);
    this.#input.on('data', (chunk: Buffer) => {
      if (this.#over !== undefined) return;
      turns.begin();
      reader.push(chunk);
      turns.end();
    });
    this.#input.on('end', () => {
      if (this.#over !== undefined) return;
      reader.end();
      if (this.#inputEnd === 'half') receiver.ended();
      else this.end(new ConnectionClosed('The peer closed its output'));
    });
    this.#input.on('error', (error) => this.end(new ConnectionClosed(`Reading failed: ${error.message}`)));
  }

  send(message: Outgoing): void {
    if (this.#over !== undefined || this.#closing !== undefined) return;
    const text = encode(message);
    const { maxQueuedBytes } = this.#limits;
    if (this.#output.writableLength > maxQueuedBytes) {
      this.#output.destroy();
      this.end(new ConnectionClosed(`The reader is too slow: more than ${maxQueuedBytes} bytes are waiting`));
      return;
    }
    this.#queue += text;
    this.#queue += '\n';
    if (this.#queue.length > FLUSH_CHARS) this.#flush();
    else if (!this.#flushScheduled) {
      this.#flushScheduled = true;
      process.nextTick(() => this.#flush());
    }
  }

  async drained(): Promise<void> {
    this.#flush();
    if (!this.#output.writableNeedDrain || this.#over !== undefined) return;
    this.#drain ??= new Drain(this.#output);
    const drain = this.#drain;
    await drain.done;
    if (this.#drain === drain) this.#drain = undefined;
  }

  close(reason = 'Closed by this side'): Promise<void> {
    this.#reason ??= new ConnectionClosed(reason);
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  /** The connection is over. Only the first reason counts. */
  end(reason: Error): Promise<void> {
    this.#reason ??= reason;
    this.#over ??= this.#tellClosed(this.#reason);
    return this.#over;
  }

  async #finish(): Promise<void> {
    if (this.#over === undefined) {
      this.#flush();
      await new Promise<void>((resolve) => {
        const giveUp = setTimeout(resolve, LINGER_MS);
        const done = () => {
          clearTimeout(giveUp);
          resolve();
        };
        this.#output.once('close', done);
        this.#output.end(done);
      });
    }
    await this.end(new ConnectionClosed('Closed by this side'));
  }

  async #tellClosed(reason: Error): Promise<void> {
    this.#queue = '';
    this.#drain?.release();
    this.#input.destroy();
    let finalReason = reason;
    try {
      finalReason = (await this.#release?.(reason)) ?? reason;
    } catch {
      // The connection has ended anyway.
    }
    this.#receiver?.closed(finalReason);
  }

  #flush(): void {
    this.#flushScheduled = false;
    if (this.#queue === '' || this.#over !== undefined) return;
    const text = this.#queue;
    this.#queue = '';
    this.#write(text);
  }
}
