import type { RequestId, Response } from './message.ts';

/** A request of the peer while it is in progress. */
export class IncomingRequest {
  readonly id: RequestId;
  /** Collects the response when the request is part of a batch. */
  readonly batch: BatchReply | undefined;
  /** True once it has its response or was cancelled; what the handler does afterwards is ignored. */
  settled = false;
  /** About its size while it is open, if it is large. */
  bytes = 0;
  #controller: AbortController | undefined;
  #abortListeners: Set<(reason: Error) => void> | undefined;
  #abortReason: Error | undefined;

  /** What the transport knows about the source of the request. */
  readonly origin: unknown;

  constructor(id: RequestId, batch: BatchReply | undefined, origin: unknown) {
    this.id = id;
    this.batch = batch;
    this.origin = origin;
  }

  /** Aborts when the request is cancelled or the connection ends. Made on first use, because most handlers ignore it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /**
   * Calls the listener, which must not throw, when the signal aborts, or at once if it has. Returns a function that
   * removes it. In Node, making a signal and listening to it takes as long as everything else in a short request.
   */
  onAbort(listener: (reason: Error) => void): () => void {
    if (this.#abortReason !== undefined) {
      listener(this.#abortReason);
      return () => {};
    }
    this.#abortListeners ??= new Set();
    this.#abortListeners.add(listener);
    return () => this.#abortListeners?.delete(listener);
  }

  /** The request will not get a response. */
  abort(reason: Error): void {
    this.settled = true;
    this.abortSignal(reason);
  }

  /** Tells the handler to stop; the request still gets a response. */
  abortSignal(reason: Error): void {
    if (this.#abortReason !== undefined) return;
    this.#abortReason = reason;
    for (const listener of this.#abortListeners ?? []) listener(reason);
    this.#controller?.abort(reason);
  }
}

/** Collects the responses to one batch and sends them as one array. */
export class BatchReply {
  readonly #responses: Response[] = [];
  readonly #send: (responses: readonly Response[]) => void;
  #awaited: number;

  constructor(awaited: number, send: (responses: readonly Response[]) => void) {
    this.#awaited = awaited;
    this.#send = send;
  }

  /** Adds a response; undefined when a request gets none. */
  add(response: Response | undefined): void {
    if (response !== undefined) this.#responses.push(response);
    this.#awaited -= 1;
    if (this.#awaited === 0 && this.#responses.length > 0) this.#send(this.#responses);
  }
}
