import type { Connection } from '../jsonrpc/connection.ts';
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import type { IncomingRequest } from '../jsonrpc/in-flight.ts';
import type { PeerLimits } from '../jsonrpc/limits.ts';
import type { Notification, Params, Request, RequestId } from '../jsonrpc/message.ts';
import { guard } from '../jsonrpc/report-error.ts';
import type { ChangeMark } from '../protocol/change-mark.ts';
import { type CallOptions, Conversation } from '../protocol/conversation.ts';
import { methodOf, type NotificationDefinition, type RequestDefinition } from '../protocol/definition.ts';
import type { HttpHints } from '../protocol/http-hints.ts';
import type { Origin } from '../protocol/origin.ts';
import type { Revision } from '../protocol/revision.ts';
import { findRevision, NEWEST, NEWEST_STATELESS } from '../protocol/revisions/all.ts';
import type { SessionPersistence, SessionSnapshot } from '../protocol/session-snapshot.ts';
import { type InputRequests, type InputResponses, saysStateless } from '../protocol/stateless.ts';
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  HealthResult,
  Implementation,
  InitializeResult,
  LogLevel,
  Root,
  SessionState,
  StandardNotifications,
} from '../protocol/types.ts';
import { type Asker, askClient, type Elicit, Questions } from './asking.ts';
import type { Caller, RequestChannel, RequestHandler } from './context.ts';
import { dispatch, methodNotFound } from './dispatch.ts';
import { isAtLeast, logMessage } from './features/logging.ts';
import { initializeResult, negotiate, withoutSession } from './handshake.ts';
import { quoted } from './invalid-params.ts';
import type { ServerHost } from './server-host.ts';

/** Stays empty: most sessions subscribe to nothing. */
const NONE: ReadonlySet<string> = new Set();

/** What only a session can keep. */
const NEEDS_SESSION: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

/** The server's side of one connection, from its first message to its end. */
export class ServerSession implements Caller, Asker, RequestChannel {
  readonly #host: ServerHost;
  readonly #connection: Connection;
  readonly #ephemeral: boolean;
  readonly #save: ((snapshot: SessionSnapshot) => void) | undefined;
  readonly #conversation: Conversation;
  #state: SessionState = 'waiting';
  #clientInfo: Implementation | undefined;
  #clientCapabilities: ClientCapabilities = {};
  #subscriptions: Set<string> | undefined;
  #listeners: Set<(state: SessionState) => void> | undefined;
  #logLevel: LogLevel = 'debug';

  /** Use `server.connect`. */
  constructor(host: ServerHost, connection: Connection, limits: Required<PeerLimits>, persistence: SessionPersistence) {
    this.#host = host;
    this.#connection = connection;
    this.#ephemeral = persistence.ephemeral ?? false;
    this.#save = persistence.save;
    this.#conversation = new Conversation(
      connection,
      {
        respond: (request, incoming) => dispatch(request, incoming, this, host),
        errorOf: (thrown, { method }) => host.errors.errorOf(thrown, method, this),
        receive: (notification, origin) => this.#notified(notification, origin as Origin | undefined),
        // The client can no longer end its subscriptions.
        ended: () => host.subscriptions.close(this),
        closed: () => {
          host.subscribers.remove(this.subscriptions);
          this.#enter('closed');
        },
        failed: (error) => host.errors.report(error, 'a message to the client', this),
      },
      limits,
      host.inFlight,
    );
    if (persistence.snapshot !== undefined) this.#restore(persistence.snapshot);
    persistence.follow?.((snapshot) => this.#catchUp(snapshot));
  }

  /** Itself, as a channel of its requests. */
  get session(): ServerSession {
    return this;
  }

  /** Called by the server once it knows the session. */
  start(): void {
    this.#tellOwner();
    this.#conversation.start();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Name and version of the client, once it has sent them. */
  get clientInfo(): Implementation | undefined {
    return this.#clientInfo;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.#clientCapabilities;
  }

  /** The version agreed on with `initialize`; undefined before that, and for stateless clients. */
  get protocolVersion(): string | undefined {
    return this.#conversation.revision?.version;
  }

  /** The least severe log message the client wants. */
  get logLevel(): LogLevel {
    return this.#logLevel;
  }

  set logLevel(level: LogLevel) {
    this.#logLevel = level;
    this.#changed();
  }

  /** Why the session ended, once it has. */
  get endedBy(): Error | undefined {
    return this.#conversation.closedBy;
  }

  /** Calls the listener after each change of state, until the returned function is called. */
  onStateChange(listener: (state: SessionState) => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  /** Settles with the reason when the session has ended. */
  get closed(): Promise<Error> {
    return this.#conversation.end;
  }

  /** Sends a notification. Throws before the client is ready for it; does nothing once the session has ended. */
  notify<P extends object | undefined>(notification: NotificationDefinition<P>, params: P): void;
  notify<M extends keyof StandardNotifications>(method: M, params?: StandardNotifications[M]): void;
  notify(method: string, params?: Params): void;
  notify(notification: NotificationDefinition | string, params?: unknown): void {
    const method = methodOf(notification);
    if (this.#state !== 'ready' && this.#state !== 'closed' && !this.#host.options.admitBeforeInitialized) {
      throw new Error(`Cannot send ${method}: the session is ${this.#state}, not ready`);
    }
    this.#conversation.notify(method, params as Params | undefined);
  }

  /** Sends a notification of a change that other processes may report as well. The session must be ready. */
  announce(method: string, params: Params | undefined, mark: ChangeMark | undefined): void {
    this.#conversation.notify(method, params, mark && { transport: { change: mark } satisfies HttpHints });
  }

  /** Sends a notification that belongs to a request of the client. Handlers use `context.notify`. */
  notifyAbout(relatedRequestId: RequestId, method: string, params: Params | undefined): void {
    this.#conversation.notify(method, params, { relatedRequestId });
  }

  /** Asks questions that belong to a request of the client. Handlers use `context.questions`. */
  ask(requests: InputRequests, options: CallOptions | undefined, during: IncomingRequest): Promise<InputResponses> {
    return this.#ask(requests, { signal: during.signal, ...options, relatedRequestId: during.id });
  }

  /** See `context.releaseStream`. */
  releaseStream(relatedRequestId: RequestId): void {
    this.#connection.release?.(relatedRequestId);
  }

  /** Sends a request to the client. Rejects at once when the client takes none: see `context.questions`. */
  request<P extends object | undefined, R>(
    request: RequestDefinition<P, R>,
    params: P,
    options?: CallOptions,
  ): Promise<R>;
  request(method: string, params?: Params, options?: CallOptions): Promise<unknown>;
  request(request: RequestDefinition | string, params?: unknown, options?: CallOptions): Promise<unknown> {
    return this.#request(methodOf(request), params as Params | undefined, options);
  }

  async ping(options?: CallOptions): Promise<void> {
    await this.#request('ping', undefined, options);
  }

  /** Sends a log message if the client wants one this severe. Throws when the server does not declare logging. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    const message = logMessage('session.log', this.#host.options, level, data, logger);
    if (isAtLeast(level, this.logLevel)) this.notify('notifications/message', message);
  }

  /** Requests sampling from the client. While responding to a request, use its context instead. */
  createMessage(params: CreateMessageParams, options?: CallOptions): Promise<CreateMessageResult> {
    return this.#questions.createMessage(params, options);
  }

  /** Asks the user. The content of the response has the type of the schema. */
  get elicit(): Elicit {
    return this.#questions.elicit;
  }

  listRoots(options?: CallOptions): Promise<Root[]> {
    return this.#questions.listRoots(options);
  }

  /** The URIs of the resources whose changes the client wants to know of. */
  get subscriptions(): ReadonlySet<string> {
    return this.#subscriptions ?? NONE;
  }

  subscribe(uri: string): void {
    this.#subscribeTo(new Set([...this.subscriptions, uri]));
    this.#changed();
  }

  unsubscribe(uri: string): void {
    const others = new Set(this.subscriptions);
    if (others.delete(uri)) this.#subscribeTo(others);
    this.#changed();
  }

  isSubscribed(uri: string): boolean {
    return this.subscriptions.has(uri);
  }

  /** Settles when the client has read enough of what was sent; await it now and then when sending much. */
  drained(relatedRequestId?: RequestId): Promise<void> {
    return this.#conversation.drained(relatedRequestId);
  }

  close(reason?: string): Promise<void> {
    return this.#conversation.close(reason);
  }

  /** The revision of its requests. */
  get revision(): Revision {
    return this.#conversation.revision ?? NEWEST;
  }

  /** What responds to a request of the session, by the state that it is in. Throws RpcError for one that is refused. */
  handlerOf(request: Request): RequestHandler {
    const { method } = request;
    if (this.#state !== 'ready' || this.#conversation.revision === undefined) {
      const early = this.#earlyHandlerOf(method);
      if (early !== undefined) return early;
    }
    if (this.#ephemeral && NEEDS_SESSION.has(method)) {
      throw new RpcError(
        ErrorCode.MethodNotFound,
        `Method not found: ${method} needs a session, and this server keeps none`,
      );
    }
    const handler = this.#host.methods.handler(method, this.revision);
    if (handler !== undefined) return handler;
    if (method === 'initialize') throw new RpcError(ErrorCode.InvalidRequest, 'Already initialized');
    if (method === 'health') return () => this.#health();
    throw methodNotFound(method);
  }

  /** Called with the first request of a stateless client, which is ready with it. */
  adoptClient({ clientInfo, clientCapabilities }: Caller): void {
    if (this.#conversation.revision !== undefined) return;
    this.#clientInfo = clientInfo;
    this.#clientCapabilities = clientCapabilities;
    if (this.#state === 'waiting') this.#enter('ready');
  }

  get #questions(): Questions {
    return new Questions((requests, options) => this.#ask(requests, options));
  }

  /** Sends a request, unless the client has not initialized: nothing would ever respond to it. */
  #request(method: string, params: Params | undefined, options: CallOptions | undefined): Promise<unknown> {
    if (this.#conversation.revision === undefined && this.#state !== 'closed') {
      return Promise.reject(new Error(`Cannot send ${method}: ${this.#whyNoRequests()}`));
    }
    return this.#conversation.request(method, params, options);
  }

  #whyNoRequests(): string {
    if (this.#state === 'waiting') return 'the session is waiting for initialize';
    const instead = 'Use context.elicit, context.createMessage or context.listRoots instead.';
    return `the client takes no requests, because it uses MCP ${NEWEST_STATELESS.version}. ${instead}`;
  }

  #ask(requests: InputRequests, options: CallOptions | undefined): Promise<InputResponses> {
    const { revision } = this.#conversation;
    const client = { revision, info: this.#clientInfo, capabilities: this.#clientCapabilities };
    return askClient(client, requests, (method, params) => this.#request(method, params, options));
  }

  /** Handles or refuses a request before the session is ready; undefined when it is dispatched as usual. */
  #earlyHandlerOf(method: string): RequestHandler | undefined {
    const isNew = this.#conversation.revision === undefined;
    if (method === 'initialize' && isNew) return (params) => this.#initialize(params);
    if (method === 'initialize' || method === 'ping' || method === 'health') return undefined;
    if (!isNew && this.#host.options.admitBeforeInitialized) return undefined;
    const missing = isNew ? 'initialize' : 'notifications/initialized';
    throw new RpcError(ErrorCode.InvalidRequest, `Not initialized: send ${missing} before ${quoted(method)}`);
  }

  #initialize(params: Params | undefined): InitializeResult {
    const host = this.#host;
    const { revision, clientInfo, clientCapabilities } = negotiate(params, host.options);
    this.#conversation.revision = revision;
    this.#clientInfo = clientInfo;
    this.#clientCapabilities = clientCapabilities;
    this.#enter('initializing');
    const result = initializeResult(host, revision);
    return this.#ephemeral ? { ...result, capabilities: withoutSession(result.capabilities) } : result;
  }

  #health(): HealthResult {
    const protocolVersion = this.protocolVersion ?? NEWEST.version;
    return { protocolVersion, status: 'ok', state: this.#state, serverInfo: this.#host.info };
  }

  #notified(notification: Notification, origin: Origin | undefined): void {
    if (notification.method === 'notifications/initialized' && this.#state === 'initializing') this.#enter('ready');
    // Before initialize the client is not known, unless it says who it is with each message.
    if (this.#state === 'waiting' && !saysStateless(notification.params)) return;
    const failed = (error: Error) => this.#host.errors.report(error, `notification ${notification.method}`, this);
    this.#host.notifications.dispatch(notification, this, failed, origin);
  }

  #enter(state: SessionState): void {
    if (this.#state === 'closed') return;
    this.#state = state;
    this.#changed();
    this.#announce(state);
  }

  #subscribeTo(uris: Set<string>): void {
    const before = this.subscriptions;
    this.#subscriptions = uris.size === 0 ? undefined : uris;
    this.#host.subscribers.add([...uris].filter((uri) => !before.has(uri)));
    this.#host.subscribers.remove([...before].filter((uri) => !uris.has(uri)));
  }

  #announce(state: SessionState): void {
    if (state === 'closed') this.#host.sessions.delete(this);
    this.#tellOwner();
    for (const listener of this.#listeners ?? []) this.#attempt(() => listener(state), 'a listener of onStateChange');
  }

  #tellOwner(): void {
    this.#attempt(() => this.#host.options.onState?.(this, this.#state), 'onState');
  }

  #attempt(callback: () => unknown, what: string): void {
    guard(callback, (thrown) => this.#host.errors.report(thrown, what, this));
  }

  #changed(): void {
    const save = this.#save;
    const { revision } = this.#conversation;
    if (save === undefined || revision === undefined || this.#state === 'closed') return;
    const snapshot: SessionSnapshot = {
      protocolVersion: revision.version,
      ...(this.#clientInfo && { clientInfo: this.#clientInfo }),
      clientCapabilities: this.#clientCapabilities,
      ready: this.#state === 'ready',
      logLevel: this.#logLevel,
      subscriptions: [...this.subscriptions],
    };
    this.#attempt(() => save(snapshot), 'saving the session');
  }

  /** Another process has continued the session. */
  #catchUp(snapshot: SessionSnapshot): void {
    const before = this.#state;
    if (before === 'closed') return;
    this.#restore(snapshot);
    if (this.#state !== before) this.#announce(this.#state);
  }

  #restore(snapshot: SessionSnapshot): void {
    this.#conversation.revision = findRevision(snapshot.protocolVersion) ?? NEWEST;
    this.#clientInfo = snapshot.clientInfo;
    this.#clientCapabilities = snapshot.clientCapabilities;
    this.#logLevel = snapshot.logLevel;
    this.#subscribeTo(new Set(snapshot.subscriptions));
    this.#state = snapshot.ready ? 'ready' : 'initializing';
  }
}
