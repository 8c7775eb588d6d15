import { unref } from '../jsonrpc/deadlines.ts';
import type { RedisClient } from './client.ts';
import { Command, type CommandOptions } from './command.ts';
import { closed, isOutage, timedOut, unavailable } from './failure.ts';
import { Lane, type LaneHost } from './lane.ts';
import type { Script } from './script.ts';

const SWEEP_MS = 250;
const SLOW_MS = 1000;

/**
 * Sends commands. A command that fails because the server is away or starting is sent again, in order, until its deadline.
 * Then it rejects with StoreUnavailable, and whether it has taken effect is unknown.
 */
export class RedisConnection {
  /** The name of this process in what it writes. */
  readonly writer: string = crypto.randomUUID().slice(0, 13);
  readonly timeoutMs: number;
  readonly #host: LaneHost;
  /** By key, while there are commands about it. */
  readonly #lanes = new Map<string, Lane>();
  /** In the order of their deadlines. */
  readonly #pending = new Set<Command>();
  #sweep: ReturnType<typeof setInterval> | undefined;
  #lastNumber = 0;
  #lastOutage = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(client: RedisClient, timeoutMs: number) {
    this.timeoutMs = timeoutMs;
    this.#host = {
      send: (key, args) => this.#send(client, key, args),
      settled: (command) => this.#remove(command),
      recovered: (key) => this.#lanes.delete(key),
    };
  }

  /** Milliseconds since this process last noticed that the server was away. */
  get sinceOutage(): number {
    return Date.now() - this.#lastOutage;
  }

  noteOutage(): void {
    this.#lastOutage = Date.now();
  }

  /** A number that no other call of this process has. */
  newNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  /** Sends a command about a key. */
  send(key: string, command: readonly string[]): Promise<unknown> {
    return this.#add({ key, args: command, deadline: this.#deadline() });
  }

  /** Runs a script. Calls with the same first key take effect in order. */
  run(script: Script, keys: readonly [string, ...string[]], args: readonly string[]): Promise<unknown> {
    const [key] = keys;
    return this.#add({ key, script, args: [String(keys.length), ...keys, ...args], deadline: this.#deadline() });
  }

  /**
   * The same for a script that must take effect once. Its first arguments are the name of this process, the number of
   * the call, which grows, and the number of the call that must have taken effect before it, or 0.
   */
  runOnce(script: Script, keys: readonly [string, ...string[]], args: readonly string[]): Promise<unknown> {
    const [key] = keys;
    const number = { value: this.newNumber(), index: keys.length + 2 };
    const all = [String(keys.length), ...keys, this.writer, ...args];
    return this.#add({ key, script, args: all, number, deadline: this.#deadline() });
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    for (const command of this.#pending) this.#giveUp(command, closed());
  }

  #deadline(): number {
    return Date.now() + this.timeoutMs;
  }

  #add(options: CommandOptions): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(closed());
    const command = new Command(options);
    let lane = this.#lanes.get(options.key);
    if (lane === undefined) {
      lane = new Lane(options.key, this.#host);
      this.#lanes.set(options.key, lane);
    }
    this.#pending.add(command);
    this.#startSweep();
    lane.add(command);
    return command.outcome;
  }

  async #send(client: RedisClient, key: string, args: readonly string[]): Promise<unknown> {
    const start = Date.now();
    try {
      const reply = await client.send(key, args);
      // The client library waited for the server and then sent the command again.
      if (Date.now() - start > SLOW_MS) this.noteOutage();
      return reply;
    } catch (error) {
      if (isOutage(error)) this.noteOutage();
      throw error;
    }
  }

  #giveUp(command: Command, error: Error): void {
    command.giveUp(error);
    this.#remove(command);
  }

  #remove(command: Command): void {
    this.#pending.delete(command);
    const { key } = command.options;
    const lane = this.#lanes.get(key);
    lane?.remove(command);
    if (lane?.isIdle) this.#lanes.delete(key);
  }

  #startSweep(): void {
    if (this.#sweep !== undefined) return;
    this.#sweep = unref(setInterval(() => this.#endLate(), Math.min(SWEEP_MS, this.timeoutMs / 2)));
  }

  #endLate(): void {
    const now = Date.now();
    for (const command of this.#pending) {
      if (command.options.deadline > now) return;
      const { failure } = command;
      this.#giveUp(command, failure === undefined ? timedOut(this.timeoutMs) : unavailable(failure));
    }
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
