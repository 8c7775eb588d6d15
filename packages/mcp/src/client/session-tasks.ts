import { sleep } from '../jsonrpc/waiting.ts';
import type { CallOptions, Conversation } from '../protocol/conversation.ts';
import type { ServerCapabilities, Tool } from '../protocol/types.ts';
import { CallLimit } from './call-limit.ts';
import { isUnreached } from './discovery.ts';
import { isTerminal, pollDelay, pollTask, TASK_POLLING, withoutOutcome } from './polled-task.ts';
import { ResponseCheck } from './response-check.ts';

/** Tools of 2025-11-25 that are called as tasks: the server responds with a task, which is polled for the result. */
export class SessionTasks {
  readonly #session: Conversation;
  readonly #running = new Set<CallLimit>();
  #required: ReadonlySet<string> | undefined;

  constructor(session: Conversation) {
    this.#session = session;
  }

  /** Whether the list of tools was read, which says which of them require a task. */
  get isLearned(): boolean {
    return this.#required !== undefined;
  }

  learn(tools: readonly Tool[]): void {
    const required = tools.filter(({ execution }) => execution?.taskSupport === 'required');
    this.#required = new Set(required.map(({ name }) => name));
  }

  requires(tool: string): boolean {
    return this.#required?.has(tool) === true;
  }

  /** Settles with the result of the task. Cancels the task if that fails. */
  async call(params: { readonly [name: string]: unknown }, options: CallOptions): Promise<unknown> {
    const limit = new CallLimit('tools/call', options, performance.now());
    this.#running.add(limit);
    const { onProgress, ...rest } = options;
    const progress = onProgress && this.#session.progressToken(onProgress);
    const meta = progress && { _meta: { progressToken: progress.token } };
    try {
      const created = await this.#session.request('tools/call', { ...params, task: {}, ...meta }, limit.options(rest));
      return await this.#follow(created, { timeout: options.timeout }, limit);
    } finally {
      progress?.release();
      this.#running.delete(limit);
      limit.release();
    }
  }

  /** Ends the calls under way. */
  close(reason: Error): void {
    for (const limit of this.#running) limit.abort(reason);
  }

  async #follow(response: unknown, options: CallOptions, limit: CallLimit): Promise<unknown> {
    const check = new ResponseCheck('tools/call');
    let task = check.object(check.object(response).task, 'task');
    const taskId = check.string(task.taskId, 'task.taskId');
    check.string(task.status, 'task.status');
    const ask = (method: string, more: CallOptions) =>
      this.#session.request(method, { taskId }, limit.options({ ...options, ...more }));
    try {
      for (let failures = 0; ; ) {
        while (!isTerminal(task) && task.status !== 'input_required') {
          await sleep(pollDelay(task.pollInterval), limit.signal);
          task = await pollTask(() => ask('tasks/get', {}), limit.signal);
        }
        if (task.status === 'cancelled') throw withoutOutcome(task, taskId);
        try {
          // The response comes when the task is done. Meanwhile the server sends the questions of the task.
          return await ask('tasks/result', { timeout: 0 });
        } catch (error) {
          failures += 1;
          if (!isUnreached(error) || failures === TASK_POLLING.maxFailures) throw error;
          await sleep(TASK_POLLING.defaultMs, limit.signal);
        }
      }
    } catch (error) {
      // It may be gone already, so a failure is not reported.
      if (!isTerminal(task)) this.#session.request('tasks/cancel', { taskId }, options).catch(() => {});
      throw error;
    }
  }
}

/** Whether the server of a session runs tools as tasks. */
export function runsToolTasks({ tasks }: ServerCapabilities): boolean {
  const { requests } = (tasks ?? {}) as { requests?: { tools?: { call?: unknown } | null } | null };
  return typeof requests?.tools?.call === 'object' && requests.tools.call !== null;
}
