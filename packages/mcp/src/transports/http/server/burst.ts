/** Counts bytes that are sent before the event loop runs again. */
export class Burst {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether nothing more should be sent before the event loop has run. */
  get isOver(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  add(bytes: number): void {
    if (this.#bytes === 0) {
      void nextTurn().then(() => {
        this.#bytes = 0;
      });
    }
    this.#bytes += bytes;
  }
}

/** Settles after the event loop has handled the input and output of other requests. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve, 0);
  });
}
