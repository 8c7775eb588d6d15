import type { Malformed, Message, RequestId, Response } from './message.ts';

/**
 * A two-way stream of whole messages. It does not interpret them.
 * Callbacks rather than an async iterable: an iterable costs a promise and a turn of the microtask queue per message.
 */
export interface Connection {
  /** Request ids start after this number. Processes that share a client use different numbers. Default 0. */
  readonly idsAfter?: number;
  /** Starts delivery to the one receiver. Called once; what arrives earlier is buffered. */
  start(receiver: Receiver): void;
  /**
   * Queues a message; after the connection closed it does nothing.
   * Throws NotSerializable, and then nothing was queued. A reader too slow for the queue's limit ends the connection.
   */
  send(message: Outgoing, hints?: SendHints): void;
  /**
   * Closes the stream on which the peer waits for the response to its request, after asking it to reconnect for the
   * rest. Only transports whose streams can be resumed have this.
   */
  release?(relatedRequestId: RequestId): void;
  /** Nothing waits for the response to our request any more: a transport with a stream per request closes it. */
  abandon?(id: RequestId): void;
  /**
   * Settles when the queue towards the reader is short again, or the connection closed; await it when sending much.
   * A transport with more than one queue waits for the one that messages about the given request go to.
   */
  drained(relatedRequestId?: RequestId): Promise<void>;
  /** Sends what is queued, then closes. Safe to call twice; settles when everything is released. */
  close(reason?: string): Promise<void>;
}

/** Gets what a text holds. */
export interface MessageSink {
  /** `origin` is what the transport knows about the source of the message; jsonrpc/ passes it on unread. */
  message(message: Message, origin?: unknown): void;
  malformed(malformed: Malformed): void;
  batch(items: readonly (Message | Malformed)[], origin?: unknown): void;
  /**
   * A message that was given to `send` could not be delivered, or the response to it could not be read. `id` is the
   * request that gets no response; undefined when the message was no request. The connection stays open.
   */
  refused(id: RequestId | undefined, reason: Error): void;
}

/** Gets what arrives on a connection. No call comes after `closed`. */
export interface Receiver extends MessageSink {
  /** The peer sends nothing more but may still read. Not every transport can tell. */
  ended(): void;
  /** The connection has closed, for the reason given. Called exactly once. */
  closed(reason: Error): void;
}

export type Outgoing = Message | readonly Response[];

/** Used by transports with more than one stream to the peer; the others ignore it. */
export interface SendHints {
  /** The request of the peer that this message belongs to, though it is not its response. */
  readonly relatedRequestId?: RequestId | undefined;
  /** For the transport; jsonrpc/ passes it on unread. */
  readonly transport?: unknown;
}
