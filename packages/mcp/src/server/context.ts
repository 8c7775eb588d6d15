import type { Origin } from '../jsonrpc/connection.ts';
import type { IncomingRequest } from '../jsonrpc/incoming-request.ts';
import type { Params, Request, RequestId } from '../jsonrpc/message.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import { methodOf, type NotificationDefinition } from '../protocol/definition.ts';
import type { Revision } from '../protocol/revision.ts';
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Implementation,
  LogLevel,
  Meta,
  Progress,
  ProgressToken,
  Root,
} from '../protocol/types.ts';
import { type Asker, Questions } from './asking.ts';
import { isAtLeast } from './features/logging.ts';
import type { ToolOutcome } from './features/tool-result.ts';
import type { ServerSession } from './session.ts';
import type { TaskWork } from './tasks/task.ts';
import type { TaskOptions, TaskStarter } from './tasks/tasks.ts';

/** Answers a request with its value, its promise's value, or an error for what it throws. */
export type RequestHandler = (params: Params | undefined, context: RequestContext) => unknown;

/** Who asks: what it said in its handshake, or with the request itself. */
export interface Caller {
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** The least severe log message it wants; none when undefined. */
  readonly logLevel: LogLevel | undefined;
}

/** What a handler knows of the request it is answering, and what it may do meanwhile. */
export class RequestContext {
  readonly session: ServerSession;
  /** The edition of the protocol this request is spoken in. */
  readonly revision: Revision;
  readonly #request: Request;
  readonly #incoming: IncomingRequest;
  readonly #caller: Caller;
  readonly #asker: Asker;
  readonly #startTask: TaskStarter;
  #questions: Questions | undefined;

  constructor(setting: ContextSetting) {
    this.session = setting.session;
    this.revision = setting.revision;
    this.#request = setting.request;
    this.#incoming = setting.incoming;
    this.#caller = setting.caller;
    this.#asker = setting.asker;
    this.#startTask = setting.startTask;
  }

  get requestId(): RequestId {
    return this.#request.id;
  }

  /** Aborts when the client cancels the request or goes away. */
  get signal(): AbortSignal {
    return this.#incoming.signal;
  }

  get meta(): Meta | undefined {
    return (this.#request.params as { _meta?: Meta } | undefined)?._meta;
  }

  get clientInfo(): Implementation | undefined {
    return this.#caller.clientInfo;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.#caller.clientCapabilities;
  }

  /** How the request came, where the transport can tell: HTTP headers. */
  get origin(): Origin | undefined {
    return this.#incoming.origin;
  }

  /** Sends a notification that belongs to this request. Nothing is sent once it is answered. */
  notify<P extends object | undefined>(notification: NotificationDefinition<P>, params: P): void;
  notify(method: string, params?: Params): void;
  notify(notification: NotificationDefinition | string, params?: unknown): void {
    if (this.#incoming.settled) return;
    this.session.notifyAbout(this.requestId, methodOf(notification), params as Params | undefined);
  }

  /** Tells the client how far the work is, if it asked to know. `progress` must grow. */
  progress(progress: number, total?: number, message?: string): void {
    const progressToken = this.meta?.progressToken as ProgressToken | undefined;
    if (progressToken === undefined) return;
    const value: Progress = { progress };
    if (total !== undefined) value.total = total;
    if (message !== undefined) value.message = message;
    this.notify('notifications/progress', { progressToken, ...this.revision.shape.progress(value) });
  }

  /** Sends a log message if the client wants one this severe. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    const { logLevel } = this.#caller;
    if (logLevel === undefined || !isAtLeast(level, logLevel)) return;
    this.notify('notifications/message', logger === undefined ? { level, data } : { level, logger, data });
  }

  /** Questions to the client, the same in every edition of the protocol; see `Questions.ask`. */
  get questions(): Questions {
    this.#questions ??= new Questions((requests, options) => this.#asker.ask(requests, options, this.#incoming));
    return this.#questions;
  }

  elicit(params: ElicitParams, options?: CallOptions): Promise<ElicitResult> {
    return this.questions.elicit(params, options);
  }

  createMessage(params: CreateMessageParams, options?: CallOptions): Promise<CreateMessageResult> {
    return this.questions.createMessage(params, options);
  }

  listRoots(options?: CallOptions): Promise<Root[]> {
    return this.questions.listRoots(options);
  }

  /**
   * Goes on as a task that outlives the request, if the client knows tasks; return what this returns. Without them
   * the work is done within the request, or refused when `required`.
   */
  task(work: TaskWork, options: TaskOptions = {}): ToolOutcome | Promise<ToolOutcome> {
    return this.#startTask(work, options, this);
  }

  /** Lets an HTTP client disconnect and come back for the answer; elsewhere it does nothing. */
  releaseStream(): void {
    this.session.releaseStream(this.requestId);
  }
}

export interface ContextSetting {
  readonly session: ServerSession;
  readonly revision: Revision;
  readonly request: Request;
  readonly incoming: IncomingRequest;
  readonly caller: Caller;
  readonly asker: Asker;
  readonly startTask: TaskStarter;
}
