/** Limits on the open requests of all clients of a server together. */
export interface TotalLimits {
  /** Requests of all clients that may be open at once; more get an error. Default 10 000. */
  readonly maxTotalInFlight?: number;
  /** Memory, in bytes, of the open requests of all clients and of tasks at work; more get an error. Default 256 MiB. */
  readonly maxTotalInFlightBytes?: number;
}

export const TOTAL_LIMITS: Required<TotalLimits> = {
  maxTotalInFlight: 10_000,
  maxTotalInFlightBytes: 256 * 1024 * 1024,
};

/** Counts the open requests of all connections of a server. */
export class InFlight {
  readonly #limits: Required<TotalLimits>;
  #count = 0;
  #bytes = 0;

  constructor(limits: TotalLimits = {}) {
    this.#limits = {
      maxTotalInFlight: limits.maxTotalInFlight ?? TOTAL_LIMITS.maxTotalInFlight,
      maxTotalInFlightBytes: limits.maxTotalInFlightBytes ?? TOTAL_LIMITS.maxTotalInFlightBytes,
    };
  }

  /** Why a request of this size is refused; undefined if there is room for it. */
  refusal(bytes: number): string | undefined {
    const { maxTotalInFlight, maxTotalInFlightBytes } = this.#limits;
    if (this.#count >= maxTotalInFlight) {
      return `The server is busy: ${maxTotalInFlight} requests are open. Try again later`;
    }
    // A request alone is within the limit of one message.
    if (bytes === 0 || this.#bytes === 0 || this.#bytes + bytes <= maxTotalInFlightBytes) return undefined;
    return `The server is busy: open requests take ${maxTotalInFlightBytes} bytes. Try again later`;
  }

  add(bytes: number): void {
    this.#count += 1;
    this.#bytes += bytes;
  }

  remove(bytes: number): void {
    this.#count -= 1;
    this.#bytes -= bytes;
  }
}

/** Counts what each client holds of something that all of them share. Without a client nothing is counted. */
export class Shares {
  readonly #counts = new Map<string, number>();

  of(client: string | undefined): number {
    return client === undefined ? 0 : (this.#counts.get(client) ?? 0);
  }

  add(client: string | undefined): void {
    if (client !== undefined) this.#counts.set(client, this.of(client) + 1);
  }

  remove(client: string | undefined): void {
    if (client === undefined) return;
    const left = this.of(client) - 1;
    if (left > 0) this.#counts.set(client, left);
    else this.#counts.delete(client);
  }
}

/** The client that holds the most, by the size of each thing, and all that it holds, in their order. */
export function largestShare<Thing>(
  things: Iterable<Thing>,
  clientOf: (thing: Thing) => string | undefined,
  sizeOf: (thing: Thing) => number,
): Thing[] {
  const shares = new Map<string | undefined, { size: number; things: Thing[] }>();
  for (const thing of things) {
    const client = clientOf(thing);
    let share = shares.get(client);
    if (share === undefined) {
      share = { size: 0, things: [] };
      shares.set(client, share);
    }
    share.size += sizeOf(thing);
    share.things.push(thing);
  }
  let largest = { size: 0, things: [] as Thing[] };
  for (const share of shares.values()) if (share.size > largest.size) largest = share;
  return largest.things;
}
