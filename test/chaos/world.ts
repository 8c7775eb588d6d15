import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientOptions, type ClientSession, ObservedConnection } from '@hawser/mcp/client';
import { connectHttp } from '@hawser/mcp/http';
import { clearError, describe } from './clear-error.ts';
import type { Faults } from './faults.ts';
import type { Ledger } from './ledger.ts';

/** What the clients of a chaos run share. */
export interface World {
  /** The port by which clients reach the proxy; connections to it are cut. */
  readonly port: number;
  readonly ledger: Ledger;
  readonly leaseMs: number;
  /** Aborts when the faults have ended and clients should stop. */
  readonly stopping: AbortSignal;
  readonly faults: Faults;
}

/** How long an operation may take beside its lease, on a busy machine and with the delays of resumed streams. */
export const SLACK_MS = 15_000;
const PAUSE_MS = 100;

export function clientOptions(kind: 'session' | 'stateless'): ClientOptions {
  return { negotiation: kind === 'session' ? 'initialize' : 'discover' };
}

/** Connects, however often that takes. Rejects only when the run stops. Each answer is checked to be the only one. */
export async function connect(world: World, workload: string, options: ClientOptions): Promise<ClientSession> {
  const { ledger, leaseMs } = world;
  for (let attempts = 1; ; attempts += 1) {
    const client = new Client(
      { name: workload, version: '1' },
      {
        timeout: leaseMs + SLACK_MS,
        onError: (error) => ledger.count(workload, `in the background: ${describe(error)}`),
        ...options,
      },
    );
    const connection = new ObservedConnection(connectHttp(`http://127.0.0.1:${world.port}/mcp`), () => {});
    const answered = new Set<unknown>();
    connection.observe({
      sent: () => {},
      received: ({ id, method }) => {
        if (method !== undefined || id === undefined) return;
        if (answered.has(id)) ledger.violate(workload, `request ${id} was answered twice`);
        answered.add(id);
      },
    });
    try {
      return await client.connect(connection);
    } catch (error) {
      const clear = clearError(error);
      if (clear === undefined) ledger.violate(workload, `connecting failed: ${describe(error)}`);
      else ledger.count(workload, `connecting: ${clear}`);
      if (attempts === 100) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/** What an operation found to be wrong. */
export class BrokenPromise extends Error {}

/**
 * Runs an operation again and again until the run stops, then until it succeeds once more. It must end in time, with
 * success, a clear error, or a BrokenPromise.
 */
export async function repeat(world: World, workload: string, operation: () => Promise<unknown>): Promise<void> {
  while (!world.stopping.aborted) {
    if (!(await attempt(world, workload, operation))) await delay(PAUSE_MS);
  }
  const end = performance.now() + world.leaseMs + SLACK_MS;
  while (!(await attempt(world, workload, operation))) {
    if (performance.now() > end) {
      world.ledger.violate(workload, 'does not work again after the faults have ended');
      return;
    }
    await delay(PAUSE_MS);
  }
}

async function attempt(world: World, workload: string, operation: () => Promise<unknown>): Promise<boolean> {
  const { ledger, leaseMs } = world;
  const watchdog = new AbortController();
  const limit = 3 * (leaseMs + SLACK_MS);
  try {
    const outcome = await Promise.race([
      operation(),
      delay(limit, undefined, { signal: watchdog.signal }).then(() => {
        throw new BrokenPromise(`no end after ${limit} ms`);
      }),
    ]);
    ledger.count(workload, typeof outcome === 'string' ? outcome : 'ok');
    return true;
  } catch (error) {
    const clear = error instanceof BrokenPromise ? undefined : clearError(error);
    if (clear === undefined) ledger.violate(workload, describe(error));
    else ledger.count(workload, clear);
    return false;
  } finally {
    watchdog.abort();
  }
}

/** The text of a tool's result. */
export function textOf({ content, isError }: { content: readonly unknown[]; isError?: boolean }): string {
  const { text } = content[0] as { text: string };
  if (isError) throw new BrokenPromise(`the tool failed: ${text}`);
  return text;
}

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw new BrokenPromise(`${what} is ${one} instead of ${other}`);
}
