import type { RedisClient } from './client.ts';
import { RedisConnection } from './connection.ts';
import { Leases } from './leases.ts';
import { Subscriptions } from './subscriptions.ts';

/** What the stores of one process share. */
export interface Redis {
  readonly connection: RedisConnection;
  readonly subscriptions: Subscriptions;
  readonly leases: Leases;
  /** With which all keys and channels begin. */
  readonly prefix: string;
  close(): void;
}

export interface RedisOptions {
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly checkMs: number;
  readonly onError: (error: Error) => void;
}

/** Opens a connection for subscriptions beside the client. Rejects if it cannot. */
export async function openRedis(client: RedisClient, options: RedisOptions): Promise<Redis> {
  const { prefix, timeoutMs } = options;
  if (/[{}]/.test(prefix)) throw new TypeError(`The prefix of Redis keys must not contain braces: ${prefix}`);
  const connection = new RedisConnection(client, timeoutMs);
  const subscriptions = await Subscriptions.open(client, connection, options);
  const close = () => {
    subscriptions.close();
    connection.close();
  };
  return { connection, subscriptions, leases: new Leases(connection, prefix), prefix, close };
}
