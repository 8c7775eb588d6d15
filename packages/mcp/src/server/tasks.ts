import { ErrorCode, RpcError, toErrorObject } from '../jsonrpc/errors.ts';
import type { ErrorObject, Params } from '../jsonrpc/message.ts';
import { type InputRequest, type InputRequests, type InputResponses, TASKS_EXTENSION } from '../protocol/stateless.ts';
import type { CallToolResult, ClientCapabilities } from '../protocol/types.ts';
import { flawOfResponse, missingCapability, Questions } from './asking.ts';
import type { RequestContext, RequestHandler } from './context.ts';
import { invalidParams } from './invalid-params.ts';
import { capabilityMissing } from './rounds.ts';
import { asToolResult, type ToolOutcome, thrownResult } from './tool-result.ts';

/** What a task does. Its signal aborts when the task is cancelled. */
export type TaskWork = (context: TaskContext) => ToolOutcome | Promise<ToolOutcome>;

export interface TaskContext {
  readonly signal: AbortSignal;
  readonly questions: Questions;
  /** A word on how it goes, for whoever looks. */
  report(statusMessage: string): void;
}

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

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

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
  readonly #ttlMs: number;
  readonly #maxTasks: number;
  readonly #changed: (task: Task) => void;

  constructor({ ttlMs = 3_600_000, maxTasks = 1000 }: TaskLimits, changed: (task: Task) => void) {
    this.#ttlMs = ttlMs;
    this.#maxTasks = maxTasks;
    this.#changed = changed;
  }

  readonly start: TaskStarter = (work, options, context) => {
    if (!context.revision.stateless || !knowsTasks(context)) {
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

  get(id: string): Task | undefined {
    return this.#tasks.get(id);
  }

  methods(): [string, RequestHandler][] {
    return [
      ['tasks/get', (params, context) => this.#find(params, context, 'tasks/get').details()],
      [
        'tasks/update',
        async (params, context) => {
          const { inputResponses } = (params ?? {}) as { inputResponses?: unknown };
          const task = this.#find(params, context, 'tasks/update');
          if (typeof inputResponses !== 'object' || inputResponses === null) {
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

/** One piece of work and how it stands. */
export class Task {
  readonly id = crypto.randomUUID();
  readonly #capabilities: ClientCapabilities;
  readonly #principal: unknown;
  readonly #created = Date.now();
  readonly #ttlMs: number;
  readonly #pollIntervalMs: number;
  readonly #changed: (task: Task) => void;
  readonly #controller = new AbortController();
  readonly #open = new Map<string, { request: InputRequest; resolve: (answer: unknown) => void }>();
  #updated = this.#created;
  #status: TaskStatus = 'working';
  #statusMessage: string | undefined;
  #outcome: { result: CallToolResult } | { error: ErrorObject } | undefined;
  readonly #usedKeys = new Set<string>();

  constructor(context: RequestContext, ttlMs: number, pollIntervalMs: number, changed: (task: Task) => void) {
    this.#capabilities = context.clientCapabilities;
    this.#principal = principalOf(context);
    this.#ttlMs = ttlMs;
    this.#pollIntervalMs = pollIntervalMs;
    this.#changed = changed;
  }

  /** Whether whoever asks is the one who started it, as far as the transport can tell. */
  isOf(context: RequestContext): boolean {
    return principalOf(context) === this.#principal;
  }

  get isFinished(): boolean {
    return this.#status !== 'working' && this.#status !== 'input_required';
  }

  get hasExpired(): boolean {
    return Date.now() > this.#created + this.#ttlMs;
  }

  run(work: TaskWork): void {
    const context: TaskContext = {
      signal: this.#controller.signal,
      questions: new Questions((requests) => this.#ask(requests)),
      report: (statusMessage) => {
        this.#statusMessage = statusMessage;
        this.#touch();
      },
    };
    // Not before the answer with the task's id is under way.
    void Promise.resolve()
      .then(() => work(context))
      .then(
        (outcome) => this.#finish('completed', { result: asToolResult(outcome) }),
        (thrown) => this.#fail(thrown),
      );
  }

  /** As the answer that creates a task shows it. */
  facts(): object {
    return {
      taskId: this.id,
      status: this.#status,
      ...(this.#statusMessage !== undefined && { statusMessage: this.#statusMessage }),
      createdAt: new Date(this.#created).toISOString(),
      lastUpdatedAt: new Date(this.#updated).toISOString(),
      ttlMs: this.#ttlMs,
      pollIntervalMs: this.#pollIntervalMs,
    };
  }

  /** With its questions or its outcome. */
  details(): object {
    const open = [...this.#open].map(([key, { request }]) => [key, request] as const);
    return {
      ...this.facts(),
      ...(open.length > 0 && !this.isFinished && { inputRequests: Object.fromEntries(open) }),
      ...this.#outcome,
    };
  }

  /** Takes the answers that are asked for and ignores the others. */
  async answer(responses: InputResponses): Promise<void> {
    for (const [key, response] of Object.entries(responses)) {
      const question = this.#open.get(key);
      if (question === undefined || this.isFinished) continue;
      const flaw = await flawOfResponse(question.request, response);
      if (flaw !== undefined) throw new RpcError(ErrorCode.InvalidParams, `Invalid inputResponses.${key}: ${flaw}`);
      this.#open.delete(key);
      question.resolve(response);
    }
    if (this.#open.size === 0 && this.#status === 'input_required') this.#status = 'working';
    this.#touch();
  }

  cancel(): void {
    if (this.isFinished) return;
    this.#finish('cancelled', undefined);
    this.#controller.abort(new Error('The task was cancelled'));
  }

  async #ask(requests: InputRequests): Promise<InputResponses> {
    for (const request of Object.values(requests)) {
      const missing = missingCapability(request, this.#capabilities);
      if (missing !== undefined) throw capabilityMissing(missing);
    }
    const answers = Object.entries(requests).map(async ([name, request]) => {
      const key = this.#newKey(name);
      const answer = await new Promise((resolve) => this.#open.set(key, { request, resolve }));
      return [name, answer] as const;
    });
    this.#status = 'input_required';
    this.#touch();
    return Object.fromEntries(await Promise.all(answers));
  }

  /** A key is never used twice in the life of a task. */
  #newKey(name: string): string {
    let key = name;
    for (let n = 2; this.#usedKeys.has(key); n += 1) key = `${name}-${n}`;
    this.#usedKeys.add(key);
    return key;
  }

  #fail(thrown: unknown): void {
    if (!(thrown instanceof RpcError)) {
      this.#finish('completed', { result: thrownResult(thrown) });
      return;
    }
    this.#statusMessage = thrown.message;
    this.#finish('failed', { error: toErrorObject(thrown) });
  }

  #finish(status: TaskStatus, outcome: { result: CallToolResult } | { error: ErrorObject } | undefined): void {
    if (this.isFinished) return;
    this.#status = status;
    this.#outcome = outcome;
    this.#open.clear();
    this.#touch();
  }

  #touch(): void {
    this.#updated = Date.now();
    this.#changed(this);
  }
}

function principalOf({ origin }: RequestContext): unknown {
  return origin?.headers.authorization;
}
