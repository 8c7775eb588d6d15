import { RpcError } from '../jsonrpc/errors.ts';
import type { InputRequests, InputResponses } from '../protocol/stateless.ts';
import { isUnreached } from './era.ts';
import { sleep } from './sleep.ts';

/** What following a task needs of the session. */
export interface TaskHost {
  ask(method: 'tasks/get' | 'tasks/update' | 'tasks/cancel', params: TaskParams): Promise<unknown>;
  answerAll(requests: InputRequests): Promise<InputResponses>;
}

interface TaskParams {
  readonly taskId: string;
  readonly inputResponses?: InputResponses;
}

interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly pollIntervalMs?: number;
  readonly inputRequests?: InputRequests;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const DEFAULT_POLL_MS = 1000;
const MIN_POLL_MS = 10;
const MAX_POLL_MS = 60_000;
/** A task outlives a bad connection, so a few unanswered questions in a row are no reason to leave it. */
const MAX_FAILURES = 5;

/** Polls a task until it is done, answers what it asks, and gives its result. When given up, the task is cancelled. */
export async function followTask(created: unknown, host: TaskHost, signal: AbortSignal): Promise<unknown> {
  const { taskId } = (created ?? {}) as Partial<Task>;
  if (typeof taskId !== 'string') throw new Error('The server answered with a task that has no taskId');
  const answered = new Set<string>();
  let task = created as Task;
  try {
    if (!isTerminal(task)) await sleep(pollInterval(task), signal);
    for (task = await poll(taskId, host, signal); !isTerminal(task); task = await poll(taskId, host, signal)) {
      const asked = Object.entries(task.inputRequests ?? {}).filter(([key]) => !answered.has(key));
      if (task.status === 'input_required' && asked.length > 0) {
        for (const [key] of asked) answered.add(key);
        const inputResponses = await host.answerAll(Object.fromEntries(asked));
        await host.ask('tasks/update', { taskId, inputResponses });
      } else {
        await sleep(pollInterval(task), signal);
      }
    }
  } catch (error) {
    // Nobody waits for it any more. That it may be gone already is no news.
    host.ask('tasks/cancel', { taskId }).catch(() => {});
    throw error;
  }
  return resultOf(task);
}

function resultOf({ taskId, status, statusMessage, result, error }: Task): unknown {
  if (status === 'completed' && result !== undefined) return result;
  if (status === 'failed' && error !== undefined) throw new RpcError(error.code, error.message, error.data);
  const what = status === 'cancelled' ? 'The server cancelled the task' : 'The server tells no outcome of the task';
  throw new Error(`${what} ${taskId}${statusMessage === undefined ? '' : `: ${statusMessage}`}`);
}

async function poll(taskId: string, host: TaskHost, signal: AbortSignal): Promise<Task> {
  for (let failures = 1; ; failures += 1) {
    try {
      const task = ((await host.ask('tasks/get', { taskId })) ?? {}) as Partial<Task>;
      if (typeof task.status === 'string') return { ...task, status: task.status, taskId };
      throw new Error(`The server's answer to tasks/get tells nothing of the task ${taskId}`);
    } catch (error) {
      if (!(error instanceof RpcError) || !isUnreached(error) || failures === MAX_FAILURES) throw error;
      await sleep(DEFAULT_POLL_MS, signal);
    }
  }
}

function isTerminal({ status }: Partial<Task>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

function pollInterval({ pollIntervalMs }: Task): number {
  const wanted = typeof pollIntervalMs === 'number' ? pollIntervalMs : DEFAULT_POLL_MS;
  return Math.min(Math.max(wanted, MIN_POLL_MS), MAX_POLL_MS);
}
