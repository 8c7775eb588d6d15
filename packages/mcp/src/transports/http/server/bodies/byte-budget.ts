import { Shares } from '../../../../jsonrpc/in-flight.ts';

/** A number of bytes that all requests of an endpoint share. */
export class ByteBudget {
  readonly #limit: number;
  readonly #limitPerClient: number;
  readonly #shares = new Shares();
  #used = 0;

  constructor(limit: number, limitPerClient = limit) {
    this.#limit = limit;
    this.#limitPerClient = limitPerClient;
  }

  get used(): number {
    return this.#used;
  }

  /** False, and nothing is taken, when too few are left, or the client has too many. */
  take(bytes: number, client?: string): boolean {
    if (this.#used + bytes > this.#limit || this.#shares.of(client) + bytes > this.#limitPerClient) return false;
    this.add(bytes, client);
    return true;
  }

  /** Takes them even if too few are left. */
  add(bytes: number, client?: string): void {
    this.#used += bytes;
    this.#shares.add(client, bytes);
  }

  release(bytes: number, client?: string): void {
    this.#used -= bytes;
    this.#shares.remove(client, bytes);
  }
}
