// Requests of peers that are in progress: one of them, those of a peer, those of all peers, and the share of each client.
import { ErrorCode } from './errors.ts';
import type { PeerLimits } from './limits.ts';
import type { ErrorObject, RequestId, Response } from './message.ts';

/** A request of the peer while it is in progress. */
export class IncomingRequest {
  readonly id: RequestId;
  /** Collects the response when the request is part of a batch. */
  readonly batch: BatchReply | undefined;
  /** True once it has its response or was cancelled; what the handler does afterwards is ignored. */
  settled = false;
  /** About its size while it is open, if it is large. */
  bytes = 0;
  #controller: AbortController | undefined;
  #abortListeners: Set<(reason: Error) => void> | undefined;
  #abortReason: Error | undefined;

  /** What the transport knows about the source of the request. */
  readonly origin: unknown;

  constructor(id: RequestId, batch: BatchReply | undefined, origin: unknown) {
    this.id = id;
    this.batch = batch;
    this.origin = origin;
  }

  /** Aborts when the request is cancelled or the connection ends. Made on first use, because most handlers ignore it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  /**
   * Calls the listener, which must not throw, when the signal aborts, or at once if it has. Returns a function that
   * removes it. In Node, making a signal and listening to it takes as long as everything else in a short request.
   */
  onAbort(listener: (reason: Error) => void): () => void {
    if (this.#abortReason !== undefined) {
      listener(this.#abortReason);
      return () => {};
    }
    this.#abortListeners ??= new Set();
    this.#abortListeners.add(listener);
    return () => this.#abortListeners?.delete(listener);
  }

  /** The request will not get a response. */
  abort(reason: Error): void {
    this.settled = true;
    this.abortSignal(reason);
  }

  /** Tells the handler to stop; the request still gets a response. */
  abortSignal(reason: Error): void {
    if (this.#abortReason !== undefined) return;
    this.#abortReason = reason;
    for (const listener of this.#abortListeners ?? []) listener(reason);
    this.#controller?.abort(reason);
  }
}

/** Collects the responses to one batch and sends them as one array. */
export class BatchReply {
  readonly #responses: Response[] = [];
  readonly #send: (responses: readonly Response[]) => void;
  #awaited: number;

  constructor(awaited: number, send: (responses: readonly Response[]) => void) {
    this.#awaited = awaited;
    this.#send = send;
  }

  /** Adds a response; undefined when a request gets none. */
  add(response: Response | undefined): void {
    if (response !== undefined) this.#responses.push(response);
    this.#awaited -= 1;
    if (this.#awaited === 0 && this.#responses.length > 0) this.#send(this.#responses);
  }
}

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
    this.#total?.add(bytes, incoming.origin);
  }

  remove(incoming: IncomingRequest): void {
    if (this.#requests.get(incoming.id) !== incoming) return;
    this.#requests.delete(incoming.id);
    this.#bytes -= incoming.bytes;
    this.#total?.remove(incoming.bytes, incoming.origin);
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

/** Limits on the open requests of all clients of a server together. One client can have half of each. */
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

/** Counts the open requests of all connections of a server, and of each of its clients. */
export class InFlight {
  readonly #limits: Required<TotalLimits>;
  readonly #clientOf: (origin: unknown) => string | undefined;
  readonly #shares = new Shares();
  readonly #byteShares = new Shares();
  #count = 0;
  #bytes = 0;

  /** `clientOf` names the client that a message is from, by what its transport knows; undefined where that is not known. */
  constructor(limits: TotalLimits = {}, clientOf: (origin: unknown) => string | undefined = () => undefined) {
    this.#clientOf = clientOf;
    this.#limits = {
      maxTotalInFlight: limits.maxTotalInFlight ?? TOTAL_LIMITS.maxTotalInFlight,
      maxTotalInFlightBytes: limits.maxTotalInFlightBytes ?? TOTAL_LIMITS.maxTotalInFlightBytes,
    };
  }

  /** Why a request of this size is refused; undefined if there is room for it. */
  refusal(bytes: number, origin?: unknown): string | undefined {
    const { maxTotalInFlight, maxTotalInFlightBytes } = this.#limits;
    if (this.#count >= maxTotalInFlight) {
      return `The server is busy: ${maxTotalInFlight} requests are open. Try again later`;
    }
    // A request alone is within the limit of one message.
    if (bytes > 0 && this.#bytes > 0 && this.#bytes + bytes > maxTotalInFlightBytes) {
      return `The server is busy: open requests take ${maxTotalInFlightBytes} bytes. Try again later`;
    }
    return 2 * this.#count < maxTotalInFlight && bytes === 0 ? undefined : this.#refusalOfClient(bytes, origin);
  }

  #refusalOfClient(bytes: number, origin: unknown): string | undefined {
    const client = this.#clientOf(origin);
    const maxCount = Math.ceil(this.#limits.maxTotalInFlight / 2);
    if (this.#shares.of(client) >= maxCount) {
      return `This client has ${maxCount} open requests, half of what the server takes (maxTotalInFlight). Try again later`;
    }
    const held = this.#byteShares.of(client);
    const maxBytes = Math.ceil(this.#limits.maxTotalInFlightBytes / 2);
    if (bytes === 0 || held === 0 || held + bytes <= maxBytes) return undefined;
    return `The open requests of this client take ${maxBytes} bytes, half of what the server takes (maxTotalInFlightBytes). Try again later`;
  }

  add(bytes: number, origin?: unknown): void {
    const client = this.#clientOf(origin);
    this.#count += 1;
    this.#bytes += bytes;
    this.#shares.add(client);
    this.#byteShares.add(client, bytes);
  }

  remove(bytes: number, origin?: unknown): void {
    const client = this.#clientOf(origin);
    this.#count -= 1;
    this.#bytes -= bytes;
    this.#shares.remove(client);
    if (bytes > 0) this.#byteShares.remove(client, bytes);
  }
}

/** Counts how much each client holds of something that all of them share. Without a client nothing is counted. */
export class Shares {
  readonly #counts = new Map<string, number>();

  of(client: string | undefined): number {
    return client === undefined ? 0 : (this.#counts.get(client) ?? 0);
  }

  add(client: string | undefined, amount = 1): void {
    if (client !== undefined && amount !== 0) this.#counts.set(client, this.of(client) + amount);
  }

  remove(client: string | undefined, amount = 1): void {
    if (client === undefined) return;
    const left = this.of(client) - amount;
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

/** The sizes of large messages; those of others are not counted. */
const largeSizes = new WeakMap<object, number>();

export function noteLarge(message: object, bytes: number): void {
  largeSizes.set(message, bytes);
}

/** About the memory that a large message takes; 0 for every other. */
export function largeBytes(message: object): number {
  return largeSizes.get(message) ?? 0;
}
