import type { RedisConnection } from './connection.ts';

/** Processes get this long after an outage to renew their leases, or the length of a lease if that is shorter. */
const MAX_RECOVERY_MS = 10_000;
/** A lease that has run out is read again after this time: the first reply can arrive before the outage is noticed. */
const CONFIRM_MS = 500;

/** Which processes are alive. */
export class Leases {
  readonly #connection: RedisConnection;
  readonly #prefix: string;
  readonly #maxRecoveryMs: number;
  #recoveryMs: number;

  constructor(connection: RedisConnection, prefix: string, maxRecoveryMs = MAX_RECOVERY_MS) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#maxRecoveryMs = maxRecoveryMs;
    this.#recoveryMs = maxRecoveryMs;
  }

  async renew(process: string, milliseconds: number): Promise<void> {
    const key = this.#key(process);
    this.#recoveryMs = Math.min(milliseconds, this.#maxRecoveryMs);
    await this.#connection.send(key, ['SET', key, '1', 'PX', String(Math.ceil(milliseconds))]);
  }

  /** Milliseconds until the lease of a process may have run out; 0 if it has. */
  async remaining(process: string): Promise<number> {
    let left = await this.#left(process);
    if (left === 0) {
      await new Promise((resolve) => setTimeout(resolve, CONFIRM_MS));
      left = await this.#left(process);
    }
    return left > 0 ? left : Math.max(this.#recoveryMs - this.#connection.sinceOutage, 0);
  }

  async #left(process: string): Promise<number> {
    const key = this.#key(process);
    return Math.max((await this.#connection.send(key, ['PTTL', key])) as number, 0);
  }

  #key(process: string): string {
    return `${this.#prefix}:lease:${process}`;
  }
}
