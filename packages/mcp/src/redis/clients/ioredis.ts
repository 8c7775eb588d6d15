import type { RedisClient } from '../client.ts';

type Listener = (...args: unknown[]) => void;

interface Subscribing {
  ssubscribe(channel: string): Promise<unknown>;
  sunsubscribe(channel: string): Promise<unknown>;
  disconnect(): void;
  on(event: string, listener: Listener): unknown;
}

/** A `Redis` of `ioredis`, or a `Cluster` made with the option `shardedSubscribers`. */
export interface IoredisClient {
  call(command: string, ...args: string[]): Promise<unknown>;
  readonly isCluster: boolean;
  // Of a cluster it takes other arguments, and needs none.
  duplicate(...args: never[]): Subscribing;
}

/** For a client of `ioredis`. */
export function ioredis(client: IoredisClient): RedisClient {
  return {
    send: (_key, [command = '', ...args]) => client.call(command, ...args),
    openSubscriber: async (events) => {
      const subscriber = client.isCluster ? client.duplicate() : duplicateOf(client);
      subscriber.on('error', (error) => events.error(error as Error));
      subscriber.on('smessage', (channel, text) => events.message(channel as string, text as string));
      // Of a cluster, `ready` comes before its subscribers are connected, and `subscribersReady` not after every outage.
      for (const event of ['ready', 'subscribersReady']) subscriber.on(event, () => events.connected());
      return {
        subscribe: (channel) => subscriber.ssubscribe(channel),
        unsubscribe: (channel) => subscriber.sunsubscribe(channel),
        close: () => subscriber.disconnect(),
      };
    },
  };
}

/** ioredis itself would subscribe again without looking at the outcome: a rejection would end the process. */
function duplicateOf(client: IoredisClient): Subscribing {
  const { duplicate } = client as { duplicate(options: object): Subscribing };
  return duplicate.call(client, { autoResubscribe: false });
}
