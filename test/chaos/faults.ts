import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '../../examples/cluster/cluster.mjs';
import type { Random } from '../../packages/mcp/testing/random.ts';
import type { CuttableRelay } from './cuttable-relay.ts';

/** A process that could not work, or Redis. */
interface Disturbance {
  readonly of: string;
  readonly from: number;
  to: number;
}

type Fault = () => Promise<string>;

/** How often each kind of fault happens in a round. */
const ROUND = {
  kill: 3,
  cutClients: 3,
  cutRedis: 1,
  suspend: 1,
  restart: 1,
  restartRedis: 1,
  emptyRedis: 1,
} as const;

/** Breaks parts of a cluster, one after the other. */
export class Faults {
  /** How often Redis has lost its data. */
  dataLosses = 0;
  readonly counts = new Map<string, number>();
  readonly #cluster: Cluster;
  readonly #relay: CuttableRelay;
  readonly #random: Random;
  readonly #leaseMs: number;
  readonly #disturbances: Disturbance[] = [];
  /** The faults that are left of this round. */
  #round: (keyof typeof ROUND)[] = [];
  /** What still has to be undone. */
  readonly #pending = new Set<Promise<void>>();
  readonly #failed: (error: Error) => void;

  constructor(cluster: Cluster, relay: CuttableRelay, random: Random, leaseMs: number, failed: (error: Error) => void) {
    this.#cluster = cluster;
    this.#relay = relay;
    this.#random = random;
    this.#leaseMs = leaseMs;
    this.#failed = failed;
  }

  /** Whether a process, by the proxy's name for it, was killed, suspended or asked to end between two times. */
  wasDisturbed(process: string, from: number, to: number): boolean {
    return this.#disturbances.some((each) => each.of === process && each.from <= to && each.to >= from);
  }

  /** When Redis last was away, or lost its connections; at most `before`. */
  lastRedisFault(before: number): number {
    const times = this.#disturbances.filter(({ of }) => of === 'redis').map(({ to }) => Math.min(to, before));
    return Math.max(Number.NEGATIVE_INFINITY, ...times);
  }

  /** Causes the next fault of the round. Settles with what it did; the repair may come later. */
  async cause(): Promise<string> {
    if (this.#round.length === 0)
      this.#round = Object.entries(ROUND).flatMap(([kind, times]) => Array(times).fill(kind));
    const [kind] = this.#round.splice(this.#random.below(this.#round.length), 1) as [keyof typeof ROUND];
    const faults: { readonly [name in keyof typeof ROUND]: Fault } = {
      kill: () => this.#kill(),
      cutClients: () => this.#cutClients(),
      cutRedis: () => this.#cutRedis(),
      suspend: () => this.#suspend(),
      restart: () => this.#restart(),
      restartRedis: () => this.#restartRedis('keep its data'),
      emptyRedis: () => this.#restartRedis('lose its data'),
    };
    const done = await faults[kind]();
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    return done;
  }

  /** Settles when everything runs again. */
  async repaired(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async #kill(): Promise<string> {
    const index = this.#runningServer();
    const server = index === undefined ? undefined : this.#cluster.servers[index];
    if (index === undefined || server === undefined) return 'no process left to kill';
    const downMs = this.#random.below(1500);
    const disturbance = this.#begin(`process-${index + 1}`);
    await server.stop('SIGKILL');
    this.#later(disturbance, async () => {
      await delay(downMs);
      await server.start();
    });
    return `killed process ${index + 1} for ${downMs} ms`;
  }

  async #restart(): Promise<string> {
    const index = this.#runningServer();
    const server = index === undefined ? undefined : this.#cluster.servers[index];
    if (index === undefined || server === undefined) return 'no process left to restart';
    this.#later(this.#begin(`process-${index + 1}`), async () => {
      await server.stop('SIGTERM');
      await server.start();
    });
    return `restarts process ${index + 1}`;
  }

  async #suspend(): Promise<string> {
    const index = this.#runningServer();
    const server = index === undefined ? undefined : this.#cluster.servers[index];
    if (index === undefined || server === undefined) return 'no process left to suspend';
    const suspendedMs = this.#random.below(this.#leaseMs * 1.5);
    server.signal('SIGSTOP');
    this.#later(this.#begin(`process-${index + 1}`), async () => {
      await delay(suspendedMs);
      server.signal('SIGCONT');
    });
    return `suspended process ${index + 1} for ${suspendedMs.toFixed(0)} ms`;
  }

  async #cutClients(): Promise<string> {
    const part = this.#random.pick([0.3, 1]);
    return `cut ${this.#relay.cut(() => this.#random.chance(part))} connections of clients`;
  }

  async #cutRedis(): Promise<string> {
    const type = this.#random.pick(['normal', 'pubsub']);
    const disturbance = this.#begin('redis');
    disturbance.to = disturbance.from;
    const killed = await redisCommand(this.#cluster.redisUrl, `CLIENT KILL TYPE ${type}`);
    return `cut the ${type} connections of Redis: ${killed}`;
  }

  async #restartRedis(data: 'keep its data' | 'lose its data'): Promise<string> {
    const { redis } = this.#cluster;
    if (redis === undefined || this.#isBroken('redis')) return 'Redis is down already';
    const downMs = this.#random.below(2000);
    const signal = this.#random.pick(['SIGKILL', 'SIGTERM'] as const);
    const disturbance = this.#begin('redis');
    await redis.stop(signal);
    if (data === 'lose its data') {
      this.#cluster.deleteData();
      this.dataLosses += 1;
    }
    this.#later(disturbance, async () => {
      await delay(downMs);
      await redis.start();
    });
    return `ended Redis with ${signal} for ${downMs} ms, to ${data}`;
  }

  /** The index of one that no fault is working on. */
  #runningServer(): number | undefined {
    const isFree = (index: number) => !this.#isBroken(`process-${index + 1}`);
    const free = this.#cluster.servers.map((_, index) => index).filter(isFree);
    // Now and then none is left.
    return free.length > 1 || this.#random.chance(0.1) ? this.#random.pick(free) : undefined;
  }

  #isBroken(part: string): boolean {
    return this.#disturbances.some(({ of, to }) => of === part && to > performance.now());
  }

  #begin(of: string): Disturbance {
    const disturbance = { of, from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.#disturbances.push(disturbance);
    return disturbance;
  }

  #later(disturbance: Disturbance, repair: () => Promise<void>): void {
    const repairing = repair()
      .catch((error) => this.#failed(error))
      .then(() => {
        disturbance.to = performance.now();
        this.#pending.delete(repairing);
      });
    this.#pending.add(repairing);
  }
}

/** Settles with the answer, or with the error: Redis may be down. */
function redisCommand(url: string, command: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.setEncoding('utf8').once('data', (text) => {
      resolve(String(text).trim());
      socket.destroy();
    });
    socket.once('error', (error) => resolve(error.message));
    socket.once('close', () => resolve('no answer'));
    socket.write(`${command}\r\n`);
  });
}
