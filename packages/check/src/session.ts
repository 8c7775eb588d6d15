import { type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import type { Received, Wire } from './wires/wire.ts';

/** The outcome of a request. */
export type Answer =
  /** `result` is empty if the message has another value there. */
  | { readonly kind: 'result'; readonly result: Members; readonly message: Members }
  | { readonly kind: 'error'; readonly code: unknown; readonly error: Members; readonly message: Members }
  /** HTTP refused it without a message. */
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'silence' }
  | { readonly kind: 'end'; readonly how: string };

/** What followed a message that may or may not be answered. */
export interface Probe {
  readonly received: readonly Exclude<Received, { kind: 'end' }>[];
  /** How the connection ended; undefined if the server still answers `ping`. */
  readonly dead: string | undefined;
}

export interface SessionTimes {
  /** Milliseconds to wait for each answer. */
  readonly patience: number;
  /** Milliseconds that a late answer has after the answer to the `ping` that was sent after its request. */
  readonly grace: number;
}

/** Asks and probes on one wire. */
export class Session {
  readonly wire: Wire;
  /** Milliseconds to wait for each answer. */
  patience: number;
  readonly #grace: number;
  #requests = 0;
  /** What `initialize` was answered with. */
  result: Members | undefined;
  /** A request was not answered in time, or the connection has ended: other checks should not use it. */
  isDoubtful = false;

  constructor(wire: Wire, { patience, grace }: SessionTimes) {
    this.wire = wire;
    this.patience = patience;
    this.#grace = grace;
  }

  get revision(): string | undefined {
    const { protocolVersion } = this.result ?? {};
    return typeof protocolVersion === 'string' ? protocolVersion : undefined;
  }

  /** Sends a request and waits for its answer. Other messages are dropped, except that `ping` of the server is answered. */
  async ask(method: string, params?: unknown, id: unknown = `request-${this.#requests++}`): Promise<Answer> {
    this.wire.send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) });
    return await this.answerTo(id);
  }

  /** Waits for the answer to a request that was sent. Everything before it goes to `others`. */
  async answerTo(id: unknown, others: Members[] = []): Promise<Answer> {
    const until = performance.now() + this.patience;
    for (;;) {
      const item = await this.wire.next(Math.max(0, until - performance.now()));
      if (item === undefined || item.kind === 'end') this.isDoubtful = true;
      if (item === undefined) return { kind: 'silence' };
      if (item.kind === 'end' || item.kind === 'status') return item;
      if (item.kind === 'message' && item.message.id === id && item.message.method === undefined)
        return asAnswer(item.message);
      if (item.kind === 'message' && !this.#pong(item.message)) others.push(item.message);
    }
  }

  /** Waits for the answers to requests that were sent, and adds them to those that have come. */
  async addAnswersTo(ids: readonly string[], answers: Members[]): Promise<void> {
    for (const id of ids) {
      if (answers.some((answer) => answer.id === id)) continue;
      const answer = await this.answerTo(id, answers);
      if (answer.kind === 'result' || answer.kind === 'error') answers.push(answer.message);
    }
  }

  /** Sends a message, then `ping`, and collects everything until that is answered. */
  async probe(message: unknown): Promise<Probe> {
    // Late answers to an earlier check.
    for (let item = await this.wire.next(0); item !== undefined && item.kind !== 'end'; )
      item = await this.wire.next(0);
    this.wire.send(message);
    return await this.settle();
  }

  /** Collects everything until `ping` is answered, and for the grace after that. */
  async settle(): Promise<Probe> {
    return await this.#untilPong(this.#grace);
  }

  /** Drops what arrives until `ping` is answered and for the time after that. Notes whether the connection has ended. */
  async confirm(milliseconds: number): Promise<void> {
    await this.#untilPong(milliseconds);
  }

  async #untilPong(grace: number): Promise<Probe> {
    const items: Exclude<Received, { kind: 'end' }>[] = [];
    const id = `alive-${this.#requests++}`;
    await this.wire.flushed(this.patience);
    this.wire.send({ jsonrpc: '2.0', id, method: 'ping' });
    let until = performance.now() + this.patience;
    let isAlive = false;
    for (;;) {
      const item = await this.wire.next(Math.max(0, until - performance.now()));
      if (item === undefined && isAlive) return { received: items, dead: undefined };
      if (item === undefined || item.kind === 'end') {
        this.isDoubtful = true;
        return { received: items, dead: item === undefined ? 'ping was not answered after it' : item.how };
      }
      if (item.kind === 'message' && item.message.id === id) {
        isAlive = true;
        until = performance.now() + grace;
      } else if (item.kind !== 'message' || !this.#pong(item.message)) items.push(item);
    }
  }

  #pong({ id, method }: Members): boolean {
    if (method !== 'ping' || id === undefined) return false;
    this.wire.send({ jsonrpc: '2.0', id, result: {} });
    return true;
  }
}

export function asAnswer(message: Members): Answer {
  const { error, result } = message;
  if (error === undefined) return { kind: 'result', result: objectOrEmpty(result), message };
  return { kind: 'error', code: memberAt(error, 'code'), error: objectOrEmpty(error), message };
}
