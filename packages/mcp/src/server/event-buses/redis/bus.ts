import { unref } from '../../../jsonrpc/deadlines.ts';
import { isNewer } from '../../../protocol/change-mark.ts';
import { tag } from '../../../redis/keys.ts';
import type { Redis } from '../../../redis/redis.ts';
import type { BusListener, Change, EventBus, PublishedChange, ReadChanges } from '../../event-bus.ts';
import { OPEN_BUS, PUBLISH, READ_CHANGES } from './scripts.ts';

/** Changes that can be read; older ones are forgotten. */
const MAX_CHANGES = 1000;
const READ_AT_ONCE = 200;
const RETRY_MS = 1000;

interface Reading {
  /** Another one when Redis has lost its data. */
  readonly data: string;
  /** The position of the change before these. */
  readonly previous: string;
  readonly changes: readonly PublishedChange[];
}

/** Carries changes between processes through Redis. Rejects if the server cannot be reached. */
export async function openRedisEventBus(redis: Redis): Promise<EventBus> {
  const bus = new RedisEventBus(redis);
  await bus.open();
  return bus;
}

class RedisEventBus implements EventBus {
  readonly #redis: Redis;
  readonly #keys: readonly [changes: string, facts: string];
  readonly #channel: string;
  readonly #listeners = new Set<BusListener>();
  readonly #subscription = {
    message: (text: string) => this.#receive(text),
    check: (why: 'reconnected' | 'interval') => {
      // New messages reveal a gap by themselves. Without any since the last check, only reading does.
      if (why === 'reconnected' || this.#position === this.#checkedPosition) this.#read();
      this.#checkedPosition = this.#position;
    },
    failed: () => unref(setTimeout(() => this.#subscribeAgain(), RETRY_MS)),
  };
  #position = '0-0';
  #checkedPosition: string | undefined;
  #data = '';
  /** Messages that came while changes were read; undefined while none are. */
  #waiting: string[] | undefined;
  #mustReadAgain = false;

  constructor(redis: Redis) {
    const key = `${redis.prefix}:${tag('changes')}`;
    this.#redis = redis;
    this.#keys = [key, `${key}:facts`];
    this.#channel = `${key}:published`;
  }

  get position(): string {
    return this.#position;
  }

  async open(): Promise<void> {
    const { connection, subscriptions } = this.#redis;
    this.#waiting = [];
    await subscriptions.add(this.#channel, this.#subscription);
    const opened = await connection.run(OPEN_BUS, this.#keys, [crypto.randomUUID()]);
    [this.#data, this.#position] = opened as [string, string];
    this.#haveRead();
  }

  async publish(change: Change): Promise<void> {
    const { connection } = this.#redis;
    const keys = [...this.#keys, `${this.#keys[0]}:writer:${connection.writer}`] as const;
    const args = [crypto.randomUUID(), JSON.stringify(change), this.#channel, String(MAX_CHANGES)];
    await connection.runOnce(PUBLISH, keys, args);
  }

  listen(listener: BusListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async read(after: string, limit: number): Promise<ReadChanges> {
    const { changes, previous } = await this.#ask(after, limit);
    return isNewer(previous, after) ? undefined : changes;
  }

  async #ask(after: string, limit: number): Promise<Reading> {
    const reply = await this.#redis.connection.run(READ_CHANGES, this.#keys, [
      after,
      String(limit),
      crypto.randomUUID(),
    ]);
    const [data = '', last = '0-0', ...rest] = reply as string[];
    const changes: PublishedChange[] = [];
    for (let n = 0; n < rest.length; n += 3) {
      changes.push({ position: rest[n] as string, change: JSON.parse(rest[n + 2] as string) });
    }
    return { data, previous: rest[1] ?? last, changes };
  }

  #receive(text: string): void {
    if (this.#waiting !== undefined) {
      if (this.#waiting.length < MAX_CHANGES) this.#waiting.push(text);
      else this.#mustReadAgain = true;
      return;
    }
    const end = text.indexOf('\n');
    const [position = '', previous] = text.slice(0, end).split(' ');
    if (!isNewer(position, this.#position)) return;
    if (previous === this.#position) this.#deliver({ position, change: JSON.parse(text.slice(end + 1)) });
    else this.#read();
  }

  #deliver(published: PublishedChange): void {
    this.#position = published.position;
    for (const listener of [...this.#listeners]) listener.changed(published);
  }

  /** Reads what may have been missed. */
  #read(): void {
    if (this.#waiting !== undefined) {
      this.#mustReadAgain = true;
      return;
    }
    this.#waiting = [];
    this.#readAll().then(
      () => this.#haveRead(),
      () => {
        this.#waiting = undefined;
        unref(setTimeout(() => this.#read(), RETRY_MS));
      },
    );
  }

  #haveRead(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const text of waiting) this.#receive(text);
    if (this.#mustReadAgain) this.#read();
  }

  async #readAll(): Promise<void> {
    for (;;) {
      this.#mustReadAgain = false;
      const { data, previous, changes } = await this.#ask(this.#position, READ_AT_ONCE);
      if (data !== this.#data || isNewer(previous, this.#position)) {
        this.#data = data;
        this.#position = previous;
        for (const listener of [...this.#listeners]) listener.missed(previous);
      }
      for (const published of changes) this.#deliver(published);
      if (changes.length < READ_AT_ONCE) return;
    }
  }

  #subscribeAgain(): void {
    this.#redis.subscriptions.add(this.#channel, this.#subscription).then(
      () => this.#read(),
      () => unref(setTimeout(() => this.#subscribeAgain(), RETRY_MS)),
    );
  }
}
