import type { Readable, Writable } from 'node:stream';
import { FrameReader, frameOf } from '@hawser/editor-protocol';
import {
  type Connection,
  ConnectionClosed,
  DEFAULT_CONNECTION_LIMITS,
  decode,
  encode,
  type Outgoing,
  type Receiver,
} from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import { CONNECTION_LIMITS } from '../editor-limits.ts';

const LIMITS = { ...DEFAULT_CONNECTION_LIMITS, ...CONNECTION_LIMITS };

/** How long `close` waits for a reader to take what is queued. */
const LINGER_MS = 2000;

/** Messages in the base protocol of LSP, on a pair of byte streams. The end of the input ends it. */
export class ContentLengthConnection implements Connection {
  /** Vim takes a request whose id equals one of its own, which count from 1, for the answer to that. */
  readonly idsAfter = 1_000_000_000;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #frames: FrameReader;
  #receiver: Receiver | undefined;
  #hasEnded = false;
  #closing: Promise<void> | undefined;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    this.#frames = new FrameReader(LIMITS.maxMessageBytes);
    output.on('error', (error) => this.#end(`Writing failed: ${error.message}`));
    output.on('close', () => this.#end('The editor has gone'));
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    const input = this.#input;
    input.on('data', (chunk: Buffer) => {
      if (this.#hasEnded) return;
      this.#frames.push(chunk);
      input.pause();
      this.#next(receiver);
    });
    // It may have been paused by who looked at its first bytes.
    input.resume();
    // What has come before the end is delivered first, one message a turn.
    input.on('end', () => setImmediate(() => this.#end('The editor has gone')));
    input.on('error', (error) => this.#end(`Reading failed: ${error.message}`));
    input.on('close', () => this.#end('The editor has gone'));
  }

  send(message: Outgoing): void {
    if (this.#hasEnded || this.#closing !== undefined) return;
    const frame = frameOf(encode(message));
    const { maxQueuedBytes } = LIMITS;
    if (this.#output.writableLength > maxQueuedBytes) {
      this.#end(`The editor reads too slowly: more than ${maxQueuedBytes} bytes are waiting`);
      return;
    }
    this.#output.write(frame);
  }

  async drained(): Promise<void> {
    if (!this.#output.writableNeedDrain || this.#hasEnded) return;
    await new Promise<void>((resolve) => {
      this.#output.once('drain', resolve);
      this.#output.once('close', resolve);
    });
  }

  close(reason = 'Closed by this side'): Promise<void> {
    this.#closing ??= this.#finish(reason);
    return this.#closing;
  }

  /** One message in each turn of the event loop, so that an editor that floods does not delay others. */
  #next(receiver: Receiver): void {
    if (this.#hasEnded) return;
    try {
      const body = this.#frames.take();
      if (body === undefined) {
        this.#input.resume();
        return;
      }
      decode(body, receiver, undefined, LIMITS);
    } catch (error) {
      this.#end(messageOf(error));
      return;
    }
    setImmediate(() => this.#next(receiver));
  }

  async #finish(reason: string): Promise<void> {
    if (!this.#hasEnded) {
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
    this.#end(reason);
  }

  #end(reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#frames.clear();
    this.#input.destroy();
    this.#output.destroy();
    this.#receiver?.closed(new ConnectionClosed(reason));
  }
}
