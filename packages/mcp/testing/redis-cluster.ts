import { once } from 'node:events';
import { createCluster } from '@redis/client';
import { Cluster } from 'ioredis';
import { afterAll } from 'vitest';
import type { RedisClient } from '../src/redis/client.ts';
import { ioredis } from '../src/redis/clients/ioredis.ts';
import { nodeRedis } from '../src/redis/clients/node-redis.ts';
import { openRedisStores, type RedisStores, type RedisStoresOptions } from '../src/redis-stores.ts';
import {
  type ClientLibrary,
  closeAll,
  type OpenClient,
  openPair,
  type Pair,
  RedisServer,
  turn,
} from './redis-server.ts';

const NODES = 3;
const SLOTS = 16_384;
const HOST = '127.0.0.1';

/** The clients end before the nodes do. */
const clusters: RedisCluster[] = [];
afterAll(() => {
  for (const cluster of clusters.splice(0)) cluster.close();
});

/** A cluster of three nodes without replicas. */
export class RedisCluster {
  readonly nodes: readonly RedisServer[];
  readonly #closers: (() => void)[] = [];

  /** Ended after the last test of the file. */
  static async start(): Promise<RedisCluster> {
    const nodes = await Promise.all(Array.from({ length: NODES }, () => RedisServer.start('node')));
    for (const [index, node] of nodes.entries()) {
      const [from, end] = [index, index + 1].map((n) => Math.ceil((n * SLOTS) / NODES)) as [number, number];
      await node.command('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
      await node.command('CLUSTER', 'ADDSLOTSRANGE', String(from), String(end - 1));
      for (const { port, clusterPort } of nodes.slice(0, index)) {
        await node.command('CLUSTER', 'MEET', HOST, String(port), String(clusterPort));
      }
    }
    const cluster = new RedisCluster(nodes);
    clusters.push(cluster);
    await cluster.ready();
    return cluster;
  }

  private constructor(nodes: readonly RedisServer[]) {
    this.nodes = nodes;
  }

  /** Settles when every node serves its slots and knows those of the others. */
  async ready(): Promise<void> {
    for (const node of this.nodes) {
      for (;;) {
        const state = String(await node.command('CLUSTER', 'INFO'));
        const owners = new Set(
          ((await node.command('CLUSTER', 'SLOTS')) as [number, number, [string, number]][]).map(
            ([, , [, port]]) => port,
          ),
        );
        if (state.includes('cluster_state:ok') && owners.size === NODES) break;
        await turn();
      }
    }
  }

  async pair(library: ClientLibrary, view?: (client: RedisClient) => RedisClient): Promise<Pair> {
    return openPair([await this.#connect(library), await this.#connect(library)], this.#closers, view);
  }

  /** The stores of one process. */
  async stores(library: ClientLibrary, options: RedisStoresOptions): Promise<RedisStores> {
    const stores = await openRedisStores((await this.#connect(library)).client, options);
    this.#closers.push(() => stores.close());
    return stores;
  }

  /** The node that has a key. */
  async nodeOf(key: string): Promise<RedisServer> {
    for (const node of this.nodes) {
      const isOwner = await node.command('EXISTS', key).then(
        () => true,
        () => false,
      );
      if (isOwner) return node;
    }
    throw new Error(`No node has the key ${key}`);
  }

  close(): void {
    closeAll(this.#closers);
  }

  async #connect(library: ClientLibrary): Promise<OpenClient> {
    const { client, close } = await connect(
      library,
      this.nodes.map(({ port }) => port),
    );
    this.#closers.push(close);
    return { client, close };
  }
}

async function connect(library: ClientLibrary, ports: readonly number[]): Promise<OpenClient> {
  if (library === 'ioredis') {
    const cluster = new Cluster(
      ports.map((port) => ({ host: HOST, port })),
      { shardedSubscribers: true },
    );
    cluster.on('error', () => {});
    await once(cluster, 'ready');
    return { client: ioredis(cluster), close: () => cluster.disconnect() };
  }
  const cluster = createCluster({ rootNodes: ports.map((port) => ({ socket: { host: HOST, port } })) });
  cluster.on('error', () => {});
  await cluster.connect();
  return { client: nodeRedis(cluster), close: () => cluster.destroy() };
}
