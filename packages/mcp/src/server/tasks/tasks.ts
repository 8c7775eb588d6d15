import { isObject } from '../../jsonrpc/codec.ts';
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { InFlight } from '../../jsonrpc/in-flight.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { NotFound } from '../../protocol/request-errors.ts';
import { type InputResponses, TASKS_EXTENSION } from '../../protocol/stateless.ts';
import type { ClientCapabilities } from '../../protocol/types.ts';
import { problemOfResponse } from '../asking.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import type { Report } from '../error-report.ts';
import type { ToolOutcome } from '../features/tools.ts';
import { invalidParams, quoted } from '../invalid-params.ts';
import { capabilityMissing } from '../stateless/rounds.ts';
import { digest } from '../stateless/state-signer.ts';
import { guardedTaskStore } from './guarded-task-store.ts';
import type { RestartableWork } from './restartable-work.ts';
import { RunningTasks } from './running-tasks.ts';
import { memoryTaskStore } from './stores/memory.ts';
import type { ResultOf, TaskWork } from './task.ts';
import {
  hasEnded,
  type Stop,
  type TaskDetails,
  type TaskMessage,
  type TaskRecord,
  type TaskStore,
} from './task-store.ts';

export interface TaskOptions {
  /** Refuse clients that do not know tasks, instead of working within the request. */
  readonly required?: boolean;
  readonly pollIntervalMs?: number;
}

/** How a server stores its tasks. */
export interface TaskPersistence {
  /** How long a task exists, from its creation. Default one hour. */
  readonly ttlMs?: number;
  /** Unfinished tasks at once; more are refused with an error. Default 1000. */
  readonly maxTasks?: number;
  /** Unfinished tasks of one client; more are refused with an error. Default 250. */
  readonly maxTasksPerClient?: number;
  /** Processes that share a store can be asked about each other's tasks. Default: the memory of this process. */
  readonly store?: TaskStore;
  /** Milliseconds after which the task of a process that has died fails, or is taken over. Default 30 000. */
  readonly leaseMs?: number;
}

export const TASK_LIMITS = {
  ttlMs: 3_600_000,
  maxTasks: 1000,
  maxTasksPerClient: 250,
  leaseMs: 30_000,
} as const;

const REQUIRED: ClientCapabilities = { extensions: { [TASKS_EXTENSION]: {} } };

/** The tasks of a server: work that continues after the response to its request. */
export class Tasks {
  readonly #running: RunningTasks;
  readonly #store: TaskStore;
  readonly #offered: boolean;
  readonly #ttlMs: number;
  readonly #leaseMs: number;
  readonly #report: Report;

  /** Without `persistence` there are no tasks: all work is done within its request. */
  constructor(persistence: TaskPersistence | undefined, report: Report, inFlight: InFlight, resultOf: ResultOf) {
    const {
      ttlMs = TASK_LIMITS.ttlMs,
      maxTasks = TASK_LIMITS.maxTasks,
      maxTasksPerClient = TASK_LIMITS.maxTasksPerClient,
      leaseMs = TASK_LIMITS.leaseMs,
    } = persistence ?? {};
    const shared = persistence?.store;
    const store = shared === undefined ? memoryTaskStore({ maxTasks }) : guardedTaskStore(shared, report);
    this.#offered = persistence !== undefined;
    this.#ttlMs = ttlMs;
    this.#leaseMs = leaseMs;
    this.#store = store;
    this.#report = report;
    this.#running = new RunningTasks({ store, maxTasks, maxTasksPerClient, leaseMs, report, inFlight, resultOf });
    // No other process has tasks in the memory of this one.
    if (shared !== undefined) this.#running.watchOthers();
  }

  /** Unfinished tasks that this process runs. */
  get running(): number {
    return this.#running.size;
  }

  /** See `context.task`. */
  start(work: TaskWork, options: TaskOptions, context: RequestContext): ToolOutcome | Promise<ToolOutcome> {
    if (this.#offered && context.revision.stateless && knowsTasks(context)) return this.#start(work, options, context);
    const { stateless, version } = context.revision;
    if (options.required && !stateless)
      throw new Error(`This tool runs only as a task, which MCP ${version} does not have`);
    if (options.required) throw capabilityMissing(REQUIRED);
    return work({ signal: context.signal, questions: context.questions, report: () => {} });
  }

  /** The ids of the tasks that the client may see. */
  async visible(ids: readonly string[], context: RequestContext): Promise<string[]> {
    const startedBy = await principalOf(context);
    const known = await Promise.all(ids.map((id) => this.#look(id, startedBy)));
    return ids.filter((_, index) => known[index] !== undefined);
  }

  /** See `server.restartableTask`. */
  restartable<Input, Outcome extends ToolOutcome>(
    name: string,
    work: RestartableWork<Input, Outcome>,
  ): (input: Input) => TaskWork<Outcome> {
    return this.#running.works.add(name, work);
  }

  /**
   * Calls the listener with the task after each change, until the returned function is called; `lost` when changes can no
   * longer be noticed. Rejects if it cannot.
   */
  watch(id: string, listener: (task: TaskDetails) => void, lost: (reason: Error) => void): Stop {
    const call = (task: TaskDetails) => {
      try {
        listener(task);
      } catch (thrown) {
        this.#report(thrown, `sending the status of task ${id}`);
      }
    };
    return this.#store.watch(id, {
      changed: ({ task }) => call(task),
      expired: ({ task }) => {
        if (!hasEnded(task.status)) call(expiredTask(task));
      },
      lost,
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
          if (!isObject(inputResponses)) {
            throw invalidParams('tasks/update', 'inputResponses must be an object');
          }
          const responses = await awaitedResponses(task, inputResponses as InputResponses);
          if (responses !== undefined) await this.#send(task, { kind: 'responses', responses });
          return {};
        },
      ],
      [
        'tasks/cancel',
        async (params, context) => {
          await this.#send(await this.#find(params, context, 'tasks/cancel'), { kind: 'cancel' });
          return {};
        },
      ],
    ];
  }

  close(): Promise<void> {
    return this.#running.close();
  }

  async #start(work: TaskWork, { pollIntervalMs = 1000 }: TaskOptions, context: RequestContext): Promise<ToolOutcome> {
    const startedBy = await principalOf(context);
    const { clientCapabilities: capabilities } = context;
    const start = { id: crypto.randomUUID(), created: Date.now(), ttlMs: this.#ttlMs, pollIntervalMs };
    const begin = { ...start, capabilities, startedBy, tool: context.toolName };
    const { requestBytes: bytes, origin } = context;
    const task = await this.#running.start(work, begin, { bytes, client: origin?.client });
    // Sent in place of the tool's result.
    return { resultType: 'task', ...task.facts() } as ToolOutcome;
  }

  /** Throws RpcError when no process works on a task that has not ended. */
  async #send({ taskId, status }: TaskDetails, message: TaskMessage): Promise<void> {
    if (hasEnded(status) || (await this.#store.send(taskId, message))) return;
    const now = await this.#read(taskId);
    if (now === undefined || hasEnded(now.task.status)) return;
    const seconds = Math.ceil(this.#leaseMs / 1000);
    const outlook = `The task fails, or is continued by another process, within ${seconds} s.`;
    throw new RpcError(ErrorCode.InternalError, `No process works on task ${quoted(taskId)} now. ${outlook}`);
  }

  async #find(params: Params | undefined, context: RequestContext, method: string): Promise<TaskDetails> {
    if (!knowsTasks(context)) throw capabilityMissing(REQUIRED);
    const { taskId } = (params ?? {}) as { taskId?: unknown };
    if (typeof taskId !== 'string') throw invalidParams(method, 'taskId must be a string');
    const task = await this.#look(taskId, await principalOf(context));
    if (task !== undefined) return task;
    const error = invalidParams(method, `there is no task ${quoted(taskId)}; it may have expired`);
    // Some clients do not read the body of a 404, so the status is 200 where tasks belong to no principal.
    throw context.principal === undefined ? error : new NotFound(error.message);
  }

  /** Undefined when there is none, or it belongs to another principal. */
  async #look(id: string, startedBy: string | undefined): Promise<TaskDetails | undefined> {
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
}

export function knowsTasks({ clientCapabilities }: RequestContext): boolean {
  return clientCapabilities.extensions?.[TASKS_EXTENSION] !== undefined;
}

/** A digest of the principal's id: tasks belong to it, and stores need not know it. */
async function principalOf({ principal }: RequestContext): Promise<string | undefined> {
  return principal === undefined ? undefined : digest(principal.id);
}

/** The responses that the task waits for; undefined when there is none. Throws RpcError when one of them does not fit. */
async function awaitedResponses(
  { inputRequests = {} }: TaskDetails,
  responses: InputResponses,
): Promise<InputResponses | undefined> {
  const wanted = Object.entries(responses).filter(([key]) => Object.hasOwn(inputRequests, key));
  for (const [key, response] of wanted) {
    const request = inputRequests[key];
    const problem = request && (await problemOfResponse(request, response));
    if (problem !== undefined) throw new RpcError(ErrorCode.InvalidParams, `Invalid inputResponses.${key}: ${problem}`);
  }
  return wanted.length === 0 ? undefined : Object.fromEntries(wanted);
}

function expiredTask({ inputRequests: _asked, ...task }: TaskDetails): TaskDetails {
  const statusMessage = `The task has expired: it was not finished within ${task.ttlMs} ms`;
  const error = { code: ErrorCode.InternalError, message: `Internal error: ${statusMessage}` };
  return { ...task, status: 'failed', statusMessage, lastUpdatedAt: new Date().toISOString(), error };
}
