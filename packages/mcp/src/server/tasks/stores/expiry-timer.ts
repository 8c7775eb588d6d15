/** The longest delay that timers know. */
const MAX_DELAY_MS = 2 ** 31 - 1;

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
    this.#timer = setTimeout(
      () => (Date.now() < time ? this.set(time) : this.#expired()),
      Math.min(delay + 1, MAX_DELAY_MS),
    );
    // Only Node has it, and only there a timer keeps the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
