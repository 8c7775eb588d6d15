import type { Outbound } from './outbound.ts';

const SHORT_BYTES = 64 * 1024;

/** Messages that the server has not accepted yet: counts their bytes, and holds them back during a handshake. */
export class Outbox {
  readonly #dispatch: (outbound: Outbound) => void;
  #held: Outbound[] = [];
  #holds = 0;
  #queuedBytes = 0;
  #wakers: (() => void)[] = [];

  constructor(dispatch: (outbound: Outbound) => void) {
    this.#dispatch = dispatch;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  add(outbound: Outbound): void {
    this.#queuedBytes += outbound.queuedBytes;
    if (this.#holds > 0) this.#held.push(outbound);
    else this.#dispatch(outbound);
  }

  /** The server has the message, or will never get it. Safe to call twice. */
  remove(outbound: Outbound): void {
    this.#queuedBytes -= outbound.queuedBytes;
    outbound.queuedBytes = 0;
    if (this.#queuedBytes <= SHORT_BYTES) this.wakeAll();
  }

  hold(): void {
    this.#holds += 1;
  }

  release(): void {
    this.#holds -= 1;
    while (this.#holds === 0 && this.#held.length > 0) {
      const held = this.#held;
      this.#held = [];
      for (const [index, outbound] of held.entries()) {
        this.#dispatch(outbound);
        // The dispatch may have begun another hold.
        if (this.#holds === 0) continue;
        this.#held = held.slice(index + 1).concat(this.#held);
        return;
      }
    }
  }

  /** Settles when few bytes are queued, or `wakeAll` is called. */
  async short(): Promise<void> {
    if (this.#queuedBytes > SHORT_BYTES) await new Promise<void>((resolve) => this.#wakers.push(resolve));
  }

  /** Settles when nothing is queued, or the time has passed. */
  async emptied(milliseconds: number): Promise<void> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.wakeAll();
    }, milliseconds);
    while (this.#queuedBytes > 0 && !late) await new Promise<void>((resolve) => this.#wakers.push(resolve));
    clearTimeout(timer);
  }

  wakeAll(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}
