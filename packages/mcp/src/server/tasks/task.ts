import { RpcError, toErrorObject } from '../../jsonrpc/errors.ts';
import type { ErrorObject } from '../../jsonrpc/message.ts';
import type { InputRequest, InputRequests, InputResponses } from '../../protocol/stateless.ts';
import type { CallToolResult, ClientCapabilities } from '../../protocol/types.ts';
import { missingCapability, Questions } from '../asking.ts';
import { asToolResult, type ToolOutcome, thrownResult } from '../features/tool-result.ts';
import { capabilityMissing } from '../stateless/rounds.ts';
import { isOver, type TaskFacts, type TaskMessage, type TaskRecord, type TaskStatus } from './task-store.ts';

/** What a task does. Its signal aborts when the task is cancelled. */
export type TaskWork = (context: TaskContext) => ToolOutcome | Promise<ToolOutcome>;

export interface TaskContext {
  readonly signal: AbortSignal;
  readonly questions: Questions;
  /** A word on how it goes, for whoever looks. */
  report(statusMessage: string): void;
}

export interface TaskSetting {
  /** Of the client that started it. */
  readonly capabilities: ClientCapabilities;
  readonly startedBy: string | undefined;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  /** Called with each change. */
  readonly changed: (task: Task) => void;
}

interface OpenQuestion {
  readonly request: InputRequest;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** One piece of work and how it stands, in the process that works at it. */
export class Task {
  readonly id = crypto.randomUUID();
  readonly #setting: TaskSetting;
  readonly #created = Date.now();
  readonly #controller = new AbortController();
  readonly #open = new Map<string, OpenQuestion>();
  #updated = this.#created;
  #status: TaskStatus = 'working';
  #statusMessage: string | undefined;
  #outcome: { result: CallToolResult } | { error: ErrorObject } | undefined;
  readonly #usedKeys = new Set<string>();

  constructor(setting: TaskSetting) {
    this.#setting = setting;
  }

  get isOver(): boolean {
    return isOver(this.#status);
  }

  get hasExpired(): boolean {
    return Date.now() > this.#expires;
  }

  /** In a later turn, so that the answer with the task's id is under way before. */
  run(work: TaskWork): void {
    const context: TaskContext = {
      signal: this.#controller.signal,
      questions: new Questions((requests) => this.#ask(requests)),
      report: (statusMessage) => {
        if (this.isOver) return;
        this.#statusMessage = statusMessage;
        this.#touch();
      },
    };
    const begin = async () => work(context);
    setImmediate(() => {
      if (this.isOver) return;
      begin().then(
        (outcome) => this.#finish('completed', { result: asToolResult(outcome) }),
        (thrown) => this.#fail(thrown),
      );
    });
  }

  /** As the answer that creates it shows it. */
  facts(): TaskFacts {
    const { ttlMs, pollIntervalMs } = this.#setting;
    return {
      taskId: this.id,
      status: this.#status,
      ...(this.#statusMessage !== undefined && { statusMessage: this.#statusMessage }),
      createdAt: new Date(this.#created).toISOString(),
      lastUpdatedAt: new Date(this.#updated).toISOString(),
      ttlMs,
      pollIntervalMs,
    };
  }

  /** For whoever is asked about it. */
  record(): TaskRecord {
    const open = [...this.#open].map(([key, { request }]) => [key, request] as const);
    const { startedBy } = this.#setting;
    return {
      task: {
        ...this.facts(),
        ...(open.length > 0 && { inputRequests: Object.fromEntries(open) }),
        ...this.#outcome,
      },
      ...(startedBy !== undefined && { startedBy }),
      expires: this.#expires,
    };
  }

  take(message: TaskMessage): void {
    if (message.kind === 'cancel') this.cancel();
    else this.#answer(message.responses);
  }

  cancel(): void {
    if (this.isOver) return;
    this.#finish('cancelled', undefined);
    this.#controller.abort(this.#over());
  }

  /** Takes the answers that are asked for and ignores the others, such as those that come a second time. */
  #answer(responses: InputResponses): void {
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
    if (this.isOver) throw this.#over();
    for (const request of Object.values(requests)) {
      const missing = missingCapability(request, this.#setting.capabilities);
      if (missing !== undefined) throw capabilityMissing(missing);
    }
    const answers = Object.entries(requests).map(async ([name, request]) => {
      const key = this.#newKey(name);
      const answer = await new Promise((resolve, reject) => this.#open.set(key, { request, resolve, reject }));
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

  #over(): Error {
    return new Error(this.#status === 'cancelled' ? 'The task was cancelled' : 'The task is over');
  }

  #fail(thrown: unknown): void {
    if (this.isOver) return;
    if (!(thrown instanceof RpcError)) {
      this.#finish('completed', { result: thrownResult(thrown) });
      return;
    }
    this.#statusMessage = thrown.message;
    this.#finish('failed', { error: toErrorObject(thrown) });
  }

  #finish(status: TaskStatus, outcome: { result: CallToolResult } | { error: ErrorObject } | undefined): void {
    if (this.isOver) return;
    this.#status = status;
    this.#outcome = outcome;
    for (const { reject } of this.#open.values()) reject(this.#over());
    this.#open.clear();
    this.#touch();
  }

  #touch(): void {
    this.#updated = Date.now();
    this.#setting.changed(this);
  }

  get #expires(): number {
    return this.#created + this.#setting.ttlMs;
  }
}
