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
