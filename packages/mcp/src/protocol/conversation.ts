import type { Connection, SendHints } from '../jsonrpc/connection.ts';
import { messageOf } from '../jsonrpc/errors.ts';
import type { IncomingRequest } from '../jsonrpc/incoming-request.ts';
import type { ErrorObject, Notification, Params, Request, RequestId } from '../jsonrpc/message.ts';
import { Peer, type PeerHandlers, type PeerLimits, type RequestOptions } from '../jsonrpc/peer.ts';
import type { Revision } from './revision.ts';
import type { Progress } from './types.ts';

/** What either side of MCP does with what arrives, once cancellation and progress are taken care of. */
export interface ConversationHandlers {
  answer(request: Request, incoming: IncomingRequest): unknown;
  /** Must not throw. */
  hear(notification: Notification): void;
  ended?(): void;
  closed(reason: Error): void;
  /** Something went wrong that no request can report. */
  failed(error: Error): void;
}

export interface CallOptions extends SendHints {
  /** Aborting it cancels the request on the other side too. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without an answer or progress. */
  readonly timeout?: number | undefined;
  /** Milliseconds in all, progress or not. */
  readonly maxTimeout?: number | undefined;
  /** Asks for progress and gets it. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A peer with the parts of MCP that both sides share: cancellation, progress, batches, errors without an id. */
export class Conversation implements PeerHandlers {
  readonly #peer: Peer;
  readonly #handlers: ConversationHandlers;
  /** What was negotiated, once it was. */
  revision: Revision | undefined;

  constructor(connection: Connection, handlers: ConversationHandlers, limits: Required<PeerLimits>) {
    this.#handlers = handlers;
    this.#peer = new Peer(connection, this, limits);
  }

  start(): void {
    this.#peer.start();
  }

  request(method: string, params: Params | undefined, options?: CallOptions): Promise<unknown> {
    const onProgress = options?.onProgress as ((value: unknown) => void) | undefined;
    if (onProgress === undefined) return this.#peer.request(method, params, options as RequestOptions);
    const id = this.#peer.nextId();
    const withToken = { ...params, _meta: { ...(params as { _meta?: object } | undefined)?._meta, progressToken: id } };
    // `#progressed` lets only well-formed progress through.
    return this.#peer.request(method, withToken, { ...options, id, onProgress });
  }

  notify(method: string, params?: Params, hints?: SendHints): void {
    this.#peer.notify(method, params, hints);
  }

  drained(): Promise<void> {
    return this.#peer.drained();
  }

  close(reason?: string): Promise<void> {
    return this.#peer.close(reason);
  }

  /** Called by the peer, like all that follow. */
  answer(request: Request, incoming: IncomingRequest): unknown {
    return this.#handlers.answer(request, incoming);
  }

  hear(notification: Notification): void {
    const { method, params } = notification;
    if (method === 'notifications/cancelled') this.#cancelled(params);
    else if (method === 'notifications/progress') this.#progressed(params);
    else this.#handlers.hear(notification);
  }

  abandoned(id: RequestId, reason: Error, { relatedRequestId }: SendHints): void {
    // An initialize may not be cancelled; it is the only request made before a revision is known.
    if (this.revision === undefined) return;
    this.#peer.notify('notifications/cancelled', { requestId: id, reason: messageOf(reason) }, { relatedRequestId });
  }

  complaint({ code, message }: ErrorObject): void {
    this.#handlers.failed(new Error(`The other side could not read a message of ours: ${message} (${code})`));
  }

  batchRefusal(): string | undefined {
    if (this.revision?.batches) return undefined;
    const why = this.revision === undefined ? 'allowed before initialize' : `part of MCP ${this.revision.version}`;
    return `Invalid request: batches are not ${why}; send the messages one by one`;
  }

  unreadableId(): null | undefined {
    return this.revision === undefined ? null : this.revision.unreadableId;
  }

  ended(): void {
    this.#handlers.ended?.();
  }

  closed(reason: Error): void {
    this.#handlers.closed(reason);
  }

  #cancelled(params: Params | undefined): void {
    const { requestId, reason } = (params ?? {}) as { requestId?: unknown; reason?: unknown };
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    const why = typeof reason === 'string' ? reason : 'no reason given';
    this.#peer.cancel(requestId, new Error(`Cancelled by the other side: ${why}`));
  }

  #progressed(params: Params | undefined): void {
    const { progressToken, progress, total, message } = (params ?? {}) as Record<string, unknown>;
    if (typeof progressToken !== 'number' || typeof progress !== 'number') return;
    const value: Progress = { progress };
    if (typeof total === 'number') value.total = total;
    if (typeof message === 'string') value.message = message;
    this.#peer.progress(progressToken, value);
  }
}
