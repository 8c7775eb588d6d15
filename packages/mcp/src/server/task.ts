import { ErrorCode, RpcError, toErrorObject } from '../jsonrpc/errors.ts';
import type { ErrorObject } from '../jsonrpc/message.ts';
import type { InputRequest, InputRequests, InputResponses } from '../protocol/stateless.ts';
import type { CallToolResult, ClientCapabilities } from '../protocol/types.ts';
import { flawOfResponse, missingCapability, Questions } from './asking.ts';
import type { RequestContext } from './context.ts';
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

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

interface OpenQuestion {
  readonly request: InputRequest;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: Error) => void;
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
  readonly #open = new Map<string, OpenQuestion>();
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
        if (this.isFinished) return;
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

  /** Takes the answers that are asked for and ignores the others. Throws RpcError, and then none was taken. */
  async answer(responses: InputResponses): Promise<void> {
    const wanted = Object.entries(responses).filter(([key]) => this.#open.has(key));
    for (const [key, response] of wanted) {
      const question = this.#open.get(key);
      const flaw = question && (await flawOfResponse(question.request, response));
      if (flaw !== undefined) throw new RpcError(ErrorCode.InvalidParams, `Invalid inputResponses.${key}: ${flaw}`);
    }
    // While they were checked the task may have ended, or have been answered by another request.
    const taken = wanted.filter(([key]) => this.#open.has(key));
    if (taken.length === 0) return;
    for (const [key, response] of taken) {
      this.#open.get(key)?.resolve(response);
      this.#open.delete(key);
    }
    if (this.#open.size === 0) this.#status = 'working';
    this.#touch();
  }

  cancel(): void {
    if (this.isFinished) return;
    this.#finish('cancelled', undefined);
    this.#controller.abort(this.#over());
  }

  async #ask(requests: InputRequests): Promise<InputResponses> {
    if (this.isFinished) throw this.#over();
    for (const request of Object.values(requests)) {
      const missing = missingCapability(request, this.#capabilities);
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
    if (this.isFinished) return;
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
    for (const { reject } of this.#open.values()) reject(this.#over());
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
