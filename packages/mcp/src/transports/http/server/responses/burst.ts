/** Counts bytes that are sent before the event loop runs again, and the notifications that are dropped for it. */
export class Burst {
  readonly #maxBytes: number;
  readonly #onError: (error: Error) => void;
  #bytes = 0;
  #dropped = 0;

  constructor(maxBytes: number, onError: (error: Error) => void) {
    this.#maxBytes = maxBytes;
    this.#onError = onError;
  }

  add(bytes: number): void {
    if (this.#bytes === 0) void nextTurn().then(() => this.#end());
    this.#bytes += bytes;
  }

  /** Whether the next notification must be dropped, because too much was sent before the event loop has run. Counts it. */
  drops(): boolean {
    const isOver = this.#bytes > this.#maxBytes;
    if (isOver) this.#dropped += 1;
    return isOver;
  }

  #end(): void {
    const dropped = this.#dropped;
    this.#bytes = 0;
    this.#dropped = 0;
    if (dropped === 0) return;
    const what = `${dropped} ${dropped === 1 ? 'notification was' : 'notifications were'} dropped`;
    const why = `a handler sent more than maxBurstBytes (${this.#maxBytes}) at once`;
    this.#onError(new Error(`${what}: ${why}. Await context.drained() between them`));
  }
}

/** Settles after the event loop has handled the input and output of other requests. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
