import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { type InputResponses, TASKS_EXTENSION } from '../../protocol/stateless.ts';
import type { ClientCapabilities } from '../../protocol/types.ts';
import { flawOfResponse } from '../asking.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import type { ToolOutcome } from '../features/tool-result.ts';
import { invalidParams } from '../invalid-params.ts';
import type { ServerSession } from '../session.ts';
import { capabilityMissing } from '../stateless/rounds.ts';
import { digest } from '../stateless/state-signer.ts';
import { memoryTaskStore } from './stores/memory.ts';
import { Task, type TaskWork } from './task.ts';
import type { TaskDetails, TaskStore } from './task-store.ts';

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

/** How the tasks of a server are kept. */
export interface TaskPersistence {
  /** How long a task can be looked at, from its creation. Default one hour. */
  readonly ttlMs?: number;
  /** Default 1000; a further one is refused while so many are unfinished. */
  readonly maxTasks?: number;
  /** What is known of tasks; processes that share it can be asked about each other's. Default: memory of this one. */
  readonly store?: TaskStore;
}

const REQUIRED: ClientCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };

/** The tasks of a server: work that goes on after its request was answered. */
export class Tasks {
  /** Those that this process works at. */
  readonly #running = new Map<string, Task>();
  readonly #store: TaskStore;
  readonly #offered: boolean;
  readonly #ttlMs: number;
  readonly #maxTasks: number;
  readonly #failed: (error: Error, session: ServerSession) => void;

  /** Unless they are kept there are no tasks: all work is done within its request. */
  constructor(persistence: TaskPersistence | undefined, failed: (error: Error, session: ServerSession) => void) {
    const { ttlMs = 3_600_000, maxTasks = 1000, store = memoryTaskStore({ maxTasks }) } = persistence ?? {};
    this.#offered = persistence !== undefined;
    this.#ttlMs = ttlMs;
    this.#maxTasks = maxTasks;
    this.#store = store;
    this.#failed = failed;
  }

  readonly start: TaskStarter = (work, options, context) => {
    if (this.#offered && context.revision.stateless && knowsTasks(context)) return this.#start(work, options, context);
    const { stateless, version } = context.revision;
    if (options.required && !stateless)
      throw new Error(`This works only as a task, which MCP ${version} does not have`);
    if (options.required) throw capabilityMissing(REQUIRED);
    return work({ signal: context.signal, questions: context.questions, report: () => {} });
  };

  /** Those of the tasks that whoever asks may look at. */
  async visible(ids: readonly string[], context: RequestContext): Promise<string[]> {
    const startedBy = await principalOf(context);
    const known = await Promise.all(ids.map((id) => this.#look(id, startedBy)));
    return ids.filter((_, index) => known[index] !== undefined);
  }

  /** Hands over a task whenever it changes, until the returned function is called. */
  watch(id: string, listener: (task: TaskDetails) => void): () => void {
    return this.#store.watch(id, ({ task }) => listener(task));
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
          if (responses !== undefined) await this.#store.tell(task.taskId, { kind: 'answers', responses });
          return {};
        },
      ],
      [
        'tasks/cancel',
        async (params, context) => {
          const { taskId } = await this.#find(params, context, 'tasks/cancel');
          await this.#store.tell(taskId, { kind: 'cancel' });
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
      throw new RpcError(ErrorCode.LimitReached, `Too many tasks at once: ${this.#maxTasks} are unfinished`);
    }
    const { session, clientCapabilities: capabilities } = context;
    let stopHearing = () => {};
    const changed = (task: Task) => {
      if (task.isOver) {
        this.#running.delete(task.id);
        stopHearing();
      }
      this.#inBackground(() => this.#store.save(task.id, task.record()), session);
    };
    const { pollIntervalMs = 1000 } = options;
    const task = new Task({ capabilities, startedBy, ttlMs: this.#ttlMs, pollIntervalMs, changed });
    this.#running.set(task.id, task);
    stopHearing = this.#store.hear(task.id, (message) => task.take(message));
    try {
      await this.#store.save(task.id, task.record());
    } catch (error) {
      this.#running.delete(task.id);
      stopHearing();
      throw error;
    }
    task.run(work);
    // No result of a tool, but what stands in its place.
    return { resultType: 'task', ...task.facts() } as ToolOutcome;
  }

  async #find(params: Params | undefined, context: RequestContext, method: string): Promise<TaskDetails> {
    if (!knowsTasks(context)) throw capabilityMissing(REQUIRED);
    const { taskId } = (params ?? {}) as { taskId?: unknown };
    if (typeof taskId !== 'string') throw invalidParams(method, 'taskId must be a string');
    const task = await this.#look(taskId, await principalOf(context));
    if (task === undefined) throw invalidParams(method, `there is no task ${taskId}, or no longer`);
    return task;
  }

  /** Undefined when there is none, or one of somebody else's. */
  async #look(id: string, startedBy: string | undefined): Promise<TaskDetails | undefined> {
    this.#expire();
    const record = await this.#store.find(id);
    return record?.startedBy === startedBy ? record?.task : undefined;
  }

  /** Work whose task nobody can look at any more is given up. */
  #expire(): void {
    for (const task of this.#running.values()) if (task.hasExpired) task.cancel();
  }

  /** A store that fails to hear of a change fails nobody who waits. */
  #inBackground(work: () => void | Promise<void>, session: ServerSession): void {
    const report = (error: unknown) => this.#failed(error instanceof Error ? error : new Error(String(error)), session);
    try {
      work()?.catch(report);
    } catch (error) {
      report(error);
    }
  }
}

export function knowsTasks({ clientCapabilities }: RequestContext): boolean {
  return clientCapabilities.extensions?.[TASKS_EXTENSION] !== undefined;
}

/** A digest of what the client identified itself with, as far as the transport can tell. */
async function principalOf({ origin }: RequestContext): Promise<string | undefined> {
  const principal = origin?.headers.authorization;
  return principal === undefined ? undefined : digest(principal);
}

/** The answers that the task asks for; undefined when there is none. Throws RpcError when one of them does not fit. */
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
