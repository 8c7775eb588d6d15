import { describe } from 'vitest';
import type { RedisClient } from '../src/redis/client.ts';
import type { Redis } from '../src/redis/redis.ts';
import { RedisCluster } from './redis-cluster.ts';
import { LIBRARIES, RedisServer } from './redis-server.ts';
import { unreliableClient } from './unreliable-client.ts';

type Kind = readonly [
  name: string,
  start: () => Promise<RedisServer | RedisCluster>,
  view: (client: RedisClient) => RedisClient,
];
const SERVERS: readonly Kind[] = [
  ['a server', () => RedisServer.start(), (client) => client],
  ['a cluster', () => RedisCluster.start(), (client) => client],
  ['an unreliable connection', () => RedisServer.start(), unreliableClient],
];

/** Runs a contract suite with each client library, on each kind of server. `open` gives two processes without data. */
export function describeOnEveryRedis(
  what: string,
  suite: (name: string, open: () => readonly [one: Redis, other: Redis]) => void,
): void {
  // Most of a test is waiting: for leases, for expiry, for the next try.
  describe.concurrent.each(LIBRARIES)('with %s', async (library) => {
    for (const [name, start, view] of SERVERS) {
      const pair = await (await start()).pair(library, view);
      let count = 0;
      suite(`${what} on ${name}`, () => {
        count += 1;
        return pair(`test ${count}`);
      });
    }
  });
}
