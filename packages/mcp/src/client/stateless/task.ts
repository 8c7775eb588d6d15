import { InvalidAnswer, RpcError } from '../../jsonrpc/errors.ts';
import { clip } from '../../protocol/schema/problem.ts';
import type { InputResponses } from '../../protocol/stateless.ts';
import { AnswerCheck, type JsonObject } from '../answer-check.ts';
import { isUnreached } from '../discovery.ts';
import { sleep } from '../sleep.ts';

type AskTask = (
  method: 'tasks/get' | 'tasks/update' | 'tasks/cancel',
  params: { readonly taskId: string; readonly inputResponses?: InputResponses },
) => Promise<unknown>;
type AnswerAll = (requests: JsonObject) => Promise<InputResponses>;

const DEFAULT_POLL_MS = 1000;
const MIN_POLL_MS = 10;
const MAX_POLL_MS = 60_000;
/** Polls in a row that may fail: a task survives a bad connection. */
const MAX_FAILURES = 5;
/** Of one task. */
export const FOLLOWED_TASK_LIMITS = { maxQuestions: 1000 } as const;

/** Polls a task until it is done, answers its questions, and settles with its result. Cancels the task if that fails. */
export async function followTask(
  created: JsonObject,
  ask: AskTask,
  answerAll: AnswerAll,
  signal: AbortSignal,
): Promise<unknown> {
  const taskId = new AnswerCheck('tools/call').string(created.taskId, 'taskId');
  const answered = new Set<string>();
  let task = created;
  try {
    if (!isTerminal(created)) await sleep(pollInterval(created), signal);
    for (task = await poll(taskId, ask, signal); !isTerminal(task); task = await poll(taskId, ask, signal)) {
      const inputRequests = new AnswerCheck('tasks/get').object(task.inputRequests ?? {}, 'inputRequests');
      const asked = Object.entries(inputRequests).filter(([key]) => !answered.has(key));
      if (task.status === 'input_required' && asked.length > 0) {
        for (const [key] of asked) answered.add(key);
        if (answered.size > FOLLOWED_TASK_LIMITS.maxQuestions)
          throw new InvalidAnswer(`The task asks more than ${FOLLOWED_TASK_LIMITS.maxQuestions} questions`);
        const inputResponses = await answerAll(Object.fromEntries(asked));
        await ask('tasks/update', { taskId, inputResponses });
      } else {
        await sleep(pollInterval(task), signal);
      }
    }
  } catch (error) {
    // The task may be gone already, so a failure is not reported.
    ask('tasks/cancel', { taskId }).catch(() => {});
    throw error;
  }
  return resultOf(task, taskId);
}

function resultOf({ status, statusMessage, result, error }: JsonObject, taskId: string): unknown {
  const check = new AnswerCheck('tasks/get');
  if (status === 'completed' && result !== undefined) return result;
  if (status === 'failed' && error !== undefined) {
    const { code, message, data } = check.object(error, 'error');
    throw new RpcError(check.number(code, 'error.code'), check.string(message, 'error.message'), data);
  }
  const what = status === 'cancelled' ? 'The server cancelled the task' : 'The server gives no outcome of the task';
  const why = typeof statusMessage === 'string' ? `: ${clip(statusMessage, 500)}` : '';
  throw new Error(`${what} ${clip(taskId, 80)}${why}`);
}

async function poll(taskId: string, ask: AskTask, signal: AbortSignal): Promise<JsonObject> {
  const check = new AnswerCheck('tasks/get');
  for (let failures = 1; ; failures += 1) {
    try {
      const task = check.object(await ask('tasks/get', { taskId }));
      check.string(task.status, 'status');
      return task;
    } catch (error) {
      if (!isUnreached(error) || failures === MAX_FAILURES) throw error;
      await sleep(DEFAULT_POLL_MS, signal);
    }
  }
}

function isTerminal({ status }: JsonObject): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

function pollInterval({ pollIntervalMs }: JsonObject): number {
  const wanted = typeof pollIntervalMs === 'number' ? pollIntervalMs : DEFAULT_POLL_MS;
  return Math.min(Math.max(wanted, MIN_POLL_MS), MAX_POLL_MS);
}
