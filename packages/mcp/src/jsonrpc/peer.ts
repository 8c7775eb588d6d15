import { isMalformed } from './codec.ts';
import type { Connection, Receiver, SendHints } from './connection.ts';
import { Deadlines } from './deadlines.ts';
import { ConnectionClosed, ErrorCode, NotSerializable, RequestTimeout, RpcError, toErrorObject } from './errors.ts';
import { BatchReply, IncomingRequest } from './incoming-request.ts';
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
import { isThenable } from './thenable.ts';

/** What a peer does with what arrives. None of these may throw except `answer`. */
export interface PeerHandlers {
  /** Answers with its value, its promise's value, or what it throws. */
  answer(request: Request, incoming: IncomingRequest): unknown;
  hear(notification: Notification): void;
  /** Our own request was given up (aborted or timed out) and the other side should know. */
  abandoned(id: RequestId, reason: Error, hints: SendHints): void;
  /** The other side answered with an error that belongs to no request: it could not read something we sent. */
  complaint(error: ErrorObject): void;
  /** Undefined when batches are answered, else why not. */
  batchRefusal(): string | undefined;
  /** The id of an error whose request could not be read. */
  unreadableId(): null | undefined;
  /** The other side sends nothing more; whatever waits for it alone may end now. */
  ended?(): void;
  closed(reason: Error): void;
}

export interface PeerLimits {
  /** More requests than this at once are refused with an error. Default 1024. */
  readonly maxInFlight?: number;
  /** A longer batch is refused with an error. Default 1024. */
  readonly maxBatch?: number;
  /** How long handlers may go on after the other side ended its half of the connection. Default 5000 ms. */
  readonly drainTimeout?: number;
  /** Answer a cancelled request with -32800; MCP wants no answer, plain JSON-RPC wants one. Default false. */
  readonly answerCancelled?: boolean;
}

export interface RequestOptions extends SendHints {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds without an answer or progress; none by default. */
  readonly timeout?: number | undefined;
  /** Milliseconds in all, progress or not. */
  readonly maxTimeout?: number | undefined;
  /** Called with whatever `peer.progress` is given for this request; each call restarts `timeout`. */
  readonly onProgress?: ((value: unknown) => void) | undefined;
  /** From `nextId()`, for those who must know the id beforehand. */
  readonly id?: number | undefined;
}

interface Pending {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly options: RequestOptions;
  readonly onAbort: (() => void) | undefined;
  deadline: number;
  readonly lastDeadline: number;
}

const NEVER = Number.POSITIVE_INFINITY;
/** Never filled: most idle connections ask nothing and have nothing to answer, so their maps are made when needed. */
const NOTHING = new Map<never, never>();
const NO_MORE = 'The other side has stopped sending';
const NO_OPTIONS: RequestOptions = {};

/** One end of a JSON-RPC conversation: asks, answers every request exactly once, and ends cleanly. */
export class Peer implements Receiver {
  readonly #connection: Connection;
  readonly #handlers: PeerHandlers;
  readonly #limits: Required<PeerLimits>;
  #pending: Map<RequestId, Pending> = NOTHING;
  #inFlight: Map<RequestId, IncomingRequest> = NOTHING;
  #deadlines: Deadlines | undefined;
  #lastId: number | undefined;
  #closedBy: Error | undefined;
  #ended = false;
  #drainTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(connection: Connection, handlers: PeerHandlers, limits: Required<PeerLimits> = DEFAULT_LIMITS) {
    this.#connection = connection;
    this.#handlers = handlers;
    this.#limits = limits;
  }

  /** Apart from the constructor, so that the owner can finish its own before the first message arrives. */
  start(): void {
    this.#connection.start(this);
  }

  nextId(): number {
    this.#lastId = (this.#lastId ?? this.#connection.idsAfter ?? 0) + 1;
    return this.#lastId;
  }

  request(method: string, params?: Params, options: RequestOptions = NO_OPTIONS): Promise<unknown> {
    const { signal, timeout, maxTimeout } = options;
    if (this.#closedBy !== undefined) return Promise.reject(this.#closedBy);
    if (this.#ended) return Promise.reject(new ConnectionClosed(NO_MORE));
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = options.id ?? this.nextId();
    return new Promise((resolve, reject) => {
      const onAbort = signal && (() => this.#abandon(id, asError(signal.reason)));
      let deadline = NEVER;
      let lastDeadline = NEVER;
      if (timeout !== undefined || maxTimeout !== undefined) {
        const now = performance.now();
        lastDeadline = now + (maxTimeout ?? NEVER);
        deadline = Math.min(now + (timeout ?? NEVER), lastDeadline);
      }
      if (this.#pending === NOTHING) this.#pending = new Map();
      this.#pending.set(id, { method, resolve, reject, options, onAbort, deadline, lastDeadline });
      if (onAbort) signal.addEventListener('abort', onAbort, { once: true });
      if (deadline !== NEVER) {
        this.#deadlines ??= new Deadlines((now) => this.#expire(now));
        this.#deadlines.watch(deadline);
      }
      try {
        this.#connection.send(
          params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params },
          options,
        );
      } catch (unserializable) {
        this.#take(id);
        throw unserializable;
      }
    });
  }

  notify(method: string, params?: Params, hints?: SendHints): void {
    this.#connection.send(
      params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params },
      hints,
    );
  }

  /** Progress of one of our requests: tells its caller and grants it more time. */
  progress(id: RequestId, value: unknown): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    const { timeout, onProgress } = pending.options;
    if (timeout !== undefined) pending.deadline = Math.min(performance.now() + timeout, pending.lastDeadline);
    onProgress?.(value);
  }

  /** The other side no longer wants the answer to its request. */
  cancel(id: RequestId, reason: Error): void {
    const incoming = this.#inFlight.get(id);
    if (incoming === undefined) return;
    this.#inFlight.delete(id);
    incoming.abort(reason);
    const error = { code: ErrorCode.RequestCancelled, message: 'Request cancelled' };
    if (this.#limits.answerCancelled) this.#reply({ jsonrpc: '2.0', id, error }, incoming.batch);
    else incoming.batch?.add(undefined);
    this.#closeWhenDone();
  }

  /** Settles when there is room in the queue towards the other side. */
  drained(relatedRequestId?: RequestId): Promise<void> {
    return this.#connection.drained(relatedRequestId);
  }

  /** Answers what is still unanswered with an error, then closes the connection. */
  close(reason = 'Closed by this side'): Promise<void> {
    clearTimeout(this.#drainTimer);
    const error = { code: ErrorCode.InternalError, message: `Internal error: no answer before the end: ${reason}` };
    for (const incoming of this.#inFlight.values()) {
      incoming.abort(new ConnectionClosed(reason));
      this.#reply({ jsonrpc: '2.0', id: incoming.id, error }, incoming.batch);
    }
    this.#inFlight.clear();
    return this.#connection.close(reason);
  }

  message(message: Message, origin?: unknown): void {
    if (message.method === undefined) this.#answered(message);
    else if (message.id === undefined) this.#handlers.hear(message);
    else this.#asked(message, undefined, origin);
  }

  malformed({ error, id }: Malformed): void {
    this.#reply(this.#failure(id, error), undefined);
  }

  batch(items: readonly (Message | Malformed)[], origin?: unknown): void {
    const refusal = this.#batchFlaw(items);
    if (refusal !== undefined) {
      this.malformed({ error: { code: ErrorCode.InvalidRequest, message: refusal }, id: undefined });
      return;
    }
    const wantsAnswer = (item: Message | Malformed) =>
      isMalformed(item) || (item.method !== undefined && item.id !== undefined);
    const reply = new BatchReply(items.filter(wantsAnswer).length, (answers) => this.#sendBatch(answers));
    for (const item of items) {
      if (isMalformed(item)) reply.add(this.#failure(item.id, item.error));
      else if (wantsAnswer(item)) this.#asked(item as Request, reply, origin);
      else this.message(item, origin);
    }
  }

  refused(id: RequestId, reason: Error): void {
    this.#take(id)?.reject(reason);
  }

  ended(): void {
    this.#ended = true;
    this.#rejectPending(new ConnectionClosed(NO_MORE));
    this.#handlers.ended?.();
    if (this.#inFlight.size > 0) {
      this.#drainTimer = setTimeout(() => void this.close(NO_MORE), this.#limits.drainTimeout);
    }
    this.#closeWhenDone();
  }

  closed(reason: Error): void {
    clearTimeout(this.#drainTimer);
    this.#closedBy = reason;
    this.#rejectPending(reason);
    if (this.#inFlight.size > 0) {
      for (const incoming of this.#inFlight.values()) incoming.abort(reason);
      this.#inFlight.clear();
    }
    this.#handlers.closed(reason);
  }

  #asked(request: Request, batch: BatchReply | undefined, origin: unknown): void {
    const { id } = request;
    const refusal = this.#refusal(id);
    if (refusal !== undefined) {
      this.#reply({ jsonrpc: '2.0', id, error: refusal }, batch);
      return;
    }
    const incoming = new IncomingRequest(id, batch, origin);
    try {
      const outcome = this.#handlers.answer(request, incoming);
      if (!isThenable(outcome)) {
        this.#settle(incoming, { jsonrpc: '2.0', id, result: outcome === undefined ? {} : outcome });
        return;
      }
      if (this.#inFlight === NOTHING) this.#inFlight = new Map();
      this.#inFlight.set(id, incoming);
      outcome.then(
        (result) => this.#settle(incoming, { jsonrpc: '2.0', id, result: result === undefined ? {} : result }),
        (thrown) => this.#settle(incoming, { jsonrpc: '2.0', id, error: toErrorObject(thrown) }),
      );
    } catch (thrown) {
      this.#settle(incoming, { jsonrpc: '2.0', id, error: toErrorObject(thrown) });
    }
  }

  #refusal(id: RequestId): ErrorObject | undefined {
    if (this.#inFlight.size === 0) return undefined;
    if (this.#inFlight.has(id)) {
      const message = `Invalid request: id ${JSON.stringify(id)} is still in use by an unanswered request`;
      return { code: ErrorCode.InvalidRequest, message };
    }
    const { maxInFlight } = this.#limits;
    if (this.#inFlight.size < maxInFlight) return undefined;
    return { code: ErrorCode.LimitReached, message: `Too many requests at once: ${maxInFlight} are unanswered` };
  }

  /** The only way an answer leaves; the first one wins. */
  #settle(incoming: IncomingRequest, answer: Response): void {
    if (incoming.settled) return;
    incoming.settled = true;
    if (this.#inFlight.size > 0) this.#inFlight.delete(incoming.id);
    this.#reply(answer, incoming.batch);
    if (this.#ended) this.#closeWhenDone();
  }

  #reply(answer: Response, batch: BatchReply | undefined): void {
    if (batch !== undefined) {
      batch.add(answer);
      return;
    }
    try {
      this.#connection.send(answer);
    } catch (thrown) {
      this.#connection.send(unserializable(answer, thrown));
    }
  }

  #sendBatch(answers: readonly Response[]): void {
    try {
      this.#connection.send(answers);
    } catch {
      for (const answer of answers) this.#reply(answer, undefined);
    }
  }

  #answered(response: Success | Failure): void {
    const { id } = response;
    const pending = id === undefined || id === null ? undefined : this.#take(id);
    if (pending === undefined) {
      // An answer to a request given up long ago is no news; an error without an id is.
      if ((id === undefined || id === null) && response.error) this.#handlers.complaint(response.error);
      return;
    }
    if (response.error) {
      const { code, message, data } = response.error;
      pending.reject(new RpcError(code, message, data));
    } else {
      pending.resolve((response as Success).result);
    }
  }

  #take(id: RequestId): Pending | undefined {
    const pending = this.#pending.get(id);
    if (pending === undefined) return undefined;
    this.#pending.delete(id);
    if (pending.onAbort) pending.options.signal?.removeEventListener('abort', pending.onAbort);
    return pending;
  }

  #abandon(id: RequestId, reason: Error): void {
    const pending = this.#take(id);
    if (pending === undefined) return;
    this.#handlers.abandoned(id, reason, pending.options);
    pending.reject(reason);
  }

  #expire(now: number): number {
    let earliest = NEVER;
    for (const [id, { method, deadline, options }] of this.#pending) {
      if (deadline > now) {
        earliest = Math.min(earliest, deadline);
        continue;
      }
      const waited = options.timeout ?? options.maxTimeout;
      this.#abandon(id, new RequestTimeout(`${method} was not answered within ${waited} ms`));
    }
    return earliest;
  }

  #rejectPending(reason: Error): void {
    this.#deadlines?.stop();
    if (this.#pending.size > 0) for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(reason);
  }

  #closeWhenDone(): void {
    if (this.#ended && this.#inFlight.size === 0) void this.close(NO_MORE);
  }

  #batchFlaw(items: readonly unknown[]): string | undefined {
    if (items.length === 0) return 'Invalid request: the batch is empty';
    const refusal = this.#handlers.batchRefusal();
    if (refusal !== undefined) return refusal;
    const { maxBatch } = this.#limits;
    return items.length > maxBatch ? `Invalid request: a batch holds at most ${maxBatch} messages` : undefined;
  }

  #failure(id: RequestId | undefined, error: ErrorObject): Failure {
    const answerId = id ?? this.#handlers.unreadableId();
    return answerId === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id: answerId, error };
  }
}

export const DEFAULT_LIMITS: Required<PeerLimits> = {
  maxInFlight: 1024,
  maxBatch: 1024,
  drainTimeout: 5000,
  answerCancelled: false,
};

/** The error to send in place of an answer that cannot be written as JSON. */
export function unserializable(answer: Response, thrown: unknown): Failure {
  const why = thrown instanceof NotSerializable ? thrown.message : 'unknown reason';
  const message = `Internal error: the answer cannot be written as JSON: ${why}`;
  return { jsonrpc: '2.0', id: answer.id ?? null, error: { code: ErrorCode.InternalError, message } };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
