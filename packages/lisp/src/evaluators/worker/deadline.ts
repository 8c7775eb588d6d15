import { now } from '../../clock.ts';

const MAX_MS = 2 ** 31 - 1;

/**
 * One timer for the operations of one evaluator, which come one after the other: an operation that ends in time touches
 * no timer.
 */
export class Deadline {
  readonly #passed: () => void;
  #at: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer goes off. */
  #timerAt = 0;

  constructor(passed: () => void) {
    this.#passed = passed;
  }

  set(milliseconds: number): void {
    this.#at = now() + Math.min(milliseconds, MAX_MS);
    if (this.#timer === undefined || this.#timerAt > this.#at) this.#arm(this.#at);
  }

  unset(): void {
    this.#at = undefined;
  }

  close(): void {
    this.#at = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#goOff(), Math.max(1, at - now()));
    // The Lisp itself keeps the process alive while anything runs in it.
    this.#timer.unref();
  }

  #goOff(): void {
    this.#timer = undefined;
    if (this.#at === undefined) return;
    if (now() < this.#at - 1) {
      this.#arm(this.#at);
      return;
    }
    this.#at = undefined;
    this.#passed();
  }
}
