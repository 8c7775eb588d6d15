import type { Malformed, Message, Response } from './message.ts';

/**
 * A two-way stream of whole messages that knows nothing of what they mean.
 * Callbacks rather than an async iterable: an iterable costs a promise and a turn of the microtask queue per message.
 */
export interface Connection {
  /** Begins delivery to the one receiver. Called once; what arrives earlier is kept for it. */
  start(receiver: Receiver): void;
  /**
   * Queues a message; after the connection closed it does nothing.
   * Throws NotSerializable, and then nothing was queued. A reader too slow for the queue's limit ends the connection.
   */
  send(message: Outgoing): void;
  /** Settles when the queue towards the reader is short again, or the connection closed. For those who send much. */
  drained(): Promise<void>;
  /** Sends what is queued, then closes. Safe to call twice; settles when everything is released. */
  close(reason?: string): Promise<void>;
}

/** Whoever listens on a connection. No call comes after `closed`. */
export interface Receiver {
  message(message: Message): void;
  malformed(malformed: Malformed): void;
  batch(items: readonly (Message | Malformed)[]): void;
  /** The other side will send nothing more but may still read. Not every transport can tell. */
  ended(): void;
  /** The connection is over, for the reason given. Called exactly once. */
  closed(reason: Error): void;
}

export type Outgoing = Message | readonly Response[];

export interface ConnectionLimits {
  /** A larger message is refused with an error, and the connection lives. Default 64 MiB. */
  readonly maxMessageBytes?: number;
  /** When more than this waits for a reader, the connection is closed. Default 64 MiB. */
  readonly maxQueuedBytes?: number;
}

export const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
