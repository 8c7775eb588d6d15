import type { HttpStore } from '../../store.ts';
import { inBackground } from './in-background.ts';

/** The store drops a process after this part of `leaseMs`, and notices that within the rest. */
const RENEWED_PART = 2 / 3;
const RENEWALS_PER_LEASE = 6;

/** Keeps the calls of this process alive in the store, from the first one on. */
export class Heartbeat {
  readonly #store: HttpStore;
  readonly #leaseMs: number;
  readonly #onError: (error: Error) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isRenewing = false;
  #process: string | undefined;

  constructor(store: HttpStore, leaseMs: number, onError: (error: Error) => void) {
    this.#store = store;
    this.#leaseMs = leaseMs;
    this.#onError = onError;
  }

  /** The name of this process in the store. Made when first used: Workers have no random numbers while they start. */
  get process(): string {
    this.#process ??= crypto.randomUUID();
    return this.#process;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#renew(), this.#leaseMs / RENEWALS_PER_LEASE);
    // Only Node has it, and only there a timer keeps the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
    this.#renew();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Skipped while the last renewal still waits for the store. */
  #renew(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    const renewed = inBackground(() => this.#store.renew(this.process, this.#leaseMs * RENEWED_PART), this.#onError);
    void Promise.resolve(renewed).then(() => {
      this.#isRenewing = false;
    });
  }
}
