import { beforeAll, describe, expect, it } from 'vitest';
import { failOnEscapes } from '../../testing/fail-on-escapes.ts';
import { Mailbox } from '../../testing/mailbox.ts';
import { RedisCluster } from '../../testing/redis-cluster.ts';
import { LIBRARIES, type RedisServer } from '../../testing/redis-server.ts';
import type { RedisStores } from '../redis-stores.ts';
import type { PublishedChange } from '../server/event-bus.ts';
import type { StoredEvent } from '../transports/http/store.ts';

const KEEP = { keepMs: 3_600_000 };
/** Enough for each node to have some. */
const SESSIONS = Array.from({ length: 12 }, (_, n) => `s${n}`);

failOnEscapes();

/** Appends and publishes numbers until it is stopped. */
function write({ store, bus }: RedisStores) {
  let isStopped = false;
  let count = 0;
  const written = (async () => {
    while (!isStopped) {
      const text = String(count);
      const appending = SESSIONS.map((session) => store.append(session, 'a', { text, last: false }));
      await Promise.all([...appending, bus.publish({ kind: 'resource', uri: text })]);
      count += 1;
    }
    return count;
  })();
  written.catch(() => {}); // `stop` reports it
  const stop = async () => {
    isStopped = true;
    return Array.from({ length: await written }, (_, n) => String(n));
  };
  return { stop };
}

/** What arrives in another process. */
async function read({ store, bus }: RedisStores) {
  const losses: Error[] = [];
  const changes = new Mailbox<PublishedChange>();
  bus.listen({ changed: changes.put, missed: (position) => losses.push(new Error(`missed up to ${position}`)) });
  const events = new Map<string, Mailbox<StoredEvent>>();
  for (const session of SESSIONS) {
    const mailbox = new Mailbox<StoredEvent>();
    events.set(session, mailbox);
    await store.follow(session, 'a', 'undelivered', { event: mailbox.put, lost: (reason) => losses.push(reason) });
  }
  const takeEvents = async (session: string, count: number) => {
    const mailbox = events.get(session) as Mailbox<StoredEvent>;
    const texts: string[] = [];
    while (texts.length < count) texts.push((await mailbox.take()).text);
    return [...texts, ...mailbox.rest.map(({ text }) => text)];
  };
  const takeChanges = async (count: number) => {
    const uris: unknown[] = [];
    while (uris.length < count) uris.push((await changes.take()).change);
    return uris.map((change) => (change as { uri?: string }).uri);
  };
  const hasAll = async (numbers: readonly string[]) => {
    for (const session of SESSIONS) expect(await takeEvents(session, numbers.length)).toEqual(numbers);
    expect(await takeChanges(numbers.length)).toEqual(numbers);
    expect(losses).toEqual([]);
  };
  return { hasAll };
}

async function command(node: RedisServer, ...args: string[]): Promise<string> {
  return String(await node.command(...args));
}

/** Moves the slot of a key to another node, as `redis-cli --cluster reshard` does. */
async function move(cluster: RedisCluster, name: string): Promise<void> {
  const source = await cluster.nodeOf(name);
  const target = cluster.nodes.find((node) => node !== source) as RedisServer;
  const slot = await command(source, 'CLUSTER', 'KEYSLOT', name);
  const [from, to] = [await command(source, 'CLUSTER', 'MYID'), await command(target, 'CLUSTER', 'MYID')];
  await target.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', from);
  await source.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to);
  // One after the other, so that for a moment the session is on both nodes.
  for (const key of (await source.command('CLUSTER', 'GETKEYSINSLOT', slot, '10')) as string[]) {
    await source.command('MIGRATE', '127.0.0.1', String(target.port), key, '0', '5000');
  }
  for (const node of [target, source]) await node.command('CLUSTER', 'SETSLOT', slot, 'NODE', to);
}

describe('on a cluster of three nodes', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await RedisCluster.start();
  });

  describe.each(LIBRARIES)('with %s', (library) => {
    async function open(prefix: string) {
      const [one, two] = [await cluster.stores(library, { prefix }), await cluster.stores(library, { prefix })];
      await Promise.all(SESSIONS.map((session) => one.store.create(session, {}, KEEP)));
      const keyOf = (session: string) => `${prefix}:session:{${session}}`;
      const nodes = await Promise.all(SESSIONS.map((session) => cluster.nodeOf(keyOf(session))));
      expect(new Set(nodes).size).toBe(3);
      return { writer: write(one), reader: await read(two), keyOf };
    }

    it('every event and change arrives once and in order while they are moved to other nodes', async () => {
      const { writer, reader, keyOf } = await open(`${library}-moves`);
      for (const session of SESSIONS.slice(0, 3)) await move(cluster, keyOf(session));
      await move(cluster, `${library}-moves:{changes}`);
      await reader.hasAll(await writer.stop());
    });

    it('every event and change arrives once and in order while all nodes are killed and started again', async () => {
      const { writer, reader } = await open(`${library}-restarts`);
      await Promise.all(cluster.nodes.map((node) => node.kill()));
      await Promise.all(cluster.nodes.map((node) => node.restart()));
      await cluster.ready();
      await reader.hasAll(await writer.stop());
    });
  });
});
