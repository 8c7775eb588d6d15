import { type Arrival, encode, readArrival } from '../../../../jsonrpc/codec.ts';
import type { Connection, Outgoing, Receiver, SendHints } from '../../../../jsonrpc/connection.ts';
import { ConnectionClosed, ErrorCode } from '../../../../jsonrpc/errors.ts';
import type { Malformed, Message, RequestId, Response } from '../../../../jsonrpc/message.ts';
import type { ChangeMark } from '../../../../protocol/change-mark.ts';
import { httpHintsOf } from '../../../../protocol/http-hints.ts';
import type { Origin } from '../../../../protocol/origin.ts';
import type { ResponseStream } from '../responses/response-stream.ts';
import { statusOf } from '../status.ts';

/** The requests of a batch, whose responses are sent together. */
interface Batch {
  readonly ids: Set<RequestId>;
  readonly stream: ResponseStream;
}

/** The POST that is being delivered, and its response. */
interface CurrentPost {
  readonly id: RequestId | undefined;
  readonly stream: ResponseStream;
  responded: boolean;
}

/** Handles messages that belong to no request of the client. */
export interface UnrelatedMessages {
  send(text: string, change: ChangeMark | undefined): void;
  /** The responses on which it may be sent. */
  readonly followed: Iterable<ResponseStream>;
  drained(): Promise<void>;
  /** Whether the next notification must be dropped: too many are sent without letting other requests run. */
  dropsNotification(): boolean;
  /** The connection has ended. */
  closed(): void;
}

/** Stay empty: most requests get a response at once and few are batches, so maps and sets are made when needed. */
const NO_STREAMS = new Map<never, never>();
const NO_BATCHES = new Set<never>();

/** Requests to the client that are remembered until it responds to them. */
const MAX_ASKED = 1000;

/** The HTTP status of a call that ended with its session. */
const ENDED = 503;

/** For messages that another process of this server has accepted. */
const ACCEPTED_BEFORE = {
  maxMessageBytes: Number.POSITIVE_INFINITY,
  maxValues: Number.POSITIVE_INFINITY,
  maxDepth: Number.POSITIVE_INFINITY,
  maxQueuedBytes: Number.POSITIVE_INFINITY,
};

/** A connection whose messages travel in HTTP requests. A JSON-RPC response leaves on the HTTP response of its request. */
export class HttpConnection implements Connection {
  #idsAfter: number | undefined;
  readonly #unrelated: UnrelatedMessages;
  #streams: Map<RequestId, ResponseStream> = NO_STREAMS;
  #batches: Set<Batch> = NO_BATCHES;
  #receiver: Receiver | undefined;
  /** The requests to the client that it has not responded to, and the streams of unrelated messages that were open then. */
  #asked: Map<RequestId, readonly ResponseStream[]> | undefined;
  #current: CurrentPost | undefined;
  #closed = false;
  #onResponded: (() => void) | undefined;

  constructor(unrelated: UnrelatedMessages) {
    this.#unrelated = unrelated;
  }

  /** A random number, because other processes send requests to the same client. */
  get idsAfter(): number {
    this.#idsAfter ??= randomId();
    return this.#idsAfter;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  /** Whether a receiver gets what is delivered. */
  get isOpen(): boolean {
    return this.#receiver !== undefined && !this.#closed;
  }

  /** Whether a client waits for a response. */
  get isAwaited(): boolean {
    for (const stream of this.#streams.values()) if (!stream.isGone) return true;
    return false;
  }

  /** Calls the listener once, when no request is open; at once if none is. */
  whenResponded(listener: () => void): void {
    if (this.#streams.size === 0) listener();
    else this.#onResponded = listener;
  }

  /** Delivers the body of a POST. True when the stream gets a response, now or later. */
  deliver(arrival: Arrival, stream: ResponseStream, origin: Origin): boolean {
    const receiver = this.#receiver;
    if (receiver === undefined || this.#closed) return false;
    if (arrival.kind === 'message') {
      const { message } = arrival;
      const id = message.method === undefined ? undefined : message.id;
      stream.requestIds = id;
      const current = this.#begin(id, stream);
      receiver.message(message, origin);
      this.#end(current);
      return id !== undefined;
    }
    if (arrival.kind === 'malformed') {
      const { malformed } = arrival;
      stream.requestIds = malformed.id;
      const current = this.#begin(malformed.id, stream);
      receiver.malformed(malformed);
      this.#end(current);
      return true;
    }
    const ids = arrival.items.map(idToRespondTo).filter((id) => id !== undefined);
    stream.requestIds = ids;
    // An id that is still open on another response is refused there.
    const batch = { ids: new Set(ids.filter((id) => !this.#streams.has(id))), stream };
    if (this.#batches === NO_BATCHES) this.#batches = new Set();
    this.#batches.add(batch);
    for (const id of batch.ids) this.#keep(id, stream);
    const current = this.#begin(undefined, stream);
    receiver.batch(arrival.items, origin);
    const responded = this.#end(current);
    if (responded || batch.ids.size === 0) this.#forget(batch);
    return responded || ids.length > 0;
  }

  /**
   * Takes a message that this or another process received. If it is the response to a request that was sent here, returns the
   * streams of unrelated messages on which the client may have got that.
   */
  take(text: string): readonly ResponseStream[] | undefined {
    const receiver = this.#receiver;
    const arrival = readArrival(text, ACCEPTED_BEFORE);
    if (receiver === undefined || this.#closed || arrival.kind !== 'message') return undefined;
    const { message } = arrival;
    receiver.message(message);
    if (message.method === undefined) return this.#takeAsked(message.id);
    if (message.method !== 'notifications/cancelled') return undefined;
    const { requestId } = (message.params ?? {}) as { requestId?: RequestId };
    if (requestId !== undefined) this.#endWithoutResponse(requestId);
    return undefined;
  }

  send(outgoing: Outgoing, hints?: SendHints): void {
    if (this.#closed) return;
    if (Array.isArray(outgoing)) {
      const text = encode(outgoing);
      this.#batchStream(outgoing as readonly Response[])?.respond(text);
      return;
    }
    const message = outgoing as Message;
    if (message.method === undefined) {
      const text = encode(message);
      this.#responseStream(message.id)?.respond(text, message.error ? statusOf(message.error) : 200);
      if (this.#onResponded !== undefined && this.#streams.size === 0) this.#responded();
      return;
    }
    const stream = hints?.relatedRequestId === undefined ? undefined : this.#streamOf(hints.relatedRequestId);
    if (message.id !== undefined)
      this.#noteAsked(message.id, stream === undefined ? [...this.#unrelated.followed] : []);
    if (stream === undefined) {
      if (message.id === undefined && this.#unrelated.dropsNotification()) return;
      this.#unrelated.send(encode(message), httpHintsOf(hints).change);
    } else if (message.id !== undefined || !stream.dropsNotification()) stream.event(encode(message));
  }

  release(relatedRequestId: RequestId): void {
    this.#streamOf(relatedRequestId)?.release();
  }

  drained(relatedRequestId?: RequestId): Promise<void> {
    if (this.#closed) return Promise.resolve();
    if (relatedRequestId !== undefined) {
      return this.#streamOf(relatedRequestId)?.drained() ?? this.#unrelated.drained();
    }
    const streams = new Set(this.#streams.values());
    if (this.#current !== undefined) streams.add(this.#current.stream);
    return this.#allDrained([...streams]);
  }

  async #allDrained(streams: readonly ResponseStream[]): Promise<void> {
    await Promise.all([this.#unrelated.drained(), ...streams.map((stream) => stream.drained())]);
  }

  async close(reason = 'Closed by this side'): Promise<void> {
    this.end(new ConnectionClosed(reason));
  }

  /** The error for the requests of an HTTP response, as text. */
  failureText({ requestIds }: ResponseStream, message: string): string {
    const error = { code: ErrorCode.InternalError, message: `Internal error: ${message}` };
    const failure = (id: RequestId | undefined) => ({ jsonrpc: '2.0' as const, id, error });
    return JSON.stringify(typeof requestIds === 'object' ? requestIds.map(failure) : failure(requestIds));
  }

  /** Whether a request still waits for its response on this stream. */
  isPending(stream: ResponseStream): boolean {
    return [...this.#streams.values()].includes(stream);
  }

  /** Cancels the requests of an HTTP response, which get no JSON-RPC response. */
  cancel(stream: ResponseStream, reason: string): void {
    for (const [requestId, each] of [...this.#streams]) {
      if (each !== stream) continue;
      this.#streams.delete(requestId);
      const params = { requestId, reason };
      if (!this.#closed) this.#receiver?.message({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    }
    for (const batch of [...this.#batches]) if (batch.stream === stream) this.#batches.delete(batch);
  }

  /** The client has gone, or the session has ended. What it waits for gets an error. */
  end(reason: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    const failure = `closed before the response: ${reason.message}`;
    const streams = new Set(this.#streams.values());
    const current = this.#current;
    // The request that is being delivered, if its handler ends the session at once.
    if (current?.id !== undefined && !current.responded) {
      current.responded = true;
      streams.add(current.stream);
    }
    for (const stream of streams) {
      if (stream.hasResponded) continue;
      stream.respond(this.failureText(stream, failure), ENDED);
    }
    this.#streams = NO_STREAMS;
    this.#batches = NO_BATCHES;
    this.#receiver?.closed(reason);
    this.#unrelated.closed();
    this.#responded();
  }

  #noteAsked(id: RequestId, streams: readonly ResponseStream[]): void {
    this.#asked ??= new Map();
    this.#asked.set(id, streams);
    // Clients leave some requests without a response.
    if (this.#asked.size > MAX_ASKED) this.#asked.delete(this.#asked.keys().next().value as RequestId);
  }

  #takeAsked(id: RequestId | null | undefined): readonly ResponseStream[] | undefined {
    if (id === undefined || id === null) return undefined;
    const streams = this.#asked?.get(id);
    this.#asked?.delete(id);
    return streams;
  }

  #responded(): void {
    const listener = this.#onResponded;
    this.#onResponded = undefined;
    listener?.();
  }

  #begin(id: RequestId | undefined, stream: ResponseStream): CurrentPost {
    const current = { id, stream, responded: false };
    this.#current = current;
    return current;
  }

  /** True when the response was sent. */
  #end({ id, stream, responded }: CurrentPost): boolean {
    this.#current = undefined;
    // The response comes later, unless the id belongs to another request that is still open.
    if (id !== undefined && !responded && !this.#streams.has(id)) this.#keep(id, stream);
    return responded;
  }

  #keep(id: RequestId, stream: ResponseStream): void {
    if (this.#streams === NO_STREAMS) this.#streams = new Map();
    this.#streams.set(id, stream);
  }

  #streamOf(id: RequestId): ResponseStream | undefined {
    return this.#current?.id === id ? this.#current.stream : this.#streams.get(id);
  }

  #responseStream(id: RequestId | null | undefined): ResponseStream | undefined {
    const current = this.#current;
    // During a delivery, a response with the id of its request, or without an id, responds to it.
    if (current !== undefined && (id === undefined || id === null || current.id === id)) {
      current.responded = true;
      return current.stream;
    }
    if (id === undefined || id === null) return undefined;
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    return stream;
  }

  #batchStream(responses: readonly Response[]): ResponseStream | undefined {
    const isOf = ({ ids }: Batch) => responses.some(({ id }) => id !== undefined && id !== null && ids.has(id));
    const batch = [...this.#batches].find(isOf);
    if (this.#current !== undefined && (batch === undefined || batch.stream === this.#current.stream)) {
      this.#current.responded = true;
      return this.#current.stream;
    }
    if (batch !== undefined) this.#forget(batch);
    return batch?.stream;
  }

  #forget(batch: Batch): void {
    this.#batches.delete(batch);
    for (const id of batch.ids) this.#streams.delete(id);
  }

  /** A cancelled request gets no JSON-RPC response, but its HTTP response must end. */
  #endWithoutResponse(id: RequestId): void {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    const batch = [...this.#batches].find(({ ids }) => ids.delete(id));
    if (batch !== undefined && batch.ids.size > 0) return;
    if (batch !== undefined) this.#batches.delete(batch);
    stream?.end();
  }
}

function idToRespondTo(item: Message | Malformed): RequestId | undefined {
  return 'method' in item && item.method !== undefined ? item.id : undefined;
}

/** 47 bits, so that a safe integer remains after any number of requests. */
function randomId(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 17) * 2 ** 32 + low;
}
