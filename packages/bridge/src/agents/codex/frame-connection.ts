import type { Socket } from 'node:net';
import { BadFrame, encodeFrame, FrameReader, type Message } from './frames.ts';

export interface FrameLimits {
  readonly maxFrameBytes: number;
  /** Of all incomplete frames of all connections that share these limits. */
  readonly maxPendingBytes: number;
  /** For a peer that reads slowly. */
  readonly maxQueuedBytes: number;
  /** For the first frame, and for the rest of a frame that has begun. */
  readonly frameTimeoutMs: number;
}

export const FRAME_LIMITS: FrameLimits = {
  maxFrameBytes: 8 * 1024 * 1024,
  maxPendingBytes: 64 * 1024 * 1024,
  maxQueuedBytes: 64 * 1024 * 1024,
  frameTimeoutMs: 5000,
};

/** The bytes of incomplete frames, counted for all connections of one listener. */
export interface PendingBytes {
  count: number;
}

export interface FrameEvents {
  received(message: Message): void;
  /** Called once. Nothing is received after it. */
  closed(): void;
}

/** A socket that carries frames. What can't be read is refused with an error frame, and ends the connection. */
export class FrameConnection {
  readonly #socket: Socket;
  readonly #limits: FrameLimits;
  readonly #pending: PendingBytes;
  readonly #reader: FrameReader;
  readonly #events: FrameEvents;
  #counted = 0;
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;

  constructor(socket: Socket, events: FrameEvents, limits: FrameLimits, pending: PendingBytes = { count: 0 }) {
    this.#socket = socket;
    this.#events = events;
    this.#limits = limits;
    this.#pending = pending;
    this.#reader = new FrameReader(limits.maxFrameBytes);
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // The error is followed by `close`.
    socket.on('error', () => {});
    socket.once('end', () => this.close());
    socket.once('close', () => this.#ended());
  }

  /** Refuses the peer unless its first frame arrives in time. */
  expectFrame(): void {
    this.#timer ??= setTimeout(
      () => this.refuse('frame-timeout: no whole frame arrived in time'),
      this.#limits.frameTimeoutMs,
    );
  }

  send(message: Message): void {
    if (!this.#isOpen) return;
    this.#socket.write(encodeFrame(message));
    // A peer that doesn't read is ended: what it asked for would fill the memory.
    if (this.#socket.writableLength > this.#limits.maxQueuedBytes) this.#socket.destroy();
  }

  /** Sends an error that belongs to no request, and ends the connection. */
  refuse(error: string): void {
    this.send({ type: 'response', requestId: null, resultType: 'error', error });
    this.close();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#socket.end();
    // The peer's last bytes are dropped; it need not close its side.
    this.#socket.destroySoon();
    this.#settle();
  }

  #read(chunk: Buffer): void {
    try {
      for (const message of this.#reader.read(chunk)) {
        if (!this.#isOpen) return;
        this.#stopTimer();
        this.#events.received(message);
      }
      if (!this.#isOpen) return;
      this.#count(this.#reader.pendingBytes);
      if (this.#pending.count > this.#limits.maxPendingBytes) throw new BadFrame('too-many-bytes: try again later');
      if (this.#reader.isWithinFrame) this.expectFrame();
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error;
      this.refuse(error.message);
    }
  }

  #count(bytes: number): void {
    this.#pending.count += bytes - this.#counted;
    this.#counted = bytes;
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #settle(): void {
    this.#stopTimer();
    this.#count(0);
  }

  #ended(): void {
    this.#isOpen = false;
    this.#settle();
    this.#events.closed();
  }
}
