import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { Redis as Ioredis } from 'ioredis';
import { afterAll } from 'vitest';
import type { RedisClient } from '../src/redis/client.ts';
import { ioredis } from '../src/redis/clients/ioredis.ts';
import { nodeRedis } from '../src/redis/clients/node-redis.ts';
import { Leases } from '../src/redis/leases.ts';
import { openRedis, type Redis } from '../src/redis/redis.ts';
import { openRedisStores, type RedisStores, type RedisStoresOptions } from '../src/redis-stores.ts';

/** A client, and how to end it. */
export interface OpenClient {
  readonly client: RedisClient;
  close(): void;
}

export type ClientLibrary = 'node-redis' | 'ioredis';
export const LIBRARIES: readonly ClientLibrary[] = ['node-redis', 'ioredis'];

interface Address {
  readonly folder: string;
  /** 0 for none: then there is only a unix socket. */
  readonly port: number;
  /** 0 unless it is a node of a cluster. */
  readonly clusterPort: number;
}

/** Also those that are started within a test. */
const servers: RedisServer[] = [];
afterAll(async () => {
  for (const server of servers.splice(0)) await server.remove();
});

/** A Redis of a test file, in a folder of its own. */
export class RedisServer {
  readonly #address: Address;
  #process: ChildProcess;
  readonly #closers: (() => void)[] = [];

  /** Ended after the last test of the file. Only `tcp` and `node` have a port; a node belongs to a cluster. */
  static async start(kind: 'single' | 'tcp' | 'node' = 'single'): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'hawser-redis-'));
    const [port = 0, clusterPort = 0] = kind === 'single' ? [] : await freePorts(2);
    const address = { folder, port, clusterPort: kind === 'node' ? clusterPort : 0 };
    const server = new RedisServer(address, run(address));
    servers.push(server);
    await server.#accepting();
    return server;
  }

  private constructor(address: Address, process: ChildProcess) {
    this.#address = address;
    this.#process = process;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#address.port}`;
  }

  get port(): number {
    return this.#address.port;
  }

  get clusterPort(): number {
    return this.#address.clusterPort;
  }

  get socket(): string {
    return socketIn(this.#address.folder);
  }

  /** A pair of processes for many tests, which use different prefixes. */
  async pair(library: ClientLibrary, view?: (client: RedisClient) => RedisClient): Promise<Pair> {
    return openPair([await this.#connect(library), await this.#connect(library)], this.#closers, view);
  }

  /** The stores of one process. */
  async stores(
    library: ClientLibrary,
    options: RedisStoresOptions,
    view = (client: RedisClient) => client,
  ): Promise<RedisStores> {
    const stores = await openRedisStores(view((await this.#connect(library)).client), options);
    this.#closers.push(() => stores.close());
    return stores;
  }

  /** Connects as a process of a server does. Closed after the last test. */
  async #connect(library: ClientLibrary): Promise<OpenClient> {
    const opened = await this.#connectSingle(library);
    this.#closers.push(opened.close);
    return opened;
  }

  /** Sends a command on a connection of its own. */
  async command(...args: string[]): Promise<unknown> {
    const { client, close } = await this.#connectSingle();
    try {
      return await client.send('', args);
    } finally {
      close();
    }
  }

  /** Ends the server as the kernel does. */
  async kill(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exited;
  }

  /**
   * Starts it again, with what it has saved to disk (`SAVE`). Settles when it accepts connections: it may still be loading,
   * for this long for each key.
   */
  async restart({ loadDelayMs = 0 }: { loadDelayMs?: number } = {}): Promise<void> {
    const slowly = ['--key-load-delay', String(1000 * loadDelayMs), '--loading-process-events-interval-bytes', '1024'];
    this.#process = run(this.#address, loadDelayMs > 0 ? slowly : []);
    await this.#accepting();
  }

  async #accepting(): Promise<void> {
    for (;;) {
      if (this.#process.exitCode !== null) throw new Error(`redis-server exited with ${this.#process.exitCode}`);
      const socket = createConnection(this.socket);
      try {
        await once(socket, 'connect');
        return;
      } catch {
        await turn();
      } finally {
        socket.destroy();
      }
    }
  }

  async #connectSingle(library: ClientLibrary = 'node-redis'): Promise<OpenClient> {
    const path = this.socket;
    if (library === 'ioredis') {
      const client = new Ioredis({ path, retryStrategy: () => 20 });
      client.on('error', () => {});
      return { client: ioredis(client), close: () => client.disconnect() };
    }
    const client = createClient({ socket: { path, tls: false, reconnectStrategy: 20 } });
    client.on('error', () => {});
    await client.connect();
    return { client: nodeRedis(client), close: () => client.destroy() };
  }

  async remove(): Promise<void> {
    closeAll(this.#closers);
    if (this.#process.exitCode === null && this.#process.signalCode === null) await this.kill();
    await rm(this.#address.folder, { recursive: true, force: true });
  }
}

/** Two processes whose keys begin with a prefix. */
export type Pair = (prefix: string) => [one: Redis, other: Redis];

/** Adds to the closers what ends them. */
export async function openPair(
  clients: readonly [OpenClient, OpenClient],
  closers: (() => void)[],
  view = (client: RedisClient) => client,
): Promise<Pair> {
  const options = { prefix: '', timeoutMs: 60_000, checkMs: 30_000, onError: () => {} };
  const open = async ({ client }: OpenClient) => {
    const redis = await openRedis(view(client), options);
    closers.push(redis.close);
    return redis;
  };
  const [one, other] = [await open(clients[0]), await open(clients[1])];
  const prefixed = (redis: Redis, prefix: string) => {
    return { ...redis, prefix, leases: new Leases(redis.connection, prefix, 0) };
  };
  return (prefix) => [prefixed(one, prefix), prefixed(other, prefix)];
}

export function closeAll(closers: (() => void)[]): void {
  for (const close of closers.splice(0)) {
    try {
      close();
    } catch {
      // A client that is closed already.
    }
  }
}

function run({ folder, port, clusterPort }: Address, options: readonly string[] = []): ChildProcess {
  const host = '127.0.0.1';
  const network = ['--port', String(port), '--bind', host];
  const isNode = clusterPort > 0;
  const cluster = ['--cluster-enabled', 'yes', '--cluster-port', String(clusterPort), '--cluster-announce-ip', host];
  // A node keeps what it has acknowledged, because the others do not stop while it is saved to disk.
  const files = [
    '--dir',
    folder,
    '--unixsocket',
    socketIn(folder),
    '--save',
    '',
    '--appendonly',
    isNode ? 'yes' : 'no',
  ];
  const args = [...network, ...files, ...(isNode ? cluster : []), ...options];
  return spawn('redis-server', args, { stdio: 'ignore' });
}

function socketIn(folder: string): string {
  return join(folder, 'redis.sock');
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return ports;
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
