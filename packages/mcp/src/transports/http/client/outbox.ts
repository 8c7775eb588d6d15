import type { Outbound } from './outbound.ts';

const SHORT_CHARS = 64 * 1024;

/** What waits to be taken by the server: counted, and held back while a handshake goes on. */
export class Outbox {
  readonly #dispatch: (outbound: Outbound) => void;
  #held: Outbound[] = [];
  #holds = 0;
  #waiting = 0;
  #wakers: (() => void)[] = [];

  constructor(dispatch: (outbound: Outbound) => void) {
    this.#dispatch = dispatch;
  }

  /** Characters not yet taken. */
  get waiting(): number {
    return this.#waiting;
  }

  add(outbound: Outbound): void {
    this.#waiting += outbound.waiting;
    if (this.#holds > 0) this.#held.push(outbound);
    else this.#dispatch(outbound);
  }

  /** The message is with the server, or never will be. Safe to call twice. */
  left(outbound: Outbound): void {
    this.#waiting -= outbound.waiting;
    outbound.waiting = 0;
    if (this.#waiting <= SHORT_CHARS) this.wakeAll();
  }

  hold(): void {
    this.#holds += 1;
  }

  release(): void {
    this.#holds -= 1;
    while (this.#holds === 0) {
      const next = this.#held.shift();
      if (next === undefined) return;
      this.#dispatch(next); // may hold again
    }
  }

  /** Settles when little is waiting, or `wakeAll` is called. */
  async short(): Promise<void> {
    if (this.#waiting > SHORT_CHARS) await new Promise<void>((resolve) => this.#wakers.push(resolve));
  }

  /** Settles when nothing is waiting, or the time is over. */
  async emptied(milliseconds: number): Promise<void> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.wakeAll();
    }, milliseconds);
    while (this.#waiting > 0 && !late) await new Promise<void>((resolve) => this.#wakers.push(resolve));
    clearTimeout(timer);
  }

  wakeAll(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}
