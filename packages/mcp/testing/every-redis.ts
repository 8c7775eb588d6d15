import { describe } from 'vitest';
import type { RedisClient } from '../src/redis/client.ts';
import type { Redis } from '../src/redis/redis.ts';
import { LIBRARIES, RedisServer } from './redis-server.ts';
import { unreliableClient } from './unreliable-client.ts';

const SERVERS: readonly [name: string, kind: 'single' | 'cluster', view: (client: RedisClient) => RedisClient][] = [
  ['a server', 'single', (client) => client],
  ['a cluster', 'cluster', (client) => client],
  ['an unreliable connection', 'single', unreliableClient],
];

/** Runs a contract suite with each client library, on each kind of server. `open` gives two processes without data. */
export function describeOnEveryRedis(
  what: string,
  suite: (name: string, open: () => readonly [one: Redis, other: Redis]) => void,
): void {
  describe.each(LIBRARIES)('with %s', async (library) => {
    for (const [name, kind, view] of SERVERS) {
      const pair = await (await RedisServer.start(kind)).pair(library, view);
      let count = 0;
      suite(`${what} on ${name}`, () => {
        count += 1;
        return pair(`test ${count}`);
      });
    }
  });
}
