import { decode, encode, Prepared } from '../../jsonrpc/codec.ts';
import type { Connection, Outgoing, Receiver } from '../../jsonrpc/connection.ts';
import { ConnectionClosed } from '../../jsonrpc/errors.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, withDefaults } from '../../jsonrpc/limits.ts';
import type { Message, Response } from '../../jsonrpc/message.ts';

/** The limits of a message apply with `copy: 'json'`. */
export interface MemoryOptions extends Omit<ConnectionLimits, 'maxQueuedBytes'> {
  /**
   * `reference` passes the objects themselves: fastest, but the receiver must not change them.
   * `json` writes and parses them as a wire would. Default `reference`.
   */
  readonly copy?: 'reference' | 'json';
  /** Messages that wait for the peer to read them. Beyond it the connection is closed. Default 1 000 000. */
  readonly maxQueuedMessages?: number;
}

/** Two connected ends in one process. */
export function memoryPair(options: MemoryOptions = {}): [Connection, Connection] {
  const left = new MemoryEnd(options);
  const right = new MemoryEnd(options);
  left.join(right);
  right.join(left);
  return [left, right];
}

type Parcel = Outgoing | string;

class MemoryEnd implements Connection {
  readonly #toText: boolean;
  readonly #maxQueued: number;
  readonly #limits: Required<ConnectionLimits>;
  #other: MemoryEnd | undefined;
  #receiver: Receiver | undefined;
  #waiting: Parcel[] = [];
  #scheduled = false;
  #closed: Error | undefined;
  #closeReported = false;

  constructor({ copy = 'reference', maxQueuedMessages = 1_000_000, ...limits }: MemoryOptions) {
    this.#toText = copy === 'json';
    this.#maxQueued = maxQueuedMessages;
    this.#limits = withDefaults(limits, DEFAULT_CONNECTION_LIMITS);
  }

  join(other: MemoryEnd): void {
    this.#other = other;
  }

  start(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#schedule();
  }

  send(message: Outgoing): void {
    if (this.#closed === undefined) this.#other?.take(this.#toText ? encode(message) : message);
  }

  drained(): Promise<void> {
    // The peer reads in a microtask; a turn of the event loop lets it catch up.
    return new Promise((resolve) => setTimeout(resolve));
  }

  close(reason = 'Closed by this side'): Promise<void> {
    this.end(new ConnectionClosed(reason));
    this.#other?.end(new ConnectionClosed(`Closed by the peer: ${reason}`));
    return Promise.resolve();
  }

  /** Called by the other end. */
  take(parcel: Parcel): void {
    if (this.#waiting.length >= this.#maxQueued) {
      void this.close(`The reader is too slow: ${this.#maxQueued} messages are waiting`);
      return;
    }
    this.#waiting.push(parcel);
    this.#schedule();
  }

  /** Called by either end. */
  end(reason: Error): void {
    this.#closed ??= reason;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#receiver === undefined) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    const receiver = this.#receiver as Receiver; // scheduled only once there is one
    this.#scheduled = false;
    const parcels = this.#waiting;
    this.#waiting = [];
    for (const parcel of parcels) deliverParcel(parcel, receiver, this.#limits);
    if (this.#closed !== undefined && this.#waiting.length === 0 && !this.#closeReported) {
      this.#closeReported = true;
      receiver.closed(this.#closed);
    }
  }
}

function deliverParcel(parcel: Parcel, receiver: Receiver, limits: Required<ConnectionLimits>): void {
  if (typeof parcel === 'string') decode(parcel, receiver, undefined, limits);
  else if (Array.isArray(parcel)) receiver.batch(parcel.map(unwrap));
  else receiver.message(unwrap(parcel as Message));
}

function unwrap<M extends Message | Response>(message: M): M {
  if (!('result' in message) || !(message.result instanceof Prepared)) return message;
  return { ...message, result: message.result.value };
}
