/** Deadlines closer than this may expire together; it bounds how often the timer fires. */
const GRAIN_MS = 10;
/** The longest delay of a timer. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Milliseconds until a timeout expires; Infinity for 0 and undefined. Throws a RangeError that names the option. */
export function delayOf(timeout: number | undefined, option: string): number {
  if (timeout === undefined || timeout === 0) return Number.POSITIVE_INFINITY;
  if (typeof timeout === 'number' && timeout > 0 && timeout <= MAX_TIMEOUT_MS) return timeout;
  const range = `a number of milliseconds from 0 (no limit) to ${MAX_TIMEOUT_MS}`;
  throw new RangeError(`${option} must be ${range}, got ${String(timeout)}`);
}

/** Calls back after the timeout; never for 0 and undefined. Call the result to stop it. */
export function startTimeout(timeout: number | undefined, option: string, expired: () => void): () => void {
  const delay = delayOf(timeout, option);
  if (delay === Number.POSITIVE_INFINITY) return () => {};
  const timer = setTimeout(expired, delay);
  return () => clearTimeout(timer);
}

/** Returns the timer, which no longer keeps the process alive. Only in Node it did, and only there it has the method. */
export function unref<Timer extends object>(timer: Timer): Timer {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

/**
 * One timer for the deadlines of many requests. It is set for the earliest deadline and then asks `sweep` for the next,
 * so a request that gets a response in time touches no timer.
 */
export class Deadlines {
  readonly #sweep: (now: number) => number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = Number.POSITIVE_INFINITY;

  /** `sweep` expires what is due and returns the earliest remaining deadline, or Infinity. */
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
    // When it fires early, the sweep sets it again.
    const delay = Math.min(Math.max(deadline - performance.now(), GRAIN_MS), MAX_TIMEOUT_MS);
    const sweep = () => {
      this.stop();
      const next = this.#sweep(performance.now());
      if (next !== Number.POSITIVE_INFINITY) this.watch(next);
    };
    this.#timer = unref(setTimeout(sweep, delay));
  }
}
