import { RpcError } from '../jsonrpc/errors.ts';
import { guardListeners } from '../jsonrpc/guarded-signal.ts';
import { type IncomingRequest, largeBytes } from '../jsonrpc/in-flight.ts';
import type { Params, Request, RequestId } from '../jsonrpc/message.ts';
import { guard } from '../jsonrpc/report-error.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import { methodOf, type NotificationDefinition } from '../protocol/definition.ts';
import type { Origin, Principal } from '../protocol/origin.ts';
import type { Revision } from '../protocol/revision.ts';
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  Implementation,
  LogLevel,
  Meta,
  Progress,
  ProgressToken,
  Root,
} from '../protocol/types.ts';
import { type Asker, type Elicit, Questions } from './asking.ts';
import { isAtLeast, logMessage } from './features/logging.ts';
import type { ToolOutcome } from './features/tools.ts';
import type { ServerHost } from './server-host.ts';
import type { ServerSession } from './session.ts';
import { InputRequired } from './stateless/rounds.ts';
import type { TaskWork } from './tasks/task.ts';
import type { TaskOptions } from './tasks/tasks.ts';

/** Responds to a request with what it returns, as a value or a promise, or with an error for what it throws. */
export type RequestHandler = (params: Params | undefined, context: RequestContext) => unknown;

/** `session` is undefined, as in a request's context, for a stateless client over HTTP. */
export type NotificationHandler<P> = (
  params: P,
  session: ServerSession | undefined,
  origin: Origin | undefined,
) => unknown;

/** The client that sent a request, by its `initialize` or by the request itself. */
export interface Caller {
  /** The revision that its request uses. */
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** The least severe log message it wants; none when undefined. */
  readonly logLevel: LogLevel | undefined;
}

/** Carries what belongs to a request while it is processed: a session, or the response to a stateless request. */
export interface RequestChannel {
  /** Undefined for a stateless request over HTTP. */
  readonly session: ServerSession | undefined;
  notifyAbout(relatedRequestId: RequestId, method: string, params: Params | undefined): void;
  releaseStream(relatedRequestId: RequestId): void;
  drained(relatedRequestId?: RequestId): Promise<void>;
}

export interface ContextSetting {
  readonly channel: RequestChannel;
  readonly request: Request;
  readonly incoming: IncomingRequest;
  readonly caller: Caller;
  readonly asker: Asker;
  readonly host: ServerHost;
}

/** Sends a notification that belongs to a request. */
export interface Notify {
  <P extends object | undefined>(notification: NotificationDefinition<P>, params: P): void;
  (method: string, params?: Params): void;
}

/**
 * A handler's view of its request. Every member can be destructured: functions are getters that return a bound
 * function, which costs nothing in requests that do not use them.
 */
export class RequestContext {
  /** The revision of the protocol that this request uses. */
  readonly revision: Revision;
  readonly #call: ContextSetting;
  #questions: Questions | undefined;

  constructor(setting: ContextSetting) {
    this.#call = setting;
    this.revision = setting.caller.revision;
  }

  /** The session of the client. Throws when the request has none: a stateless request over HTTP. */
  get session(): ServerSession {
    const { session } = this.#call.channel;
    if (session !== undefined) return session;
    const instead = 'use the members of the context, such as context.elicit and context.notify';
    throw new Error(`This request has no session, because MCP ${this.revision.version} over HTTP has none: ${instead}`);
  }

  isOf(session: ServerSession): boolean {
    return this.#call.channel.session === session;
  }

  get requestId(): RequestId {
    return this.#call.request.id;
  }

  /** The name of the tool that is called; undefined in other requests. */
  get toolName(): string | undefined {
    const { method, params } = this.#call.request;
    const { name } = (params ?? {}) as { name?: unknown };
    return method === 'tools/call' && typeof name === 'string' ? name : undefined;
  }

  /** About the size of the request, if it is large; else 0. */
  get requestBytes(): number {
    return largeBytes(this.#call.request);
  }

  /** Aborts when the client cancels the request or disconnects. */
  get signal(): AbortSignal {
    return guardListeners(this.#call.incoming.signal, (thrown) =>
      this.#call.host.errors.report(thrown, 'abort listener of a handler', this.#call.channel.session),
    );
  }

  /**
   * Calls the listener once, when `signal` would abort, until the returned function is called. For handlers whose work
   * is short: a signal takes longer to make than a simple call takes.
   */
  get onCancelled(): (listener: (reason: Error) => unknown) => () => void {
    return (listener) => {
      const failed = (thrown: unknown) =>
        this.#call.host.errors.report(thrown, 'listener of onCancelled', this.#call.channel.session);
      return this.#call.incoming.onAbort((reason) => guard(() => listener(reason), failed));
    };
  }

  get meta(): Meta | undefined {
    return (this.#call.request.params as { _meta?: Meta } | undefined)?._meta;
  }

  get clientInfo(): Implementation | undefined {
    return this.#call.caller.clientInfo;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.#call.caller.clientCapabilities;
  }

  /** What the transport knows about the source of the request. */
  get origin(): Origin | undefined {
    // Every transport that gives a message an origin gives it this one.
    return this.#call.incoming.origin as Origin | undefined;
  }

  /** What the `authorize` option of the transport returned for the sender of this request. */
  get principal(): Principal | undefined {
    return this.origin?.principal;
  }

  /** Sends a notification that belongs to this request. Nothing is sent after its response. */
  get notify(): Notify {
    return (notification: NotificationDefinition | string, params?: unknown) => {
      if (this.#call.incoming.settled) return;
      this.#call.channel.notifyAbout(this.requestId, methodOf(notification), params as Params | undefined);
    };
  }

  /** Reports progress to the client, if it asked for it. `progress` must grow. */
  get progress(): (progress: number, total?: number, message?: string) => void {
    return (progress, total, message) => {
      const progressToken = this.meta?.progressToken as ProgressToken | undefined;
      if (progressToken === undefined) return;
      const value: Progress = { progress };
      if (total !== undefined) value.total = total;
      if (message !== undefined) value.message = message;
      this.notify('notifications/progress', { progressToken, ...this.revision.shape.progress(value) });
    };
  }

  /** Sends a log message if the client wants one this severe. Throws when the server does not declare logging. */
  get log(): (level: LogLevel, data: unknown, logger?: string) => void {
    return (level, data, logger) => {
      const message = logMessage('context.log', this.#call.host.options, level, data, logger);
      const { logLevel } = this.#call.caller;
      if (logLevel !== undefined && isAtLeast(level, logLevel)) this.notify('notifications/message', message);
    };
  }

  /** Questions to the client, the same in every revision; see `Questions.ask`. */
  get questions(): Questions {
    this.#questions ??= new Questions((requests, options) =>
      this.#call.asker.ask(requests, options, this.#call.incoming),
    );
    return this.#questions;
  }

  /** Asks the user. The content of the response has the type of the schema. */
  get elicit(): Elicit {
    return this.questions.elicit;
  }

  /** Requests sampling from the client. */
  get createMessage(): (params: CreateMessageParams, options?: CallOptions) => Promise<CreateMessageResult> {
    return this.questions.createMessage;
  }

  /** The folders the client works in. */
  get listRoots(): (options?: CallOptions) => Promise<Root[]> {
    return this.questions.listRoots;
  }

  /**
   * Continues as a task that outlives the request, if the client knows tasks; return what this returns. For other
   * clients the work is done within the request, or refused when `required`.
   */
  get task(): <Outcome extends ToolOutcome>(
    work: TaskWork<Outcome>,
    options?: TaskOptions,
  ) => Outcome | Promise<Outcome> {
    return <Outcome extends ToolOutcome>(work: TaskWork<Outcome>, options: TaskOptions = {}) =>
      // The task has this outcome in the end.
      this.#call.host.tasks.start(work, options, this) as Outcome | Promise<Outcome>;
  }

  /** Lets an HTTP client disconnect and reconnect for the response; does nothing on other transports. */
  get releaseStream(): () => void {
    return () => this.#call.channel.releaseStream(this.requestId);
  }

  /** Settles when the client has read enough of what was sent; await it now and then when sending much. */
  get drained(): () => Promise<void> {
    return () => this.#call.channel.drained(this.requestId);
  }

  /** Reports what a handler threw, unless it is meant for the client or follows from a cancellation. */
  reportFailure(thrown: unknown, what: string): void {
    if (thrown instanceof RpcError || thrown instanceof InputRequired || this.#call.incoming.settled) return;
    this.#call.host.errors.report(thrown, what, this.#call.channel.session);
  }
}
