import { unref } from '../jsonrpc/deadlines.ts';
import { isThenable } from '../jsonrpc/thenable.ts';

/** A store drops a process after this part of `leaseMs`; other processes notice that within the rest. */
const RENEWED_PART = 2 / 3;
const RENEWALS_PER_LEASE = 6;

/** What has the leases of processes. */
interface LeaseStore {
  renew(process: string, milliseconds: number): void | Promise<void>;
}

/** Keeps what this process works on alive in a store. */
export class ProcessLease {
  readonly #store: LeaseStore;
  readonly #leaseMs: number;
  readonly #failed: (thrown: unknown) => void;
  readonly #renewed: () => unknown;
  #process: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isRenewing = false;

  /** `renewed` is called after each renewal but the first. `failed` gets what these renewals, or it, throw. */
  constructor(
    store: LeaseStore,
    leaseMs: number,
    failed: (thrown: unknown) => void,
    renewed: () => unknown = () => {},
  ) {
    this.#store = store;
    this.#leaseMs = leaseMs;
    this.#failed = failed;
    this.#renewed = renewed;
  }

  /**
   * The name of this process in the store. Made when first used: loading `crypto` is a tenth of a server's start, and Workers have
   * no random numbers while they start.
   */
  get process(): string {
    this.#process ??= crypto.randomUUID();
    return this.#process;
  }

  /** Settles when the store knows this process; rejects if the store fails. Does nothing if it was started before. */
  start(): void | Promise<void> {
    if (this.#timer !== undefined) return undefined;
    this.#timer = unref(setInterval(() => this.#tick(), this.#leaseMs / RENEWALS_PER_LEASE));
    const renewing = this.#renew();
    if (isThenable(renewing)) {
      this.#isRenewing = true;
      const done = () => {
        this.#isRenewing = false;
      };
      renewing.then(done, done);
    }
    return renewing;
  }

  stop(): void {
    // Not without a timer: not every runtime has it.
    if (this.#timer !== undefined) clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #renew(): void | Promise<void> {
    return this.#store.renew(this.process, this.#leaseMs * RENEWED_PART);
  }

  /** Skipped while the last renewal still waits for the store. */
  #tick(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    const renewing = async () => {
      await this.#renew();
      await this.#renewed();
    };
    void renewing()
      .catch(this.#failed)
      .finally(() => {
        this.#isRenewing = false;
      });
  }
}
