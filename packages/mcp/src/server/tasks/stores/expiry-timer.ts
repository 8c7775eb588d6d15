import { MAX_TIMEOUT_MS, unref } from '../../../jsonrpc/deadlines.ts';

/** Calls a function at a time that can be changed. Keeps no process alive. */
export class ExpiryTimer {
  readonly #expired: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(expired: () => void) {
    this.#expired = expired;
  }

  /** In milliseconds since 1970. */
  set(time: number): void {
    this.stop();
    const delay = Math.max(time - Date.now(), 0);
    const due = () => (Date.now() < time ? this.set(time) : this.#expired());
    this.#timer = unref(setTimeout(due, Math.min(delay + 1, MAX_TIMEOUT_MS)));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
