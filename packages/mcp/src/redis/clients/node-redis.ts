import type { RedisClient } from '../client.ts';

type Listener = (...args: unknown[]) => void;
type Receive = (message: string, channel: string) => void;

interface Subscribing {
  sSubscribe(channel: string, listener: Receive): Promise<unknown>;
  sUnsubscribe(channel: string, listener: Receive): Promise<unknown>;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: string, listener: Listener): unknown;
}

/** What `createClient` of `@redis/client` or `redis` returns. */
export interface NodeRedisClient {
  sendCommand(command: string[]): Promise<unknown>;
  duplicate(): Subscribing;
}

/** What their `createCluster` returns. */
export interface NodeRedisCluster {
  sendCommand(key: string, isReadonly: boolean, command: string[]): Promise<unknown>;
  duplicate(): Subscribing;
  readonly masters: unknown;
}

/** For a connected client of `@redis/client` or `redis`, or one of their cluster clients. */
export function nodeRedis(client: NodeRedisClient | NodeRedisCluster): RedisClient {
  return {
    send: (key, command) =>
      'masters' in client ? client.sendCommand(key, false, [...command]) : client.sendCommand([...command]),
    openSubscriber: async (events) => {
      const subscriber = client.duplicate();
      const receive: Receive = (text, channel) => events.message(channel, text);
      for (const event of ['error', 'node-error']) subscriber.on(event, (error) => events.error(error as Error));
      for (const event of ['ready', 'node-ready']) subscriber.on(event, () => events.connected());
      await subscriber.connect();
      return {
        subscribe: (channel) => subscriber.sSubscribe(channel, receive),
        unsubscribe: (channel) => subscriber.sUnsubscribe(channel, receive),
        close: () => subscriber.destroy(),
      };
    },
  };
}
