import type { Report } from '../error-report.ts';
import type { TaskStore } from './task-store.ts';

/** The store drops a process after this part of `leaseMs`; other processes notice that within the rest. */
const RENEWED_PART = 2 / 3;
const RENEWALS_PER_LEASE = 6;

export interface TaskLeasesOptions {
  readonly store: TaskStore;
  readonly leaseMs: number;
  readonly report: Report;
  /** Called with each task whose process has died, until it no longer is abandoned. */
  readonly abandoned: (id: string) => Promise<void>;
}

/** Keeps the tasks of this process alive in the store, and looks for those of processes that have died. */
export class TaskLeases {
  readonly #options: TaskLeasesOptions;
  #process: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #renewing: Promise<void> | undefined;

  constructor(options: TaskLeasesOptions) {
    this.#options = options;
  }

  /** The name of this process in the store. Made when first used: loading `crypto` is a tenth of a server's start. */
  get process(): string {
    this.#process ??= crypto.randomUUID();
    return this.#process;
  }

  /** Settles when the store knows this process; rejects if the store fails. Does nothing if it was started before. */
  start(): void | Promise<void> {
    if (this.#timer !== undefined) return undefined;
    const { leaseMs } = this.#options;
    this.#timer = setInterval(() => this.#tick(), leaseMs / RENEWALS_PER_LEASE);
    // Only Node has it, and only there a timer keeps the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
    return this.#renew();
  }

  stop(): void {
    if (this.#timer !== undefined) clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #renew(): void | Promise<void> {
    const { store, leaseMs } = this.#options;
    return store.renew(this.process, leaseMs * RENEWED_PART);
  }

  /** Skipped while the last renewal still waits for the store. */
  #tick(): void {
    if (this.#renewing !== undefined) return;
    this.#renewing = this.#renewAndSweep()
      .catch((thrown) => this.#options.report(thrown, 'renewing the lease of tasks'))
      .then(() => {
        this.#renewing = undefined;
      });
  }

  async #renewAndSweep(): Promise<void> {
    const { store, abandoned } = this.#options;
    await this.#renew();
    for (const id of await store.abandoned()) await abandoned(id);
  }
}
