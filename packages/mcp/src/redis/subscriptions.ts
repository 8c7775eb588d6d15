import { unref } from '../jsonrpc/deadlines.ts';
import { inTime } from '../jsonrpc/waiting.ts';
import type { RedisClient, RedisSubscriber } from './client.ts';
import type { RedisConnection } from './connection.ts';
import { closed, isTemporary, timedOut, unavailable } from './failure.ts';

export interface ChannelListener {
  message(text: string): void;
  /** Messages may have been missed. Called after each reconnection, and at intervals to be sure. */
  check(why: 'reconnected' | 'interval'): void;
  /** The channel can no longer be subscribed to. */
  failed(error: Error): void;
}

interface Channel {
  readonly listeners: Set<ChannelListener>;
  /** Settles when the server has accepted the subscription. */
  subscribed: Promise<void>;
  isSubscribing: boolean;
}

const RETRY_MS = 100;
/** Each channel is checked once in this many ticks. */
const TICKS_PER_CHECK = 30;

/** The subscriptions of this process, on one connection: one for each channel that has listeners. */
export class Subscriptions {
  readonly #client: RedisClient;
  readonly #connection: RedisConnection;
  readonly #onError: (error: Error) => void;
  readonly #channels = new Map<string, Channel>();
  #subscriber: RedisSubscriber | undefined;
  #isReplacing = false;
  #replacedAt = Number.NEGATIVE_INFINITY;
  #ticking: ReturnType<typeof setInterval> | undefined;
  /** The channels that are still to be checked in this round. */
  #unchecked: Channel[] = [];
  #tick = 0;
  #hasSubscribed = false;
  /** Counts reconnections. */
  #reconnections = 0;
  #reconnectedAt = 0;
  #isClosed = false;

  /** Rejects if no connection can be opened. */
  static async open(
    client: RedisClient,
    connection: RedisConnection,
    options: { readonly checkMs: number; readonly onError: (error: Error) => void },
  ): Promise<Subscriptions> {
    const subscriptions = new Subscriptions(client, connection, options.onError);
    await subscriptions.#open();
    subscriptions.#startChecks(options.checkMs);
    return subscriptions;
  }

  private constructor(client: RedisClient, connection: RedisConnection, onError: (error: Error) => void) {
    this.#client = client;
    this.#connection = connection;
    this.#onError = onError;
  }

  /** Settles when no further message is missed, with a function that ends it. Rejects if the server refuses. */
  async add(name: string, listener: ChannelListener): Promise<() => void> {
    if (this.#isClosed) throw closed();
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      channel = { listeners: new Set(), subscribed: Promise.resolve(), isSubscribing: false };
      this.#subscribe(name, channel).catch(() => {}); // its listeners wait for it
      this.#channels.set(name, channel);
    }
    const { listeners } = channel;
    listeners.add(listener);
    const stop = () => this.#remove(name, listeners, listener);
    try {
      await channel.subscribed;
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#ticking);
    this.#channels.clear();
    if (this.#subscriber !== undefined) closeSilently(this.#subscriber);
  }

  async #open(): Promise<void> {
    let opened: RedisSubscriber | undefined;
    const isUsed = () => opened !== undefined && opened === this.#subscriber;
    opened = await this.#client.openSubscriber({
      message: (channel, text) => {
        if (isUsed()) this.#receive(channel, text);
      },
      connected: () => {
        if (isUsed()) this.#connected();
      },
      error: (error) => {
        this.#onError(error);
        if (isUsed()) this.#refused(error);
      },
    });
    if (this.#isClosed) closeSilently(opened);
    else this.#subscriber = opened;
  }

  /** Opens another connection: after an outage, that of ioredis to a cluster may never find its nodes again. */
  async #replace(): Promise<void> {
    if (this.#isReplacing || Date.now() - this.#replacedAt < this.#connection.timeoutMs) return;
    this.#isReplacing = true;
    try {
      const before = this.#subscriber;
      await this.#open();
      if (before !== undefined) closeSilently(before);
      this.#connected();
    } catch {
      // The next attempt to subscribe tries again.
    } finally {
      this.#isReplacing = false;
      this.#replacedAt = Date.now();
    }
  }

  #remove(name: string, listeners: Set<ChannelListener>, listener: ChannelListener): void {
    if (!listeners.delete(listener) || listeners.size > 0 || this.#isClosed) return;
    if (this.#channels.get(name)?.listeners !== listeners) return;
    this.#channels.delete(name);
    // A subscription that remains only costs messages without listeners.
    this.#subscriber?.unsubscribe(name).catch(() => {});
  }

  #receive(name: string, text: string): void {
    for (const listener of [...(this.#channels.get(name)?.listeners ?? [])]) listener.message(text);
  }

  #subscribe(name: string, channel: Channel): Promise<void> {
    channel.isSubscribing = true;
    channel.subscribed = this.#trySubscribing(name).finally(() => {
      channel.isSubscribing = false;
    });
    return channel.subscribed;
  }

  async #trySubscribing(name: string): Promise<void> {
    const start = Date.now();
    const { timeoutMs } = this.#connection;
    for (;;) {
      const deadline = Math.max(start, this.#reconnectedAt) + timeoutMs;
      const reconnections = this.#reconnections;
      try {
        await inTime(this.#subscriber?.subscribe(name), deadline - Date.now(), () => timedOut(timeoutMs));
        this.#hasSubscribed = true;
        // The subscription may have been one of the connection before.
        if (reconnections === this.#reconnections) return;
      } catch (error) {
        if (this.#isClosed || !isTemporary(error) || Date.now() + RETRY_MS > deadline) throw unavailable(error);
        if (Date.now() - start > timeoutMs / 2) void this.#replace();
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  #connected(): void {
    if (!this.#hasSubscribed || this.#isClosed) return;
    this.#connection.noteOutage();
    this.#reconnections += 1;
    this.#reconnectedAt = Date.now();
    for (const [name, channel] of this.#channels) {
      if (channel.isSubscribing) continue; // it notices by itself
      this.#subscribe(name, channel).then(
        () => check(channel, 'reconnected'),
        (error) => this.#failed(name, channel, error),
      );
    }
  }

  #failed(name: string, channel: Channel, error: Error): void {
    if (this.#channels.get(name) !== channel) return;
    this.#channels.delete(name);
    for (const listener of channel.listeners) listener.failed(error);
  }

  /** A client that subscribes again by itself, and is refused, says no more than this. */
  #refused(error: Error): void {
    if (isTemporary(error)) return;
    for (const [name, channel] of [...this.#channels]) this.#failed(name, channel, unavailable(error));
  }

  #startChecks(checkMs: number): void {
    this.#ticking = unref(setInterval(() => this.#checkSome(), checkMs / TICKS_PER_CHECK));
  }

  #checkSome(): void {
    if (this.#tick === 0) this.#unchecked = [...this.#channels.values()];
    this.#tick = (this.#tick + 1) % TICKS_PER_CHECK;
    const ticksLeft = this.#tick === 0 ? 1 : TICKS_PER_CHECK - this.#tick;
    const count = Math.ceil(this.#unchecked.length / ticksLeft);
    for (const channel of this.#unchecked.splice(0, count)) check(channel, 'interval');
  }
}

function check(channel: Channel, why: 'reconnected' | 'interval'): void {
  for (const listener of [...channel.listeners]) listener.check(why);
}

/** Some clients throw if they are not connected. */
function closeSilently(subscriber: RedisSubscriber): void {
  try {
    subscriber.close();
  } catch {
    // It is closed.
  }
}
