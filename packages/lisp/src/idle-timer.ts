import { now } from './clock.ts';

const MAX_MS = 2 ** 31 - 1;

/** Calls back after a time without a restart. Many restarts cost one timer: when it fires early, it waits for the rest. */
export class IdleTimer {
  readonly #expired: (idle: number) => void;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(expired: (idle: number) => void) {
    this.#expired = expired;
  }

  /** The time counts from now. 0: never. */
  restart(idle: number): void {
    this.#since = now();
    if (idle > 0 && this.#timer === undefined) this.#arm(idle, idle);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(idle: number, rest: number): void {
    this.#timer = setTimeout(() => this.#check(idle), Math.min(Math.max(1, rest), MAX_MS));
    // It must not keep the process alive.
    this.#timer.unref();
  }

  #check(idle: number): void {
    this.#timer = undefined;
    const rest = this.#since + idle - now();
    // Timers fire up to a millisecond early.
    if (rest > 1) this.#arm(idle, rest);
    else this.#expired(idle);
  }
}
