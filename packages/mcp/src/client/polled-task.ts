import { sleep } from '../jsonrpc/waiting.ts';
import { clip } from '../protocol/schema/problem.ts';
import { isUnreached } from './discovery.ts';
import { type JsonObject, ResponseCheck } from './response-check.ts';

/** What tasks of every revision have in common: they are polled until their status is final. */
export const TASK_POLLING = {
  defaultMs: 1000,
  minMs: 10,
  maxMs: 60_000,
  /** Polls in a row that may fail: a task survives a bad connection. */
  maxFailures: 5,
} as const;

/** The state of the task, after as many attempts as it takes. `ask` sends `tasks/get`. */
export async function pollTask(ask: () => Promise<unknown>, signal: AbortSignal): Promise<JsonObject> {
  const check = new ResponseCheck('tasks/get');
  for (let failures = 1; ; failures += 1) {
    try {
      const task = check.object(await ask());
      check.string(task.status, 'status');
      return task;
    } catch (error) {
      if (!isUnreached(error) || failures === TASK_POLLING.maxFailures) throw error;
      await sleep(TASK_POLLING.defaultMs, signal);
    }
  }
}

export function isTerminal({ status }: JsonObject): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Milliseconds until the next poll, within limits, if the server wants this long. */
export function pollDelay(wanted: unknown): number {
  const { defaultMs, minMs, maxMs } = TASK_POLLING;
  return Math.min(Math.max(typeof wanted === 'number' ? wanted : defaultMs, minMs), maxMs);
}

/** The error for a task that ended without a result. */
export function withoutOutcome({ status, statusMessage }: JsonObject, taskId: string): Error {
  const what = status === 'cancelled' ? 'The server cancelled the task' : 'The server gives no outcome of the task';
  const why = typeof statusMessage === 'string' ? `: ${clip(statusMessage, 500)}` : '';
  return new Error(`${what} ${clip(taskId, 80)}${why}`);
}
