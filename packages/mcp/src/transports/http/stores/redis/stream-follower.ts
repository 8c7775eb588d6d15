import { MAX_TIMEOUT_MS, unref } from '../../../../jsonrpc/deadlines.ts';
import { isNewer } from '../../../../protocol/change-mark.ts';
import type { Redis } from '../../../../redis/redis.ts';
import type { Follower, StoredState, StreamStart } from '../../store.ts';
import { Delivery } from '../delivery.ts';
import { type PublishedEvent, parseEvent, parseReading, parseState, type Reading } from './messages.ts';
import { DELIVERED, END_CALL, READ, UNDELIVERED } from './scripts.ts';
import type { SessionKeys } from './session-keys.ts';

export interface FollowedStream {
  readonly keys: SessionKeys;
  readonly stream: string;
  /** What END_CALL needs to make room. */
  readonly limits: readonly [maxEventBytes: string, maxEndedStreams: string];
}

const GONE = 'The session is gone';
const DROPPED = 'Events were dropped before they could be read';
const RETRY_MS = 1000;

/**
 * Calls a follower with the events of a stream. Live events come by the channel of the stream; each names the event
 * before it, so that a gap is noticed and read from the log.
 */
export class StreamFollower {
  readonly #redis: Redis;
  readonly #followed: FollowedStream;
  readonly #follower: Follower;
  /** Followers that start with the next event do not take events from others. */
  readonly #takes: boolean;
  readonly #stops: (() => void)[] = [];
  /** Events that came while the log was read. */
  #waiting: PublishedEvent[] | undefined = [];
  #lastSeen = '-';
  #checked: string | undefined;
  #version = 0;
  #isStopped = false;
  #mustReadAgain = false;
  /** Undefined until it has started. */
  #delivery: Delivery<string> | undefined;
  #delivered: string | undefined;
  #isAcknowledging = false;
  #leaseTimer: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(redis: Redis, followed: FollowedStream, start: StreamStart, follower: Follower) {
    this.#redis = redis;
    this.#followed = followed;
    this.#follower = follower;
    this.#takes = start !== 'next';
  }

  /** Settles when no event can be missed. Rejects if the server cannot be reached. */
  async start(start: StreamStart): Promise<void> {
    const { keys, stream } = this.#followed;
    const failed = (error: Error) => this.#lose(error);
    try {
      const adding = [
        this.#redis.subscriptions.add(keys.channelOf(stream), {
          message: (text) => this.#receive(parseEvent(text)),
          check: (why) => this.#check(why),
          failed,
        }),
        this.#redis.subscriptions.add(keys.channel, {
          message: (text) => this.#changed(parseState(text)),
          check: () => {}, // the other one reads the state as well
          failed,
        }),
      ];
      for (const added of await Promise.allSettled(adding)) {
        if (added.status === 'fulfilled') this.#stops.push(added.value);
      }
      await Promise.all(adding);
      const reading = await this.#ask(typeof start === 'string' ? start : start.after);
      if (this.#takes) this.#delivery = new Delivery(reading?.from ?? '-');
      this.#take(reading);
      if (reading?.process !== undefined) void this.#watchLease(reading.process);
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  stop(isBroken = false): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#delivery?.stop();
    clearTimeout(this.#leaseTimer);
    clearTimeout(this.#retry);
    for (const stop of this.#stops) stop();
    if (isBroken) this.#takeBack();
    else if (this.#delivered !== undefined) void this.#acknowledge();
  }

  #lose(reason: Error): void {
    if (this.#isStopped) return;
    this.stop();
    this.#follower.lost(reason);
  }

  #changed(stored: StoredState | undefined): void {
    if (stored === undefined) this.#lose(new Error(GONE));
    else if (!this.#isStopped && stored.version > this.#version) {
      this.#version = stored.version;
      this.#follower.changed?.(stored);
    }
  }

  #receive(published: PublishedEvent): void {
    if (this.#isStopped) return;
    if (this.#waiting !== undefined) {
      this.#waiting.push(published);
      return;
    }
    if (!isAfter(published.event.id, this.#lastSeen)) return;
    if (published.previous === this.#lastSeen) this.#deliver(published.event);
    else this.#read();
  }

  #deliver(event: PublishedEvent['event']): void {
    this.#lastSeen = event.id;
    if (this.#takes) {
      this.#delivery?.handOver(event.id);
      this.#delivered = event.id;
    }
    this.#follower.event(event);
    // It may have stopped this.
    if (!this.#isStopped && this.#delivered !== undefined && !this.#isAcknowledging) void this.#acknowledge();
  }

  async #ask(start: string): Promise<Reading | undefined> {
    const { keys, stream } = this.#followed;
    return parseReading(await this.#redis.connection.run(READ, keys.all, [stream, start, String(this.#version)]));
  }

  #check(why: 'reconnected' | 'interval'): void {
    // Where events arrive, none is missed unnoticed; but those on their way may have been dropped from the log.
    if (why === 'reconnected' || this.#lastSeen === this.#checked) this.#read();
    this.#checked = this.#lastSeen;
  }

  /** Reads what may have been missed. */
  #read(): void {
    if (this.#isStopped) return;
    if (this.#waiting !== undefined) {
      this.#mustReadAgain = true;
      return;
    }
    this.#waiting = [];
    this.#ask(this.#lastSeen).then(
      (reading) => this.#take(reading),
      () => {
        this.#retry = setTimeout(() => {
          this.#waiting = undefined;
          this.#read();
        }, RETRY_MS);
      },
    );
  }

  #take(reading: Reading | undefined): void {
    if (this.#isStopped) return;
    if (reading === undefined || reading.isIncomplete) {
      this.#lose(new Error(reading === undefined ? GONE : DROPPED));
      return;
    }
    for (const event of reading.events) if (!this.#isStopped) this.#deliver(event);
    this.#lastSeen = reading.last;
    if (reading.state !== undefined) this.#changed(reading.state);
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const published of waiting) this.#receive(published);
    if (!this.#mustReadAgain) return;
    this.#mustReadAgain = false;
    this.#read();
  }

  /** Stores the last event that was delivered, for followers that start with the first undelivered one. */
  async #acknowledge(): Promise<void> {
    const { keys, stream } = this.#followed;
    this.#isAcknowledging = true;
    while (this.#delivered !== undefined) {
      const id = this.#delivered;
      this.#delivered = undefined;
      try {
        await this.#redis.connection.run(DELIVERED, keys.all, [stream, id]);
      } catch {
        // The event is delivered twice at worst.
      }
    }
    this.#isAcknowledging = false;
  }

  #takeBack(): void {
    const { keys, stream } = this.#followed;
    this.#delivered = undefined;
    if (this.#delivery === undefined || this.#delivery.last === this.#delivery.arrived) return;
    const { last, arrived } = this.#delivery;
    // If it fails, a client that names no event misses these.
    this.#redis.connection.run(UNDELIVERED, keys.all, [stream, last, arrived]).catch(() => {});
  }

  /** Ends the call if its process is no longer renewed. */
  async #watchLease(process: string): Promise<void> {
    let delay = RETRY_MS;
    try {
      delay = await this.#redis.leases.remaining(process);
      if (delay === 0 && !this.#isStopped) {
        const { keys, stream, limits } = this.#followed;
        await this.#redis.connection.run(END_CALL, keys.all, [stream, process, keys.channelOf(stream), ...limits]);
        return;
      }
    } catch {
      delay = RETRY_MS;
    }
    if (this.#isStopped) return;
    this.#leaseTimer = unref(setTimeout(() => void this.#watchLease(process), Math.min(delay + 1, MAX_TIMEOUT_MS)));
  }
}

function isAfter(id: string, than: string): boolean {
  return than === '-' || isNewer(id, than);
}
