import { ErrorCode } from './errors.ts';
import type { InFlight } from './in-flight.ts';
import type { IncomingRequest } from './incoming-request.ts';
import type { ErrorObject, RequestId } from './message.ts';
import type { PeerLimits } from './peer-limits.ts';

/** The requests of one peer that are still open. */
export class OpenRequests {
  readonly #requests = new Map<RequestId, IncomingRequest>();
  readonly #limits: Required<PeerLimits>;
  /** Counts the requests of all peers. */
  readonly #total: InFlight | undefined;
  #bytes = 0;

  constructor(limits: Required<PeerLimits>, total: InFlight | undefined) {
    this.#limits = limits;
    this.#total = total;
  }

  get size(): number {
    return this.#requests.size;
  }

  get(id: RequestId): IncomingRequest | undefined {
    return this.#requests.get(id);
  }

  /** `bytes` is about the size of the request if it is large, otherwise 0. */
  add(incoming: IncomingRequest, bytes: number): void {
    this.#requests.set(incoming.id, incoming);
    incoming.bytes = bytes;
    this.#bytes += bytes;
    this.#total?.add(bytes);
  }

  remove(incoming: IncomingRequest): void {
    if (this.#requests.get(incoming.id) !== incoming) return;
    this.#requests.delete(incoming.id);
    this.#bytes -= incoming.bytes;
    this.#total?.remove(incoming.bytes);
  }

  /** Removes every request and returns them, oldest first. */
  removeAll(): IncomingRequest[] {
    const all = [...this.#requests.values()];
    for (const incoming of all) this.remove(incoming);
    return all;
  }

  /** Why a request of this size is refused; undefined if there is room for it. */
  refusal(id: RequestId, bytes: number): ErrorObject | undefined {
    if (this.#requests.size === 0) return undefined;
    if (this.#requests.has(id)) {
      const message = `Invalid request: id ${JSON.stringify(id)} is still in use by an open request`;
      return { code: ErrorCode.InvalidRequest, message };
    }
    const { maxInFlight, maxInFlightBytes } = this.#limits;
    if (this.#requests.size >= maxInFlight) {
      return { code: ErrorCode.LimitReached, message: `Too many requests at once: ${maxInFlight} are open` };
    }
    // A request alone is within the limit of one message.
    if (bytes === 0 || this.#bytes === 0 || this.#bytes + bytes <= maxInFlightBytes) return undefined;
    const message = `Too much at once: open requests would take more than ${maxInFlightBytes} bytes`;
    return { code: ErrorCode.LimitReached, message };
  }
}
