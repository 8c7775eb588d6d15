import { randomInt } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { decode, encode, malformed } from '../../../jsonrpc/codec.ts';
import type { Connection, Origin, Outgoing, Receiver } from '../../../jsonrpc/connection.ts';
import { ConnectionClosed, ErrorCode } from '../../../jsonrpc/errors.ts';
import type { Malformed, Message, RequestId, Response } from '../../../jsonrpc/message.ts';
import type { AnswerStream } from './answer-stream.ts';

/** The requests of a batch that are to be answered together. */
interface Batch {
  readonly ids: Set<RequestId>;
  readonly stream: AnswerStream;
}

/** What has just arrived, and the response to it. */
interface Delivery {
  readonly id: RequestId | undefined;
  readonly stream: AnswerStream;
  answered: boolean;
}

/** Never filled: most requests are answered at once, and hardly any is a batch, so these are made when needed. */
const NO_STREAMS = new Map<never, never>();
const NO_BATCHES = new Set<never>();

/**
 * A connection whose messages come and go with HTTP requests. Answers leave on the response of the request that asked;
 * what belongs to no request goes to `unrelated`.
 */
export class HttpConnection implements Connection {
  /** Far from those of any other process that asks the same client. */
  get idsAfter(): number {
    this.#idsAfter ??= randomInt(2 ** 47);
    return this.#idsAfter;
  }

  #idsAfter: number | undefined;
  readonly #unrelated: (text: string) => void;
  #streams: Map<RequestId, AnswerStream> = NO_STREAMS;
  #batches: Set<Batch> = NO_BATCHES;
  readonly #onClose: (() => void) | undefined;
  #receiver: Receiver | undefined;
  /** The response of the request being delivered just now. */
  #current: Delivery | undefined;
  #closed = false;

  constructor(unrelated: (text: string) => void, onClose?: () => void) {
    this.#unrelated = unrelated;
    this.#onClose = onClose;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
  }

  /** Whether somebody takes what is delivered. */
  get isOpen(): boolean {
    return this.#receiver !== undefined && !this.#closed;
  }

  /** Whether a client waits for an answer. */
  get isAwaited(): boolean {
    for (const stream of this.#streams.values()) if (!stream.isGone) return true;
    return false;
  }

  /** Takes what a POST brought. True when it asks for an answer, which comes on the stream. */
  deliver(arrival: Arrival, stream: AnswerStream, origin: Origin): boolean {
    const receiver = this.#receiver;
    if (receiver === undefined || this.#closed) return false;
    if (arrival.kind === 'message') {
      const { message } = arrival;
      const id = message.method === undefined ? undefined : message.id;
      const current = this.#begin(id, stream);
      receiver.message(message, origin);
      this.#end(current);
      return id !== undefined;
    }
    if (arrival.kind === 'malformed') {
      const { malformed } = arrival;
      stream.status = 400;
      const current = this.#begin(malformed.id, stream);
      receiver.malformed(malformed);
      this.#end(current);
      return true;
    }
    const ids = arrival.items.map(idToAnswer).filter((id) => id !== undefined);
    // An id that is still open elsewhere is refused, and the answer to it goes there.
    const batch = { ids: new Set(ids.filter((id) => !this.#streams.has(id))), stream };
    if (this.#batches === NO_BATCHES) this.#batches = new Set();
    this.#batches.add(batch);
    for (const id of batch.ids) this.#keep(id, stream);
    const current = this.#begin(undefined, stream);
    receiver.batch(arrival.items);
    const answered = this.#end(current);
    if (answered || batch.ids.size === 0) this.#forget(batch);
    return answered || ids.length > 0;
  }

  /** Takes a message that came by another way, such as through another process. */
  take(text: string): void {
    const receiver = this.#receiver;
    const arrival = readArrival(text);
    if (receiver === undefined || this.#closed || arrival.kind !== 'message') return;
    const { message } = arrival;
    receiver.message(message);
    if (message.method !== 'notifications/cancelled') return;
    const { requestId } = (message.params ?? {}) as { requestId?: RequestId };
    if (requestId !== undefined) this.#leaveUnanswered(requestId);
  }

  send(outgoing: Outgoing, hints?: { readonly relatedRequestId?: RequestId | undefined }): void {
    if (this.#closed) return;
    const text = encode(outgoing);
    if (Array.isArray(outgoing)) {
      this.#batchStream(outgoing as readonly Response[])?.answer(text);
      return;
    }
    const message = outgoing as Message;
    if (message.method === undefined) {
      this.#answerStream(message.id)?.answer(text);
      return;
    }
    const stream = hints?.relatedRequestId === undefined ? undefined : this.#streamOf(hints.relatedRequestId);
    if (stream === undefined) this.#unrelated(text);
    else stream.event(text);
  }

  release(relatedRequestId: RequestId): void {
    this.#streamOf(relatedRequestId)?.release();
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  async close(reason = 'Closed by this side'): Promise<void> {
    this.end(new ConnectionClosed(reason));
  }

  /** The client has gone, or the session is over. */
  end(reason: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#streams.size > 0) for (const stream of this.#streams.values()) stream.close();
    this.#streams = NO_STREAMS;
    this.#batches = NO_BATCHES;
    this.#receiver?.closed(reason);
    this.#onClose?.();
  }

  #begin(id: RequestId | undefined, stream: AnswerStream): Delivery {
    const current = { id, stream, answered: false };
    this.#current = current;
    return current;
  }

  /** True when the answer is out already. */
  #end({ id, stream, answered }: Delivery): boolean {
    this.#current = undefined;
    // Answered later, unless the id belongs to another request that is still open.
    if (id !== undefined && !answered && !this.#streams.has(id)) this.#keep(id, stream);
    return answered;
  }

  #keep(id: RequestId, stream: AnswerStream): void {
    if (this.#streams === NO_STREAMS) this.#streams = new Map();
    this.#streams.set(id, stream);
  }

  #streamOf(id: RequestId): AnswerStream | undefined {
    return this.#current?.id === id ? this.#current.stream : this.#streams.get(id);
  }

  #answerStream(id: RequestId | null | undefined): AnswerStream | undefined {
    const current = this.#current;
    // While a request is delivered, an answer with its id, or with none, is the answer to it.
    if (current !== undefined && (id === undefined || id === null || current.id === id)) {
      current.answered = true;
      if (id === undefined || id === null) current.stream.status = 400;
      return current.stream;
    }
    if (id === undefined || id === null) return undefined;
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    return stream;
  }

  #batchStream(answers: readonly Response[]): AnswerStream | undefined {
    const isOf = ({ ids }: Batch) => answers.some(({ id }) => id !== undefined && id !== null && ids.has(id));
    const batch = [...this.#batches].find(isOf);
    if (this.#current !== undefined && (batch === undefined || batch.stream === this.#current.stream)) {
      this.#current.answered = true;
      return this.#current.stream;
    }
    if (batch !== undefined) this.#forget(batch);
    return batch?.stream;
  }

  #forget(batch: Batch): void {
    this.#batches.delete(batch);
    for (const id of batch.ids) this.#streams.delete(id);
  }

  /** What the client cancelled gets no answer, but its response must end. */
  #leaveUnanswered(id: RequestId): void {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    const batch = [...this.#batches].find(({ ids }) => ids.delete(id));
    if (batch !== undefined && batch.ids.size > 0) return;
    if (batch !== undefined) this.#batches.delete(batch);
    stream?.end();
  }
}

function idToAnswer(item: Message | Malformed): RequestId | undefined {
  return 'method' in item && item.method !== undefined ? item.id : undefined;
}

/** Tells a handler how its request came, and lets it choose the status of the answer. */
export class HttpOrigin implements Origin {
  readonly headers: IncomingHttpHeaders;
  readonly #stream: AnswerStream;

  constructor({ headers }: IncomingMessage, stream: AnswerStream) {
    this.headers = headers;
    this.#stream = stream;
  }

  answerWith(status: number): void {
    this.#stream.status = status;
  }
}

/** What the body of a POST turned out to be. */
export type Arrival =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'malformed'; readonly malformed: Malformed }
  | { readonly kind: 'batch'; readonly items: readonly (Message | Malformed)[] };

export function readArrival(text: string): Arrival {
  const reader = new ArrivalReader();
  decode(text, reader);
  // Decoding passes over blank texts; a body must say something.
  return (
    reader.arrival ?? {
      kind: 'malformed',
      malformed: malformed(ErrorCode.ParseError, 'Parse error: the body is empty'),
    }
  );
}

class ArrivalReader implements Receiver {
  arrival: Arrival | undefined = undefined;

  message(message: Message): void {
    this.arrival = { kind: 'message', message };
  }

  malformed(malformed: Malformed): void {
    this.arrival = { kind: 'malformed', malformed };
  }

  batch(items: readonly (Message | Malformed)[]): void {
    this.arrival = { kind: 'batch', items };
  }

  ended(): void {}

  closed(): void {}
}
