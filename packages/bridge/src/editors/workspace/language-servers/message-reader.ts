import type { Readable } from 'node:stream';
import { FrameReader } from '@hawser/editor-protocol';
import { asError } from '@hawser/unknown-values/thrown';
import { AbstractMessageReader, type DataCallback, type Disposable } from 'vscode-languageserver-protocol/node';

export interface ReaderLimits {
  readonly maxMessageBytes: number;
  /** Within `FLOOD_MS`. */
  readonly maxMessages: number;
}

export const READER_LIMITS: ReaderLimits = { maxMessageBytes: 32 * 1024 * 1024, maxMessages: 50_000 };

const FLOOD_MS = 10_000;

/**
 * Reads the messages of a language server. Unlike the reader of the library it has limits, and delivers one message in
 * each turn of the event loop, so that a server that floods neither fills the memory nor delays others. The first error is
 * the last thing it reports.
 */
export class LimitedMessageReader extends AbstractMessageReader {
  readonly #stream: Readable;
  readonly #limits: ReaderLimits;
  readonly #frames: FrameReader;
  #callback: DataCallback = () => {};
  #hasStopped = false;
  #windowStart = 0;
  #messages = 0;

  constructor(stream: Readable, limits: ReaderLimits = READER_LIMITS) {
    super();
    this.#stream = stream;
    this.#limits = limits;
    this.#frames = new FrameReader(limits.maxMessageBytes);
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    this.#stream.on('data', (chunk: Buffer) => {
      if (this.#hasStopped) return;
      this.#frames.push(chunk);
      this.#stream.pause();
      this.#next();
    });
    this.#stream.on('error', (error) => this.#stop(error));
    this.#stream.on('close', () => this.fireClose());
    return { dispose: () => this.#stop(undefined) };
  }

  #next(): void {
    if (this.#hasStopped) return;
    try {
      const message = this.#take();
      if (message === undefined) {
        this.#stream.resume();
        return;
      }
      this.#count();
      this.#callback(message);
      setImmediate(() => this.#next());
    } catch (error) {
      this.#stop(asError(error));
    }
  }

  #take(): Parameters<DataCallback>[0] | undefined {
    const body = this.#frames.take();
    if (body === undefined) return undefined;
    const message: unknown = JSON.parse(body);
    if (typeof message !== 'object' || message === null) throw new Error('It sent a message that is not an object');
    return message as Parameters<DataCallback>[0];
  }

  #count(): void {
    const now = performance.now();
    if (now - this.#windowStart > FLOOD_MS) [this.#windowStart, this.#messages] = [now, 0];
    this.#messages += 1;
    if (this.#messages <= this.#limits.maxMessages) return;
    throw new Error(`It sent more than ${this.#limits.maxMessages} messages within ${FLOOD_MS / 1000} seconds`);
  }

  #stop(error: Error | undefined): void {
    if (this.#hasStopped) return;
    this.#hasStopped = true;
    this.#frames.clear();
    // What it still writes is read and forgotten, so that it can end.
    this.#stream.resume();
    if (error !== undefined) this.fireError(error);
  }
}
