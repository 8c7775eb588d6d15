import type { Connection, SendHints } from '../jsonrpc/connection.ts';
import { asError, ErrorFromPeer, messageOf, toErrorObject } from '../jsonrpc/errors.ts';
import type { IncomingRequest, InFlight } from '../jsonrpc/in-flight.ts';
import type { PeerLimits } from '../jsonrpc/limits.ts';
import type { ErrorObject, Notification, Params, Request, RequestId } from '../jsonrpc/message.ts';
import { Peer, type PeerHandlers } from '../jsonrpc/peer.ts';
import type { RequestOptions } from '../jsonrpc/pending-requests.ts';
import { guard } from '../jsonrpc/report-error.ts';
import type { HttpHints } from './http-hints.ts';
import type { Revision } from './revision.ts';
import { clip } from './schema/problem.ts';
import type { Progress } from './types.ts';

/** What either side of MCP does with what arrives, apart from cancellation and progress. */
export interface ConversationHandlers {
  respond(request: Request, incoming: IncomingRequest): unknown;
  /** The error to send for what `respond` threw. Default: its message. Must not throw. */
  errorOf?(thrown: unknown, request: Request): ErrorObject;
  receive(notification: Notification, origin?: unknown): void;
  ended?(): void;
  closed(reason: Error): void;
  /** Gets failures that no request can report. Must not throw. */
  failed(error: Error): void;
}

export interface CallOptions {
  /** Aborting it cancels the request on the peer too. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without a response or progress; 0 is no limit. */
  readonly timeout?: number | undefined;
  /** Milliseconds in all, with or without progress; 0 is no limit. */
  readonly maxTimeout?: number | undefined;
  /** The request of the peer that this one belongs to. */
  readonly relatedRequestId?: RequestId | undefined;
  /** Sent with the request over HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with the progress that the peer reports. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Errors without an id that are reported for one connection. */
const MAX_COMPLAINTS = 10;

/** A peer with the parts of MCP that both sides share: cancellation, progress, batches, errors without an id. */
export class Conversation implements PeerHandlers {
  readonly #peer: Peer;
  readonly #handlers: ConversationHandlers;
  /** Of progress that outlasts its request. */
  #progressListeners: Map<number, (progress: Progress) => void> | undefined;
  /** Errors without an id that the peer has sent. */
  #complaints = 0;
  #closedBy: Error | undefined;
  #onClosed: ((reason: Error) => void)[] | undefined;
  /** Undefined until it is negotiated. */
  revision: Revision | undefined;

  constructor(connection: Connection, handlers: ConversationHandlers, limits: Required<PeerLimits>, total?: InFlight) {
    this.#handlers = handlers;
    this.#peer = new Peer(connection, this, limits, total);
  }

  start(): void {
    this.#peer.start();
  }

  request(method: string, params: Params | undefined, options?: CallOptions): Promise<unknown> {
    // Most calls have neither, and need no copy of their options.
    if (options?.headers === undefined && options?.onProgress === undefined) {
      return this.#peer.request(method, params, options as RequestOptions | undefined);
    }
    const { headers, onProgress, ...rest } = options;
    const sent: RequestOptions = headers === undefined ? rest : { ...rest, transport: { headers } satisfies HttpHints };
    if (onProgress === undefined) return this.#peer.request(method, params, sent);
    const id = this.#peer.nextId();
    const withToken = { ...params, _meta: { ...(params as { _meta?: object } | undefined)?._meta, progressToken: id } };
    return this.#peer.request(method, withToken, {
      ...sent,
      id,
      // `#progressed` passes on well-formed progress only.
      onProgress: onProgress as (value: unknown) => void,
    });
  }

  /** A token for progress that is reported after the response to its request. Progress is passed on until `release`. */
  progressToken(onProgress: (progress: Progress) => void): { readonly token: number; release(): void } {
    const token = this.#peer.nextId();
    this.#progressListeners ??= new Map();
    this.#progressListeners.set(token, onProgress);
    return { token, release: () => void this.#progressListeners?.delete(token) };
  }

  notify(method: string, params?: Params, hints?: SendHints): void {
    this.#peer.notify(method, params, hints);
  }

  drained(relatedRequestId?: RequestId): Promise<void> {
    return this.#peer.drained(relatedRequestId);
  }

  close(reason?: string): Promise<void> {
    return this.#peer.close(reason);
  }

  /** Why the connection has closed, once it has. */
  get closedBy(): Error | undefined {
    return this.#closedBy;
  }

  /** Settles with the reason when the connection has closed. */
  get end(): Promise<Error> {
    return new Promise((resolve) => {
      if (this.#closedBy !== undefined) resolve(this.#closedBy);
      else {
        this.#onClosed ??= [];
        this.#onClosed.push(resolve);
      }
    });
  }

  /** Called by `#peer`, like all methods below. */
  respond(request: Request, incoming: IncomingRequest): unknown {
    return this.#handlers.respond(request, incoming);
  }

  errorOf(thrown: unknown, request: Request): ErrorObject {
    return this.#handlers.errorOf?.(thrown, request) ?? toErrorObject(thrown);
  }

  receive(notification: Notification, origin: unknown): void {
    const { method, params } = notification;
    if (method === 'notifications/cancelled') this.#cancelled(params);
    else if (method === 'notifications/progress') this.#progressed(params);
    else this.#handlers.receive(notification, origin);
  }

  abandoned(id: RequestId, reason: Error, { relatedRequestId }: SendHints): void {
    // The requests before a revision is known, initialize among them, must not be cancelled.
    if (this.revision === undefined) return;
    this.#peer.notify('notifications/cancelled', { requestId: id, reason: messageOf(reason) }, { relatedRequestId });
  }

  errorWithoutId({ code, message }: ErrorObject): void {
    this.#complaints += 1;
    if (this.#complaints > MAX_COMPLAINTS) return;
    const more = this.#complaints === MAX_COMPLAINTS ? '. Further ones are not reported' : '';
    const text = `The peer could not read one of our messages: ${clip(message, 500)} (${code})${more}`;
    this.failed(new ErrorFromPeer(text));
  }

  failed(error: Error): void {
    this.#handlers.failed(error);
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
    this.#closedBy = reason;
    for (const settle of this.#onClosed ?? []) settle(reason);
    this.#handlers.closed(reason);
  }

  #cancelled(params: Params | undefined): void {
    const { requestId, reason } = (params ?? {}) as { requestId?: unknown; reason?: unknown };
    if (typeof requestId !== 'string' && typeof requestId !== 'number') return;
    const why = typeof reason === 'string' ? clip(reason, 500) : 'no reason given';
    this.#peer.cancel(requestId, new Error(`Cancelled by the peer: ${why}`));
  }

  #progressed(params: Params | undefined): void {
    const { progressToken, progress, total, message } = (params ?? {}) as Record<string, unknown>;
    if (typeof progressToken !== 'number' || typeof progress !== 'number') return;
    const value: Progress = { progress };
    if (typeof total === 'number') value.total = total;
    if (typeof message === 'string') value.message = message;
    const listener = this.#progressListeners?.get(progressToken);
    if (listener === undefined) this.#peer.progress(progressToken, value);
    else
      guard(
        () => listener(value),
        (thrown) => this.failed(asError(thrown)),
      );
  }
}
