import type { Readable } from 'node:stream';
import { AbstractMessageReader, type DataCallback, type Disposable } from 'vscode-languageserver-protocol/node';

export interface ReaderLimits {
  readonly maxMessageBytes: number;
  /** Within `FLOOD_MS`. */
  readonly maxMessages: number;
}

export const READER_LIMITS: ReaderLimits = { maxMessageBytes: 32 * 1024 * 1024, maxMessages: 50_000 };

const MAX_HEADER_BYTES = 4096;
const FLOOD_MS = 10_000;

/**
 * Reads the messages of a language server. Unlike the reader of the library it has limits, and delivers one message in
 * each turn of the event loop, so that a server that floods neither fills the memory nor delays others. The first error is
 * the last thing it reports.
 */
export class LimitedMessageReader extends AbstractMessageReader {
  readonly #stream: Readable;
  readonly #limits: ReaderLimits;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Of the next message, once its header has been read. */
  #bodyBytes: number | undefined;
  #callback: DataCallback = () => {};
  #hasStopped = false;
  #windowStart = 0;
  #messages = 0;

  constructor(stream: Readable, limits: ReaderLimits = READER_LIMITS) {
    super();
    this.#stream = stream;
    this.#limits = limits;
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    this.#stream.on('data', (chunk: Buffer) => {
      if (this.#hasStopped) return;
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
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
      this.#stop(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take(): Parameters<DataCallback>[0] | undefined {
    this.#bodyBytes ??= this.#takeHeader();
    if (this.#bodyBytes === undefined || this.#bytes < this.#bodyBytes) return undefined;
    const all = this.#joined();
    const body = all.subarray(0, this.#bodyBytes);
    this.#keep(all.subarray(this.#bodyBytes));
    this.#bodyBytes = undefined;
    const message: unknown = JSON.parse(body.toString('utf8'));
    if (typeof message !== 'object' || message === null) throw new Error('It sent a message that is not an object');
    return message as Parameters<DataCallback>[0];
  }

  #takeHeader(): number | undefined {
    if (this.#bytes === 0) return undefined;
    const all = this.#joined();
    const end = all.subarray(0, MAX_HEADER_BYTES).indexOf('\r\n\r\n');
    const header = all.subarray(0, end === -1 ? MAX_HEADER_BYTES : end).toString('latin1');
    const length = /(?:^|\r\n)content-length: *(\d+)/i.exec(header)?.[1];
    if (end === -1) {
      const isPossible = this.#bytes < MAX_HEADER_BYTES && /^(?:[\w-]*$|[\w-]+:)/.test(header);
      if (isPossible) return undefined;
      throw new Error(`It wrote something to stdout that is not a message: ${JSON.stringify(header.slice(0, 200))}`);
    }
    if (length === undefined) throw new Error(`It sent a header without Content-Length: ${JSON.stringify(header)}`);
    if (Number(length) > this.#limits.maxMessageBytes) {
      throw new Error(`It sent a message of ${length} bytes; the limit is ${this.#limits.maxMessageBytes}`);
    }
    this.#keep(all.subarray(end + 4));
    return Number(length);
  }

  #joined(): Buffer {
    const [first] = this.#chunks;
    const all = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #keep(rest: Buffer): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
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
    this.#keep(Buffer.alloc(0));
    // What it still writes is read and forgotten, so that it can end.
    this.#stream.resume();
    if (error !== undefined) this.fireError(error);
  }
}
