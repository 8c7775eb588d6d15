/** Two deadlines closer than this may be noticed together; it bounds how often the timer fires. */
const GRAIN_MS = 10;

/**
 * One timer for the deadlines of many requests. It is armed for the earliest deadline it was told of and then asks
 * `sweep` for the next, so that starting and finishing a request within its time touches no timer at all.
 */
export class Deadlines {
  readonly #sweep: (now: number) => number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = Number.POSITIVE_INFINITY;

  /** `sweep` expires what is due and returns the earliest deadline left, or Infinity. */
  constructor(sweep: (now: number) => number) {
    this.#sweep = sweep;
  }

  watch(deadline: number): void {
    if (deadline < this.#due) this.#arm(deadline);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = Number.POSITIVE_INFINITY;
  }

  #arm(deadline: number): void {
    clearTimeout(this.#timer);
    this.#due = deadline;
    // A timer takes at most 2^31-1 ms; firing early only means one more sweep.
    const delay = Math.min(Math.max(deadline - performance.now(), GRAIN_MS), 2 ** 31 - 1);
    this.#timer = setTimeout(() => {
      this.stop();
      const next = this.#sweep(performance.now());
      if (next !== Number.POSITIVE_INFINITY) this.watch(next);
    }, delay);
    this.#timer.unref?.(); // a number in other runtimes than Node
  }
}
