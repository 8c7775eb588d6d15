import type { AnswerStream } from './answer-stream.ts';

export interface OpenStreamsOptions {
  readonly keepAliveMs: number;
  readonly maxStreams: number;
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
  readonly #watched = new Set<AnswerStream>();
  /** Those that are event streams. */
  readonly #events = new Map<AnswerStream, Progress>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#events.size >= this.#options.maxStreams;
  }

  watch(stream: AnswerStream): void {
    this.#watched.add(stream);
  }

  add(stream: AnswerStream): void {
    this.#events.set(stream, { flushedBytes: 0, readAt: Date.now(), countedBytes: 0 });
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#look(), this.#options.keepAliveMs);
    // Only Node has it, and only there a timer keeps the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  delete(stream: AnswerStream): void {
    this.#watched.delete(stream);
    this.#events.delete(stream);
    if (this.#events.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Whether too many bytes wait for all clients together. Asked before a stream queues more. */
  isOverflowing(stream: AnswerStream): boolean {
    const progress = this.#events.get(stream);
    if (progress === undefined || Math.abs(stream.queuedBytes - progress.countedBytes) < COUNT_EVERY) return false;
    progress.countedBytes = stream.queuedBytes;
    let total = 0;
    for (const open of this.#events.keys()) total += open.queuedBytes;
    return total > this.#options.maxTotalQueuedBytes;
  }

  close(): void {
    for (const stream of [...this.#watched]) stream.close();
  }

  #look(): void {
    const now = Date.now();
    for (const [stream, progress] of this.#events) {
      const { flushedBytes } = stream;
      if (stream.queuedBytes === 0 || flushedBytes > progress.flushedBytes) {
        progress.readAt = now;
        progress.flushedBytes = flushedBytes;
      }
      if (now - progress.readAt >= this.#options.maxStallMs) stream.cutOff();
      else stream.keepAlive();
    }
  }
}
