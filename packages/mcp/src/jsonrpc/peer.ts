import { isMalformed } from './codec.ts';
import type { Connection, Receiver, SendHints } from './connection.ts';
import { asError, ConnectionClosed, ErrorCode, RpcError, toErrorObject, unserializable } from './errors.ts';
import { BatchReply, IncomingRequest, type InFlight, largeBytes, OpenRequests } from './in-flight.ts';
import { DEFAULT_LIMITS, type PeerLimits } from './limits.ts';
import type {
  ErrorObject,
  Failure,
  Malformed,
  Message,
  Notification,
  Params,
  Request,
  RequestId,
  Response,
  Success,
} from './message.ts';
import { PendingRequests, type RequestOptions } from './pending-requests.ts';
import { guard, reportOnStderr } from './report-error.ts';
import { promiseOf } from './thenable.ts';

/** What a peer does with what arrives. What `respond` throws is sent as an error; what the others throw goes to `failed`. */
export interface PeerHandlers {
  /** The response is the value, the promise's value, or what it throws. */
  respond(request: Request, incoming: IncomingRequest): unknown;
  /** The error to send for what `respond` threw. Default: its message. Must not throw. */
  errorOf?(thrown: unknown, request: Request): ErrorObject;
  /** Default: notifications are ignored. */
  receive?(notification: Notification, origin?: unknown): void;
  /** One of our requests was aborted or timed out; the peer should know. Default: it is not told. */
  abandoned?(id: RequestId, reason: Error, hints: SendHints): void;
  /** The peer sent an error without an id: it could not read one of our messages. Default: ignored. */
  errorWithoutId?(error: ErrorObject): void;
  /**
   * Gets failures that no request can report: a callback threw, or a notification was not delivered. Default: they are
   * written to stderr. Must not throw.
   */
  failed?(error: Error): void;
  /** Why batches are refused; undefined when they are accepted, which is the default. */
  batchRefusal?(): string | undefined;
  /** The id of an error whose request could not be read. Default: null. */
  unreadableId?(): null | undefined;
  /** The peer sends nothing more but may still read. */
  ended?(): void;
  closed(reason: Error): void;
}

const NO_MORE = 'The peer has stopped sending';
const NO_OPTIONS: RequestOptions = {};

/**
 * One end of a JSON-RPC connection: sends requests, and responds to every request exactly once. "The peer" in comments and
 * messages is the other end.
 */
export class Peer implements Receiver {
  readonly #connection: Connection;
  readonly #handlers: PeerHandlers;
  readonly #limits: Required<PeerLimits>;
  /** The requests in flight on all connections of the owner. */
  readonly #total: InFlight | undefined;
  /** Made on first use, like `#inFlight`. */
  #pending: PendingRequests | undefined;
  #inFlight: OpenRequests | undefined;
  #lastId: number | undefined;
  #closedBy: Error | undefined;
  #ended = false;
  #drainTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    connection: Connection,
    handlers: PeerHandlers,
    limits: Required<PeerLimits> = DEFAULT_LIMITS,
    total?: InFlight,
  ) {
    this.#connection = connection;
    this.#handlers = handlers;
    this.#limits = limits;
    this.#total = total;
  }

  /** Separate from the constructor, so that the owner's constructor can finish before the first message arrives. */
  start(): void {
    this.#connection.start(this);
  }

  nextId(): number {
    this.#lastId = (this.#lastId ?? this.#connection.idsAfter ?? 0) + 1;
    return this.#lastId;
  }

  request(method: string, params?: Params, options: RequestOptions = NO_OPTIONS): Promise<unknown> {
    const { signal } = options;
    if (this.#closedBy !== undefined) return Promise.reject(this.#closedBy);
    if (this.#ended) return Promise.reject(new ConnectionClosed(NO_MORE));
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = options.id ?? this.nextId();
    this.#pending ??= new PendingRequests((...abandoned) => this.#abandon(...abandoned));
    return this.#pending.add(id, method, options, () =>
      this.#connection.send(
        params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params },
        options,
      ),
    );
  }

  notify(method: string, params?: Params, hints?: SendHints): void {
    this.#connection.send(
      params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params },
      hints,
    );
  }

  /** Progress of one of our requests: calls its `onProgress` and restarts its timeout. */
  progress(id: RequestId, value: unknown): void {
    const onProgress = this.#pending?.extend(id);
    if (onProgress !== undefined) this.#guard(() => onProgress(value));
  }

  /** The peer cancelled its request. */
  cancel(id: RequestId, reason: Error): void {
    const incoming = this.#inFlight?.get(id);
    if (incoming === undefined) return;
    this.#inFlight?.remove(incoming);
    incoming.abort(reason);
    const error = { code: ErrorCode.RequestCancelled, message: 'Request cancelled' };
    if (this.#limits.respondToCancelled) this.#reply({ jsonrpc: '2.0', id, error }, incoming.batch);
    else incoming.batch?.add(undefined);
    this.#closeWhenDone();
  }

  /** Settles when the queue towards the peer is short. */
  drained(relatedRequestId?: RequestId): Promise<void> {
    return this.#connection.drained(relatedRequestId);
  }

  /** Responds to open requests with an error, then closes the connection. */
  close(reason = 'Closed by this side'): Promise<void> {
    clearTimeout(this.#drainTimer);
    const error = { code: ErrorCode.InternalError, message: `Internal error: closed before the response: ${reason}` };
    for (const incoming of this.#inFlight?.removeAll() ?? []) {
      incoming.abort(new ConnectionClosed(reason));
      this.#reply({ jsonrpc: '2.0', id: incoming.id, error }, incoming.batch);
    }
    return this.#connection.close(reason);
  }

  message(message: Message, origin?: unknown): void {
    if (message.method === undefined) this.#settleOwn(message);
    else if (message.id === undefined) this.#guard(() => this.#handlers.receive?.(message, origin));
    else this.#asked(message, undefined, origin);
  }

  malformed({ error, id }: Malformed): void {
    this.#reply(this.#failure(id, error), undefined);
  }

  batch(items: readonly (Message | Malformed)[], origin?: unknown): void {
    const refusal = this.#batchProblem(items);
    if (refusal !== undefined) {
      this.malformed({ error: { code: ErrorCode.InvalidRequest, message: refusal }, id: undefined });
      return;
    }
    const needsResponse = (item: Message | Malformed) =>
      isMalformed(item) || (item.method !== undefined && item.id !== undefined);
    const reply = new BatchReply(items.filter(needsResponse).length, (responses) => this.#sendBatch(responses));
    for (const item of items) {
      if (isMalformed(item)) reply.add(this.#failure(item.id, item.error));
      else if (needsResponse(item)) this.#asked(item as Request, reply, origin);
      else this.message(item, origin);
    }
  }

  refused(id: RequestId | undefined, reason: Error): void {
    if (id === undefined) this.#fail(reason);
    else this.#pending?.take(id)?.reject(reason);
  }

  ended(): void {
    this.#ended = true;
    this.#pending?.rejectAll(new ConnectionClosed(NO_MORE));
    this.#guard(() => this.#handlers.ended?.());
    if (this.#isBusy && this.#limits.drainTimeout > 0) {
      this.#drainTimer = setTimeout(() => this.#closeNow(), this.#limits.drainTimeout);
    }
    this.#closeWhenDone();
  }

  closed(reason: Error): void {
    clearTimeout(this.#drainTimer);
    this.#closedBy = reason;
    this.#pending?.rejectAll(reason);
    for (const incoming of this.#inFlight?.removeAll() ?? []) incoming.abort(reason);
    this.#guard(() => this.#handlers.closed(reason));
  }

  #asked(request: Request, batch: BatchReply | undefined, origin: unknown): void {
    const { id } = request;
    const bytes = largeBytes(request);
    const refusal = this.#refusal(id, bytes, origin);
    if (refusal !== undefined) {
      this.#reply({ jsonrpc: '2.0', id, error: refusal }, batch);
      return;
    }
    const incoming = new IncomingRequest(id, batch, origin);
    try {
      const outcome = this.#handlers.respond(request, incoming);
      const promise = promiseOf(outcome);
      if (promise === undefined) {
        this.#settle(incoming, { jsonrpc: '2.0', id, result: outcome === undefined ? {} : outcome });
        return;
      }
      this.#inFlight ??= new OpenRequests(this.#limits, this.#total);
      this.#inFlight.add(incoming, bytes);
      promise.then(
        (result) => this.#settle(incoming, { jsonrpc: '2.0', id, result: result === undefined ? {} : result }),
        (thrown) => this.#settle(incoming, { jsonrpc: '2.0', id, error: this.#errorOf(thrown, request) }),
      );
    } catch (thrown) {
      this.#settle(incoming, { jsonrpc: '2.0', id, error: this.#errorOf(thrown, request) });
    }
  }

  #errorOf(thrown: unknown, request: Request): ErrorObject {
    return this.#handlers.errorOf?.(thrown, request) ?? toErrorObject(thrown);
  }

  #refusal(id: RequestId, bytes: number, origin: unknown): ErrorObject | undefined {
    const busy = this.#total?.refusal(bytes, origin);
    if (busy !== undefined) return { code: ErrorCode.LimitReached, message: busy };
    return this.#inFlight?.refusal(id, bytes);
  }

  /** Sends what the handler returned or threw, unless the request has its response or was cancelled. */
  #settle(incoming: IncomingRequest, response: Response): void {
    if (incoming.settled) return;
    incoming.settled = true;
    this.#inFlight?.remove(incoming);
    this.#reply(response, incoming.batch);
    if (this.#ended) this.#closeWhenDone();
  }

  #reply(response: Response, batch: BatchReply | undefined): void {
    if (batch !== undefined) {
      batch.add(response);
      return;
    }
    try {
      this.#connection.send(response);
    } catch (thrown) {
      this.#connection.send(unserializable(response, thrown));
      this.#fail(asError(thrown));
    }
  }

  #sendBatch(responses: readonly Response[]): void {
    try {
      this.#connection.send(responses);
    } catch {
      for (const response of responses) this.#reply(response, undefined);
    }
  }

  #settleOwn(response: Success | Failure): void {
    const { id } = response;
    const pending = id === undefined || id === null ? undefined : this.#pending?.take(id);
    if (pending === undefined) {
      // A response to an abandoned request is ignored; an error without an id is reported.
      const { error } = response;
      if ((id === undefined || id === null) && error) this.#guard(() => this.#handlers.errorWithoutId?.(error));
      return;
    }
    if (response.error) {
      const { code, message, data } = response.error;
      pending.reject(new RpcError(code, message, data));
    } else {
      pending.resolve((response as Success).result);
    }
  }

  #abandon(id: RequestId, reason: Error, options: RequestOptions): void {
    this.#guard(() => this.#handlers.abandoned?.(id, reason, options));
    this.#connection.abandon?.(id);
  }

  get #isBusy(): boolean {
    return this.#inFlight !== undefined && this.#inFlight.size > 0;
  }

  #closeWhenDone(): void {
    if (this.#ended && !this.#isBusy) this.#closeNow();
  }

  #closeNow(): void {
    this.close(NO_MORE).catch((error) => this.#fail(asError(error)));
  }

  /** Runs a callback of the owner, which must not end the transport that called us. */
  #guard(callback: () => unknown): void {
    guard(callback, (thrown) => this.#fail(asError(thrown)));
  }

  #fail(error: Error): void {
    if (this.#handlers.failed) this.#handlers.failed(error);
    else reportOnStderr(error);
  }

  #batchProblem(items: readonly unknown[]): string | undefined {
    if (items.length === 0) return 'Invalid request: the batch is empty';
    const refusal = this.#handlers.batchRefusal?.();
    if (refusal !== undefined) return refusal;
    const { maxBatch } = this.#limits;
    return items.length > maxBatch ? `Invalid request: a batch holds at most ${maxBatch} messages` : undefined;
  }

  #failure(id: RequestId | undefined, error: ErrorObject): Failure {
    const responseId = id ?? (this.#handlers.unreadableId ? this.#handlers.unreadableId() : null);
    return responseId === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id: responseId, error };
  }
}
