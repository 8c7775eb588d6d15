import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import type { Params } from '../jsonrpc/message.ts';
import { type InputResponses, TASKS_EXTENSION } from '../protocol/stateless.ts';
import type { ClientCapabilities } from '../protocol/types.ts';
import type { RequestContext, RequestHandler } from './context.ts';
import { invalidParams } from './invalid-params.ts';
import { capabilityMissing } from './rounds.ts';
import { Task, type TaskWork } from './task.ts';
import type { ToolOutcome } from './tool-result.ts';

export interface TaskOptions {
  /** Refuse clients that do not know tasks instead of working within the request. */
  readonly required?: boolean;
  readonly pollIntervalMs?: number;
}

export type TaskStarter = (
  work: TaskWork,
  options: TaskOptions,
  context: RequestContext,
) => ToolOutcome | Promise<ToolOutcome>;

export interface TaskLimits {
  /** How long a task can be looked at, from its creation. Default one hour. */
  readonly ttlMs?: number;
  /** Default 1000; a further one is refused while so many are unfinished. */
  readonly maxTasks?: number;
}

const REQUIRED: ClientCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };

/** The tasks of a server: work that goes on after its request was answered. */
export class Tasks {
  readonly #tasks = new Map<string, Task>();
  readonly #offered: boolean;
  readonly #ttlMs: number;
  readonly #maxTasks: number;
  readonly #changed: (task: Task) => void;

  /** Without limits there are no tasks: all work is done within its request. */
  constructor(limits: TaskLimits | undefined, changed: (task: Task) => void) {
    const { ttlMs = 3_600_000, maxTasks = 1000 } = limits ?? {};
    this.#offered = limits !== undefined;
    this.#ttlMs = ttlMs;
    this.#maxTasks = maxTasks;
    this.#changed = changed;
  }

  readonly start: TaskStarter = (work, options, context) => {
    if (!this.#offered || !context.revision.stateless || !knowsTasks(context)) {
      const { stateless, version } = context.revision;
      if (options.required && !stateless)
        throw new Error(`This works only as a task, which MCP ${version} does not have`);
      if (options.required) throw capabilityMissing(REQUIRED);
      return work({ signal: context.signal, questions: context.questions, report: () => {} });
    }
    this.#makeRoom();
    const task = new Task(context, this.#ttlMs, options.pollIntervalMs ?? 1000, this.#changed);
    this.#tasks.set(task.id, task);
    task.run(work);
    // No result of a tool, but what stands in its place.
    return { resultType: 'task', ...task.facts() } as ToolOutcome;
  };

  /** Whether there is a task that whoever asks may look at. */
  has(id: string, context: RequestContext): boolean {
    return this.#tasks.get(id)?.isOf(context) ?? false;
  }

  methods(): [string, RequestHandler][] {
    return [
      ['tasks/get', (params, context) => this.#find(params, context, 'tasks/get').details()],
      [
        'tasks/update',
        async (params, context) => {
          const { inputResponses } = (params ?? {}) as { inputResponses?: unknown };
          const task = this.#find(params, context, 'tasks/update');
          if (typeof inputResponses !== 'object' || inputResponses === null || Array.isArray(inputResponses)) {
            throw invalidParams('tasks/update', 'inputResponses must be an object');
          }
          await task.answer(inputResponses as InputResponses);
          return {};
        },
      ],
      [
        'tasks/cancel',
        (params, context) => {
          this.#find(params, context, 'tasks/cancel').cancel();
          return {};
        },
      ],
    ];
  }

  close(): void {
    for (const task of this.#tasks.values()) task.cancel();
  }

  #find(params: Params | undefined, context: RequestContext, method: string): Task {
    if (!knowsTasks(context)) throw capabilityMissing(REQUIRED);
    const { taskId } = (params ?? {}) as { taskId?: unknown };
    if (typeof taskId !== 'string') throw invalidParams(method, 'taskId must be a string');
    this.#expire();
    const task = this.#tasks.get(taskId);
    if (task === undefined || !task.isOf(context))
      throw invalidParams(method, `there is no task ${taskId}, or no longer`);
    return task;
  }

  #expire(): void {
    for (const [id, task] of this.#tasks) {
      if (!task.hasExpired) continue;
      task.cancel();
      this.#tasks.delete(id);
    }
  }

  #makeRoom(): void {
    this.#expire();
    for (const [id, task] of this.#tasks) {
      if (this.#tasks.size < this.#maxTasks) return;
      if (task.isFinished) this.#tasks.delete(id);
    }
    if (this.#tasks.size < this.#maxTasks) return;
    throw new RpcError(ErrorCode.LimitReached, `Too many tasks at once: ${this.#maxTasks} are unfinished`);
  }
}

export function knowsTasks({ clientCapabilities }: RequestContext): boolean {
  return clientCapabilities.extensions?.[TASKS_EXTENSION] !== undefined;
}
