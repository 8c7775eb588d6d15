import type { Origin } from './connection.ts';
import type { RequestId, Response } from './message.ts';

/** A request of the other side while it is being answered. */
export class IncomingRequest {
  readonly id: RequestId;
  /** Where the answer goes when the request came in a batch. */
  readonly batch: BatchReply | undefined;
  /** True once answered or cancelled: whatever the handler does then is ignored. */
  settled = false;
  #controller: AbortController | undefined;
  #abortReason: Error | undefined;

  /** How the request came, where the transport can tell. */
  readonly origin: Origin | undefined;

  constructor(id: RequestId, batch: BatchReply | undefined, origin: Origin | undefined) {
    this.id = id;
    this.batch = batch;
    this.origin = origin;
  }

  /** Aborts when the request is cancelled or the connection ends. Made on first use: most handlers never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.settled = true;
    this.#abortReason = reason;
    this.#controller?.abort(reason);
  }
}

/** Collects the answers to one batch and sends them as one array. */
export class BatchReply {
  readonly #answers: Response[] = [];
  readonly #send: (answers: readonly Response[]) => void;
  #awaited: number;

  constructor(awaited: number, send: (answers: readonly Response[]) => void) {
    this.#awaited = awaited;
    this.#send = send;
  }

  /** One awaited answer is here, or will never come. */
  add(answer: Response | undefined): void {
    if (answer !== undefined) this.#answers.push(answer);
    this.#awaited -= 1;
    if (this.#awaited === 0 && this.#answers.length > 0) this.#send(this.#answers);
  }
}
