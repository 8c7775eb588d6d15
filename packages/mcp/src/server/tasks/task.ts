import { asError, ErrorCode, messageOf, RpcError, toErrorObject } from '../../jsonrpc/errors.ts';
import { guardListeners } from '../../jsonrpc/guarded-signal.ts';
import type { ErrorObject } from '../../jsonrpc/message.ts';
import type { InputRequest, InputRequests, InputResponses } from '../../protocol/stateless.ts';
import type { CallToolResult, ClientCapabilities } from '../../protocol/types.ts';
import { missingCapability, Questions } from '../asking.ts';
import { type ToolOutcome, thrownResult } from '../features/tools.ts';
import { capabilityMissing } from '../stateless/rounds.ts';
import {
  hasEnded,
  type TaskFacts,
  type TaskMessage,
  type TaskRecord,
  type TaskRestart,
  type TaskStatus,
} from './task-store.ts';

/** What a task does. Its signal aborts when the task is cancelled. */
export type TaskWork<Outcome extends ToolOutcome = ToolOutcome> = (context: TaskContext) => Outcome | Promise<Outcome>;

/** Makes a result of what a task returned, by the rules of the tool that started it. Throws, or rejects with, a TypeError. */
export type ResultOf = (outcome: ToolOutcome, tool: string | undefined) => CallToolResult | Promise<CallToolResult>;

export interface TaskContext {
  readonly signal: AbortSignal;
  readonly questions: Questions;
  /** Sets the status message that clients see. */
  report(statusMessage: string): void;
}

/** What a task begins with. A task that another process has begun keeps its id and its times. */
export interface TaskStart {
  readonly id: string;
  /** In milliseconds since 1970. */
  readonly created: number;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  /** The capabilities of the client that started it. */
  readonly capabilities: ClientCapabilities;
  readonly startedBy: string | undefined;
  /** The tool that started it, if one did. */
  readonly tool: string | undefined;
  readonly restart: TaskRestart | undefined;
}

export interface TaskSetting extends TaskStart {
  /** The process that runs it. */
  readonly process: string;
  readonly resultOf: ResultOf;
  /** Called after each change. */
  readonly changed: (task: Task) => void;
  /** Called with what the work, or a listener of its signal, throws. */
  readonly report: (thrown: unknown, what: string) => void;
}

interface OpenQuestion {
  readonly request: InputRequest;
  readonly resolve: (response: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** The work of one task and its status, in the process that runs it. */
export class Task {
  readonly #setting: TaskSetting;
  readonly #controller = new AbortController();
  readonly #open = new Map<string, OpenQuestion>();
  #updated = Date.now();
  #status: TaskStatus = 'working';
  #statusMessage: string | undefined;
  #outcome: { result: CallToolResult } | { error: ErrorObject } | undefined;
  readonly #usedKeys = new Set<string>();

  constructor(setting: TaskSetting) {
    this.#setting = setting;
  }

  get id(): string {
    return this.#setting.id;
  }

  get hasEnded(): boolean {
    return hasEnded(this.#status);
  }

  get isRestartable(): boolean {
    return this.#setting.restart !== undefined;
  }

  /** In milliseconds since 1970. */
  get expires(): number {
    return this.#setting.created + this.#setting.ttlMs;
  }

  /** Starts the work in a later turn, after the response with the task's id was sent. */
  run(work: TaskWork): void {
    const { report } = this.#setting;
    const context: TaskContext = {
      signal: guardListeners(this.#controller.signal, (thrown) => report(thrown, `abort listener of task ${this.id}`)),
      questions: new Questions((requests) => this.#ask(requests)),
      report: (statusMessage) => {
        if (this.hasEnded) return;
        this.#statusMessage = statusMessage;
        this.#touch();
      },
    };
    const begin = async () => this.#result(await work(context));
    setTimeout(() => {
      if (this.hasEnded) return;
      begin().then(
        (result) => this.#finish('completed', { result }),
        (thrown) => this.#fail(thrown),
      );
    });
  }

  /** The members of the response that creates the task. */
  facts(): TaskFacts {
    const { created, ttlMs, pollIntervalMs } = this.#setting;
    return {
      taskId: this.id,
      status: this.#status,
      ...(this.#statusMessage !== undefined && { statusMessage: this.#statusMessage }),
      createdAt: new Date(created).toISOString(),
      lastUpdatedAt: new Date(this.#updated).toISOString(),
      ttlMs,
      pollIntervalMs,
    };
  }

  /** What is stored. */
  record(): TaskRecord {
    const open = [...this.#open].map(([key, { request }]) => [key, request] as const);
    const { process, startedBy, restart } = this.#setting;
    return {
      task: {
        ...this.facts(),
        ...(open.length > 0 && { inputRequests: Object.fromEntries(open) }),
        ...this.#outcome,
      },
      process,
      ...(startedBy !== undefined && { startedBy }),
      expires: this.expires,
      ...(restart !== undefined && { restart }),
    };
  }

  take(message: TaskMessage): void {
    if (message.kind === 'cancel') this.cancel();
    else this.#respond(message.responses);
  }

  cancel(): void {
    if (this.hasEnded) return;
    this.#finish('cancelled', undefined);
    this.#controller.abort(this.#endedError());
  }

  /** Stops the work of a task that no longer belongs to this process. Nothing is saved of it. */
  abandon(reason: string): void {
    if (this.hasEnded) return;
    this.#status = 'cancelled';
    const error = new Error(reason);
    this.#rejectQuestions(error);
    this.#controller.abort(error);
  }

  /** Takes the responses that are awaited and ignores the others, for example repeated ones. */
  #respond(responses: InputResponses): void {
    const taken = Object.entries(responses).filter(([key]) => this.#open.has(key));
    if (taken.length === 0) return;
    for (const [key, response] of taken) {
      this.#open.get(key)?.resolve(response);
      this.#open.delete(key);
    }
    if (this.#open.size === 0) this.#status = 'working';
    this.#touch();
  }

  async #ask(requests: InputRequests): Promise<InputResponses> {
    if (this.hasEnded) throw this.#endedError();
    for (const request of Object.values(requests)) {
      const missing = missingCapability(request, this.#setting.capabilities);
      if (missing !== undefined) throw capabilityMissing(missing);
    }
    const responses = Object.entries(requests).map(async ([name, request]) => {
      const key = this.#newKey(name);
      const response = await new Promise((resolve, reject) => this.#open.set(key, { request, resolve, reject }));
      return [name, response] as const;
    });
    this.#status = 'input_required';
    this.#touch();
    return Object.fromEntries(await Promise.all(responses));
  }

  /** Every key is used once in the life of a task, also when its work is begun again. */
  #newKey(name: string): string {
    const { attempt = 1 } = this.#setting.restart ?? {};
    const first = attempt === 1 ? name : `${name}.${attempt}`;
    let key = first;
    for (let n = 2; this.#usedKeys.has(key); n += 1) key = `${first}-${n}`;
    this.#usedKeys.add(key);
    return key;
  }

  #endedError(): Error {
    return new Error(this.#status === 'cancelled' ? 'The task was cancelled' : 'The task has ended');
  }

  async #result(outcome: ToolOutcome): Promise<CallToolResult> {
    const { tool, resultOf, report } = this.#setting;
    try {
      return await resultOf(outcome, tool);
    } catch (thrown) {
      report(thrown, tool === undefined ? `task ${this.id}` : `tool ${tool}`);
      throw new RpcError(ErrorCode.InternalError, `Internal error: ${messageOf(thrown)}`);
    }
  }

  #fail(thrown: unknown): void {
    if (this.hasEnded) return;
    const error = asError(thrown);
    if (!(error instanceof RpcError)) {
      this.#setting.report(error, `task ${this.id}`);
      this.#finish('completed', { result: thrownResult(thrown) });
      return;
    }
    const failure = toErrorObject(error);
    this.#statusMessage = failure.message;
    this.#finish('failed', { error: failure });
  }

  #finish(status: TaskStatus, outcome: { result: CallToolResult } | { error: ErrorObject } | undefined): void {
    if (this.hasEnded) return;
    this.#status = status;
    this.#outcome = outcome;
    this.#rejectQuestions(this.#endedError());
    this.#touch();
  }

  #rejectQuestions(reason: Error): void {
    for (const { reject } of this.#open.values()) reject(reason);
    this.#open.clear();
  }

  #touch(): void {
    this.#updated = Date.now();
    this.#setting.changed(this);
  }
}
