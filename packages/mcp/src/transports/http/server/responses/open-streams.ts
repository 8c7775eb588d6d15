import { unref } from '../../../../jsonrpc/deadlines.ts';
import { largestShare, Shares } from '../../../../jsonrpc/in-flight.ts';
import type { ResponseStream } from './response-stream.ts';

export interface OpenStreamsOptions {
  readonly keepAliveMs: number;
  readonly maxStreams: number;
  readonly maxStreamsPerClient: number;
  readonly maxTotalQueuedBytes: number;
  readonly maxStallMs: number;
}

interface Progress {
  /** The bytes that had left the queue when the client was last seen to read, and when that was. */
  flushedBytes: number;
  readAt: number;
  /** The length of the queue when the total was last counted for this stream. */
  countedBytes: number;
}

/** The total is counted again after a stream has queued this many bytes. */
const COUNT_EVERY = 256 * 1024;

/** The responses of an endpoint that are not finished: keeps them alive, within limits, and ends them. */
export class OpenStreams {
  readonly #options: OpenStreamsOptions;
  readonly #watched = new Set<ResponseStream>();
  /** Those that are event streams. */
  readonly #events = new Map<ResponseStream, Progress>();
  readonly #shares = new Shares();
  /** Whole responses that their clients have not read yet; the oldest first. */
  readonly #unread = new Map<ResponseStream, Progress>();
  /** The bytes of responses that were added since the total was last counted. */
  #uncountedBytes = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
  }

  /** Open event streams. */
  get size(): number {
    return this.#events.size;
  }

  /** Bytes that wait for all clients together. */
  get queuedBytes(): number {
    let total = 0;
    for (const open of this.#events.keys()) total += open.queuedBytes;
    for (const open of this.#unread.keys()) total += open.queuedBytes;
    return total;
  }

  /** Why a client gets no further stream; undefined if it does. */
  refusal(client: string | undefined): string | undefined {
    const { maxStreams, maxStreamsPerClient } = this.#options;
    if (this.#events.size >= maxStreams) return 'Too many open streams';
    if (this.#shares.of(client) < maxStreamsPerClient) return undefined;
    return `This client has ${maxStreamsPerClient} open streams (maxStreamsPerClient). Close one first`;
  }

  watch(stream: ResponseStream): void {
    this.#watched.add(stream);
  }

  add(stream: ResponseStream): void {
    if (!this.#events.has(stream)) this.#shares.add(stream.client);
    this.#events.set(stream, { flushedBytes: 0, readAt: Date.now(), countedBytes: 0 });
    this.#startTimer();
  }

  /** A response was sent whole, and waits for its client to read it. Too many of them make the oldest be cut off. */
  addUnread(stream: ResponseStream): void {
    this.#unread.set(stream, { flushedBytes: stream.flushedBytes, readAt: Date.now(), countedBytes: 0 });
    this.#startTimer();
    this.#uncountedBytes += stream.queuedBytes;
    if (this.#uncountedBytes >= COUNT_EVERY) this.#cutOffUnread();
  }

  delete(stream: ResponseStream): void {
    this.#watched.delete(stream);
    if (this.#events.delete(stream)) this.#shares.remove(stream.client);
    this.#unread.delete(stream);
    if (this.#events.size + this.#unread.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Whether the stream must be cut off, because too many bytes wait for all clients together. Asked before it queues more.
   * First those of the client that has the most to read are cut off, if that is another one.
   */
  isOverflowing(stream: ResponseStream): boolean {
    const progress = this.#events.get(stream);
    if (progress === undefined || Math.abs(stream.queuedBytes - progress.countedBytes) < COUNT_EVERY) return false;
    progress.countedBytes = stream.queuedBytes;
    const { maxTotalQueuedBytes } = this.#options;
    let total = this.#cutOffUnread();
    if (total <= maxTotalQueuedBytes) return false;
    const largest = largestShare(
      this.#events.keys(),
      ({ client }) => client,
      ({ queuedBytes }) => queuedBytes,
    );
    if (largest.includes(stream)) return true;
    for (const other of largest.sort((one, another) => another.queuedBytes - one.queuedBytes)) {
      if (total <= maxTotalQueuedBytes) break;
      total -= other.queuedBytes;
      this.delete(other);
      other.cutOff();
    }
    return total > maxTotalQueuedBytes;
  }

  close(): void {
    for (const stream of [...this.#watched]) stream.close();
  }

  #startTimer(): void {
    if (this.#timer !== undefined) return;
    this.#timer = unref(setInterval(() => this.#look(), this.#options.keepAliveMs));
  }

  /** Returns the bytes that wait for all clients, after the responses that wait the longest were cut off, if they are too many. */
  #cutOffUnread(): number {
    this.#uncountedBytes = 0;
    let total = this.queuedBytes;
    for (const oldest of [...this.#unread.keys()]) {
      if (total <= this.#options.maxTotalQueuedBytes) break;
      total -= oldest.queuedBytes;
      this.#unread.delete(oldest);
      oldest.cutOff();
    }
    return total;
  }

  #look(): void {
    for (const [stream, progress] of this.#events) {
      if (this.#isStalled(stream, progress)) stream.cutOff();
      else stream.keepAlive();
    }
    for (const [stream, progress] of [...this.#unread]) if (this.#isStalled(stream, progress)) stream.cutOff();
  }

  #isStalled(stream: ResponseStream, progress: Progress): boolean {
    const now = Date.now();
    const { flushedBytes } = stream;
    if (stream.queuedBytes === 0 || flushedBytes > progress.flushedBytes) {
      progress.readAt = now;
      progress.flushedBytes = flushedBytes;
    }
    return now - progress.readAt >= this.#options.maxStallMs;
  }
}
