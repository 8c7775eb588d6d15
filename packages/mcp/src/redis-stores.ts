import { StoreUnavailable } from './protocol/store-unavailable.ts';
import type { RedisClient } from './redis/client.ts';
import { tag } from './redis/keys.ts';
import { openRedis, type Redis } from './redis/redis.ts';
import type { EventBus } from './server/event-bus.ts';
import { openRedisEventBus } from './server/event-buses/redis/bus.ts';
import { BUS_SCRIPTS } from './server/event-buses/redis/scripts.ts';
import { TASK_SCRIPTS } from './server/tasks/stores/redis/scripts.ts';
import { redisTaskStore } from './server/tasks/stores/redis/store.ts';
import type { TaskStore } from './server/tasks/task-store.ts';
import type { HttpStore } from './transports/http/store.ts';
import { HTTP_SCRIPTS } from './transports/http/stores/redis/scripts.ts';
import { redisHttpStore } from './transports/http/stores/redis/store.ts';

/** The limits of the stores in Redis and their defaults. Each is an option of `openRedisStores` under the same name. */
export const REDIS_LIMITS = {
  /** Milliseconds that a call waits for Redis, for example while it restarts. Then it fails with StoreUnavailable. */
  timeoutMs: 10_000,
  /** Milliseconds after which each stream that is followed is compared with what Redis has, also if nothing seems wrong. */
  checkMs: 30_000,
  /** Bytes of the events of one session. Beyond it its oldest events are dropped. */
  maxEventBytes: 8 * 1024 * 1024,
  /** Finished streams of one session that can be replayed. */
  maxEndedStreams: 100,
} as const;

export type RedisStoresOptions = { readonly [Name in keyof typeof REDIS_LIMITS]?: number } & {
  /** With which all keys and channels begin. Servers with the same prefix share everything. Default `hawser`. */
  readonly prefix?: string;
  /** Gets the errors of the connection for subscriptions, which reconnects by itself. */
  readonly onError?: (error: Error) => void;
};

export interface RedisStores {
  readonly store: HttpStore;
  readonly tasks: TaskStore;
  readonly bus: EventBus;
  /** Closes the connection for subscriptions. The client that was passed stays open. */
  close(): void;
}

/** The secret with which the processes sign the state that clients carry. The first process makes it. */
async function sharedSecret({ connection, prefix }: Redis): Promise<string> {
  const key = `${prefix}:${tag('state-secret')}`;
  const made = [...crypto.getRandomValues(new Uint8Array(32))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  await connection.send(key, ['SET', key, made, 'NX']);
  const secret = await connection.send(key, ['GET', key]);
  if (typeof secret !== 'string' || secret === '') throw new StoreUnavailable('Redis has lost the state secret');
  return secret;
}

/** Opens the stores of a server whose processes share a Redis. Rejects with StoreUnavailable if it cannot be reached. */
export async function openRedisStores(client: RedisClient, options: RedisStoresOptions = {}): Promise<RedisStores> {
  const { timeoutMs, checkMs, maxEventBytes, maxEndedStreams } = { ...REDIS_LIMITS, ...options };
  const { prefix = 'hawser', onError = () => {} } = options;
  await Promise.all([...HTTP_SCRIPTS, ...TASK_SCRIPTS, ...BUS_SCRIPTS].map((script) => script.name()));
  const redis = await openRedis(client, { prefix, timeoutMs, checkMs, onError });
  try {
    const stateSecret = await sharedSecret(redis);
    const bus = await openRedisEventBus(redis);
    return {
      store: { ...redisHttpStore(redis, { maxEventBytes, maxEndedStreams }), stateSecret },
      tasks: { ...redisTaskStore(redis), stateSecret },
      bus: Object.assign(bus, { stateSecret }),
      close: redis.close,
    };
  } catch (error) {
    redis.close();
    throw error;
  }
}
