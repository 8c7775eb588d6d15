import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { type InputResponses, TASKS_EXTENSION } from '../../protocol/stateless.ts';
import type { ClientCapabilities } from '../../protocol/types.ts';
import { flawOfResponse } from '../asking.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import type { Report } from '../error-report.ts';
import type { ToolOutcome } from '../features/tool-result.ts';
import { invalidParams, quoted } from '../invalid-params.ts';
import { capabilityMissing } from '../stateless/rounds.ts';
import { digest } from '../stateless/state-signer.ts';
import { memoryTaskStore } from './stores/memory.ts';
import { Task, type TaskWork } from './task.ts';
import type { TaskDetails, TaskRecord, TaskStore } from './task-store.ts';

export interface TaskOptions {
  /** Refuse clients that do not know tasks, instead of working within the request. */
  readonly required?: boolean;
  readonly pollIntervalMs?: number;
}

export type TaskStarter = (
  work: TaskWork,
  options: TaskOptions,
  context: RequestContext,
) => ToolOutcome | Promise<ToolOutcome>;

/** How a server stores its tasks. */
export interface TaskPersistence {
  /** How long a task exists, from its creation. Default one hour. */
  readonly ttlMs?: number;
  /** Unfinished tasks at once; more are refused with an error. Default 1000. */
  readonly maxTasks?: number;
  /** Processes that share a store can be asked about each other's tasks. Default: the memory of this process. */
  readonly store?: TaskStore;
}

const REQUIRED: ClientCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };

/** The tasks of a server: work that continues after its request was answered. */
export class Tasks {
  /** The tasks that this process runs. */
  readonly #running = new Map<string, Task>();
  readonly #store: TaskStore;
  readonly #offered: boolean;
  readonly #ttlMs: number;
  readonly #maxTasks: number;
  readonly #report: Report;

  /** Without `persistence` there are no tasks: all work is done within its request. */
  constructor(persistence: TaskPersistence | undefined, report: Report) {
    const { ttlMs = 3_600_000, maxTasks = 1000, store = memoryTaskStore({ maxTasks }) } = persistence ?? {};
    this.#offered = persistence !== undefined;
    this.#ttlMs = ttlMs;
    this.#maxTasks = maxTasks;
    this.#store = store;
    this.#report = report;
  }

  readonly start: TaskStarter = (work, options, context) => {
    if (this.#offered && context.revision.stateless && knowsTasks(context)) return this.#start(work, options, context);
    const { stateless, version } = context.revision;
    if (options.required && !stateless)
      throw new Error(`This tool runs only as a task, which MCP ${version} does not have`);
    if (options.required) throw capabilityMissing(REQUIRED);
    return work({ signal: context.signal, questions: context.questions, report: () => {} });
  };

  /** The ids of the tasks that the client may see. */
  async visible(ids: readonly string[], context: RequestContext): Promise<string[]> {
    const startedBy = await principalOf(context);
    const known = await Promise.all(ids.map((id) => this.#look(id, startedBy)));
    return ids.filter((_, index) => known[index] !== undefined);
  }

  /** Calls the listener with the task after each change, until the returned function is called. */
  watch(id: string, listener: (task: TaskDetails) => void): () => void {
    return this.#store.watch(id, ({ task }) => {
      try {
        listener(task);
      } catch (thrown) {
        this.#report(thrown, `sending the status of task ${id}`);
      }
    });
  }

  methods(): [string, RequestHandler][] {
    return [
      ['tasks/get', (params, context) => this.#find(params, context, 'tasks/get')],
      [
        'tasks/update',
        async (params, context) => {
          const { inputResponses } = (params ?? {}) as { inputResponses?: unknown };
          const task = await this.#find(params, context, 'tasks/update');
          if (typeof inputResponses !== 'object' || inputResponses === null || Array.isArray(inputResponses)) {
            throw invalidParams('tasks/update', 'inputResponses must be an object');
          }
          const responses = await wantedAnswers(task, inputResponses as InputResponses);
          if (responses !== undefined) await this.#store.send(task.taskId, { kind: 'answers', responses });
          return {};
        },
      ],
      [
        'tasks/cancel',
        async (params, context) => {
          const { taskId } = await this.#find(params, context, 'tasks/cancel');
          await this.#store.send(taskId, { kind: 'cancel' });
          return {};
        },
      ],
    ];
  }

  close(): void {
    for (const task of this.#running.values()) task.cancel();
  }

  async #start(work: TaskWork, options: TaskOptions, context: RequestContext): Promise<ToolOutcome> {
    const startedBy = await principalOf(context);
    this.#expire();
    if (this.#running.size >= this.#maxTasks) {
      const message = `Task limit reached (${this.#maxTasks} unfinished). Try again when one has ended.`;
      throw new RpcError(ErrorCode.LimitReached, message);
    }
    const { clientCapabilities: capabilities } = context;
    let stopReceiving = () => {};
    const changed = (task: Task) => {
      if (task.hasEnded) {
        this.#running.delete(task.id);
        stopReceiving();
      }
      this.#inBackground(() => this.#store.save(task.id, task.record()), `saving task ${task.id}`);
    };
    const { pollIntervalMs = 1000 } = options;
    const report = this.#report;
    const task = new Task({ capabilities, startedBy, ttlMs: this.#ttlMs, pollIntervalMs, changed, report });
    this.#running.set(task.id, task);
    stopReceiving = this.#store.receive(task.id, (message) => task.take(message));
    try {
      await this.#store.save(task.id, task.record());
    } catch (error) {
      this.#running.delete(task.id);
      stopReceiving();
      throw error;
    }
    task.run(work);
    // Not the result of a tool, but what takes its place.
    return { resultType: 'task', ...task.facts() } as ToolOutcome;
  }

  async #find(params: Params | undefined, context: RequestContext, method: string): Promise<TaskDetails> {
    if (!knowsTasks(context)) throw capabilityMissing(REQUIRED);
    const { taskId } = (params ?? {}) as { taskId?: unknown };
    if (typeof taskId !== 'string') throw invalidParams(method, 'taskId must be a string');
    const task = await this.#look(taskId, await principalOf(context));
    if (task === undefined) throw invalidParams(method, `there is no task ${quoted(taskId)}; it may have expired`);
    return task;
  }

  /** Undefined when there is none, or it belongs to another principal. */
  async #look(id: string, startedBy: string | undefined): Promise<TaskDetails | undefined> {
    this.#expire();
    const record = await this.#read(id);
    return record?.startedBy === startedBy ? record?.task : undefined;
  }

  async #read(id: string): Promise<TaskRecord | undefined> {
    try {
      return await this.#store.find(id);
    } catch (thrown) {
      this.#report(thrown, `reading task ${quoted(id)}`);
      throw thrown;
    }
  }

  /** Cancels the work of tasks that have expired. */
  #expire(): void {
    for (const task of this.#running.values()) if (task.hasExpired) task.cancel();
  }

  /** Reports a failure of the store, which no request can report. */
  #inBackground(work: () => void | Promise<void>, what: string): void {
    const failed = (thrown: unknown) => this.#report(thrown, what);
    try {
      work()?.then(undefined, failed);
    } catch (thrown) {
      failed(thrown);
    }
  }
}

export function knowsTasks({ clientCapabilities }: RequestContext): boolean {
  return clientCapabilities.extensions?.[TASKS_EXTENSION] !== undefined;
}

/** A digest of the principal's id: tasks belong to it, and stores need not know it. */
async function principalOf({ principal }: RequestContext): Promise<string | undefined> {
  return principal === undefined ? undefined : digest(principal.id);
}

/** The answers that the task waits for; undefined when there is none. Throws RpcError when one of them does not fit. */
async function wantedAnswers(
  { inputRequests = {} }: TaskDetails,
  responses: InputResponses,
): Promise<InputResponses | undefined> {
  const wanted = Object.entries(responses).filter(([key]) => Object.hasOwn(inputRequests, key));
  for (const [key, response] of wanted) {
    const request = inputRequests[key];
    const flaw = request && (await flawOfResponse(request, response));
    if (flaw !== undefined) throw new RpcError(ErrorCode.InvalidParams, `Invalid inputResponses.${key}: ${flaw}`);
  }
  return wanted.length === 0 ? undefined : Object.fromEntries(wanted);
}
