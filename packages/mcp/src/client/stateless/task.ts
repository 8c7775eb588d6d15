import { InvalidResponse, RpcError } from '../../jsonrpc/errors.ts';
import { sleep } from '../../jsonrpc/waiting.ts';
import type { InputResponses } from '../../protocol/stateless.ts';
import { isTerminal, pollDelay, pollTask, withoutOutcome } from '../polled-task.ts';
import { type JsonObject, ResponseCheck } from '../response-check.ts';

type AskTask = (
  method: 'tasks/get' | 'tasks/update' | 'tasks/cancel',
  params: { readonly taskId: string; readonly inputResponses?: InputResponses },
) => Promise<unknown>;
type RespondToAll = (requests: JsonObject) => Promise<InputResponses>;

/** Of one task. */
export const FOLLOWED_TASK_LIMITS = { maxQuestions: 1000 } as const;

/** Polls a task until it is done, responds to its questions, and settles with its result. Cancels the task if that fails. */
export async function followTask(
  created: JsonObject,
  ask: AskTask,
  respondToAll: RespondToAll,
  signal: AbortSignal,
): Promise<unknown> {
  const taskId = new ResponseCheck('tools/call').string(created.taskId, 'taskId');
  const seen = new Set<string>();
  let task = created;
  try {
    const poll = () => pollTask(() => ask('tasks/get', { taskId }), signal);
    if (!isTerminal(created)) await sleep(pollDelay(created.pollIntervalMs), signal);
    for (task = await poll(); !isTerminal(task); task = await poll()) {
      const inputRequests = new ResponseCheck('tasks/get').object(task.inputRequests ?? {}, 'inputRequests');
      const questions = Object.entries(inputRequests).filter(([key]) => !seen.has(key));
      if (task.status === 'input_required' && questions.length > 0) {
        for (const [key] of questions) seen.add(key);
        if (seen.size > FOLLOWED_TASK_LIMITS.maxQuestions)
          throw new InvalidResponse(`The task asks more than ${FOLLOWED_TASK_LIMITS.maxQuestions} questions`);
        const inputResponses = await respondToAll(Object.fromEntries(questions));
        await ask('tasks/update', { taskId, inputResponses });
      } else {
        await sleep(pollDelay(task.pollIntervalMs), signal);
      }
    }
  } catch (error) {
    // The task may be gone already, so a failure is not reported.
    ask('tasks/cancel', { taskId }).catch(() => {});
    throw error;
  }
  return resultOf(task, taskId);
}

function resultOf(task: JsonObject, taskId: string): unknown {
  const { status, result, error } = task;
  const check = new ResponseCheck('tasks/get');
  if (status === 'completed' && result !== undefined) return result;
  if (status === 'failed' && error !== undefined) {
    const { code, message, data } = check.object(error, 'error');
    throw new RpcError(check.number(code, 'error.code'), check.string(message, 'error.message'), data);
  }
  throw withoutOutcome(task, taskId);
}
