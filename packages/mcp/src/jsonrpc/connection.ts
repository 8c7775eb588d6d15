import type { Malformed, Message, RequestId, Response } from './message.ts';

/**
 * A two-way stream of whole messages that knows nothing of what they mean.
 * Callbacks rather than an async iterable: an iterable costs a promise and a turn of the microtask queue per message.
 */
export interface Connection {
  /** The ids of our requests begin after it, where other processes ask the same other side. Default 0. */
  readonly idsAfter?: number;
  /** Begins delivery to the one receiver. Called once; what arrives earlier is kept for it. */
  start(receiver: Receiver): void;
  /**
   * Queues a message; after the connection closed it does nothing.
   * Throws NotSerializable, and then nothing was queued. A reader too slow for the queue's limit ends the connection.
   */
  send(message: Outgoing, hints?: SendHints): void;
  /**
   * Lets the other side fetch the rest of what belongs to its request later, where that is possible: it is told to come
   * back, and the stream it holds open meanwhile is closed.
   */
  release?(relatedRequestId: RequestId): void;
  /** Settles when the queue towards the reader is short again, or the connection closed. For those who send much. */
  drained(): Promise<void>;
  /** Sends what is queued, then closes. Safe to call twice; settles when everything is released. */
  close(reason?: string): Promise<void>;
}

/** Whoever listens on a connection. No call comes after `closed`. */
export interface Receiver {
  message(message: Message, origin?: Origin): void;
  malformed(malformed: Malformed): void;
  batch(items: readonly (Message | Malformed)[]): void;
  /** The other side will send nothing more but may still read. Not every transport can tell. */
  ended(): void;
  /** The connection is over, for the reason given. Called exactly once. */
  closed(reason: Error): void;
}

export type Outgoing = Message | readonly Response[];

/** What a transport with more than one way to the other side may use; the others ignore it. */
export interface SendHints {
  /** The request of the other side that this message belongs to, though it is not its answer. */
  readonly relatedRequestId?: RequestId | undefined;
  /** Headers to send along, where there are such. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a transport knows about how a message came. */
export interface Origin {
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  /** Chooses the HTTP status of the answer to this message. */
  answerWith(status: number): void;
}

export interface ConnectionLimits {
  /** A larger message is refused with an error, and the connection lives. Default 64 MiB. */
  readonly maxMessageBytes?: number;
  /** When more than this waits for a reader, the connection is closed. Default 64 MiB. */
  readonly maxQueuedBytes?: number;
}

export const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
