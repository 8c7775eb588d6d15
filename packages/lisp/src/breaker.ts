/** This number of losses within this time keeps a session from being started again. */
export const BREAKER_LOSSES = 3;
export const BREAKER_WINDOW_MS = 300_000;

/** Counts the losses of one session, so that code that kills its Lisp does not run again and again. */
export class Breaker {
  readonly #now: () => number;
  #losses: number[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  lost(): void {
    this.#losses = [...this.#losses.slice(1 - BREAKER_LOSSES), this.#now()];
  }

  /** When the session may be started again; undefined when it may now. */
  get openUntil(): number | undefined {
    const first = this.#losses.at(-BREAKER_LOSSES);
    if (first === undefined || this.#losses.length < BREAKER_LOSSES) return undefined;
    const until = first + BREAKER_WINDOW_MS;
    return until > this.#now() ? until : undefined;
  }

  /** Whether a loss is still counted. */
  get remembers(): boolean {
    const last = this.#losses.at(-1);
    return last !== undefined && last + BREAKER_WINDOW_MS > this.#now();
  }
}
