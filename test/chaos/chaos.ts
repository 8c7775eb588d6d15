import { setTimeout as delay } from 'node:timers/promises';
import { Cluster } from '../../examples/cluster/cluster.mjs';
import { Random } from '../../packages/mcp/testing/random.ts';
import { calls, questions, streams } from './calls.ts';
import { CuttableRelay } from './cuttable-relay.ts';
import { Faults } from './faults.ts';
import { Ledger } from './ledger.ts';
import { subscriptions } from './subscriptions.ts';
import { followedTasks, polledTasks } from './tasks.ts';
import type { World } from './world.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** How long faults are caused; clients then get some more time to recover. */
  readonly milliseconds: number;
  readonly processes: number;
  readonly leaseMs: number;
  /** The path of the server's program. */
  readonly program: string;
  readonly log: (line: string) => void;
}

export interface ChaosReport {
  readonly ledger: Ledger;
  /** How often each kind of fault was caused. */
  readonly faults: ReadonlyMap<string, number>;
}

/** Longest pause between two faults. */
const MAX_PAUSE_MS = 1600;

/** Runs clients against a cluster while parts of it are broken and repaired. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, milliseconds, processes, leaseMs, program, log } = options;
  const random = new Random(seed);
  const ledger = new Ledger();
  const cluster = new Cluster({
    processes,
    program,
    env: { LEASE_MS: String(leaseMs), STATE_SECRET: 'chaos' },
    onOutput: (name, text) => {
      for (const line of text.trimEnd().split('\n')) log(`  [${name}] ${line}`);
    },
    onUnexpectedEnd: (name) => ledger.violate(name, 'ended although no fault ended it'),
  });
  let relay: CuttableRelay | undefined;
  try {
    await cluster.start();
    relay = new CuttableRelay(Number(new URL(cluster.url).port));
    const stopping = new AbortController();
    const unrepaired = (error: Error) => ledger.violate('cluster', `does not start again: ${error.message}`);
    const faults = new Faults(cluster, relay, random, leaseMs, unrepaired);
    const world: World = { port: await relay.listen(), ledger, leaseMs, stopping: stopping.signal, faults };
    const clients = Promise.all([
      calls(world, 'session'),
      calls(world, 'stateless'),
      questions(world, 'session'),
      questions(world, 'stateless'),
      streams(world),
      streams(world),
      subscriptions(world),
      followedTasks(world),
      polledTasks(world),
      polledTasks(world),
    ]);
    const failed = clients.then(
      () => {},
      (error) => ledger.violate('clients', error.stack),
    );
    const end = performance.now() + milliseconds;
    await delay(1000);
    while (performance.now() < end) {
      log(await faults.cause());
      await delay(random.below(MAX_PAUSE_MS));
    }
    await faults.repaired();
    log('the faults have ended');
    stopping.abort();
    await failed;
    return { ledger, faults: faults.counts };
  } finally {
    relay?.close();
    await cluster.close();
  }
}
