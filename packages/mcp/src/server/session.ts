import type { Connection } from '../jsonrpc/connection.ts';
import { ConnectionClosed, ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import type { IncomingRequest } from '../jsonrpc/incoming-request.ts';
import type { Notification, Params, Request, RequestId } from '../jsonrpc/message.ts';
import type { PeerLimits } from '../jsonrpc/peer.ts';
import { type CallOptions, Conversation } from '../protocol/conversation.ts';
import { methodOf, type NotificationDefinition, type RequestDefinition } from '../protocol/definition.ts';
import type { Revision } from '../protocol/revision.ts';
import { findRevision, NEWEST } from '../protocol/revisions/all.ts';
import type { SessionPersistence, SessionSnapshot } from '../protocol/session-snapshot.ts';
import type { InputRequests, InputResponses } from '../protocol/stateless.ts';
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  HealthResult,
  Implementation,
  InitializeResult,
  LogLevel,
  Root,
  ServerCapabilities,
  SessionState,
  StandardNotifications,
} from '../protocol/types.ts';
import { type Asker, describeCapability, flawOfResponse, missingCapability, notPartOf, Questions } from './asking.ts';
import { type Caller, RequestContext } from './context.ts';
import { isAtLeast } from './features/logging.ts';
import { type Negotiation, negotiate } from './handshake.ts';
import { answerStateless, type StatelessHost } from './stateless/answer.ts';
import { checkVersionHeader, isStateless } from './stateless/envelope.ts';
import type { TaskStarter } from './tasks/tasks.ts';

/** What a session needs of the server it belongs to. */
export interface SessionHost extends StatelessHost {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly negotiation: Negotiation;
  readonly admitBeforeInitialized: boolean;
  capabilities(revision?: Revision): ServerCapabilities;
  notified(notification: Notification, session: ServerSession): void;
  ended(session: ServerSession): void;
  stateChanged(session: ServerSession, state: SessionState): void;
  failed(error: Error, session: ServerSession): void;
  readonly startTask: TaskStarter;
}

/** One client's stay with a server, from its first byte to its last. */
export class ServerSession implements Caller, Asker {
  readonly #host: SessionHost;
  readonly #connection: Connection;
  readonly #save: ((snapshot: SessionSnapshot) => void) | undefined;
  readonly #conversation: Conversation;
  #state: SessionState = 'waiting';
  #clientInfo: Implementation | undefined;
  #clientCapabilities: ClientCapabilities = {};
  #subscriptions: Set<string> | undefined;
  #listeners: Set<(state: SessionState) => void> | undefined;
  #endedBy: Error | undefined;
  #logLevel: LogLevel = 'debug';

  /** Use `server.connect`. */
  constructor(
    host: SessionHost,
    connection: Connection,
    limits: Required<PeerLimits>,
    persistence: SessionPersistence,
  ) {
    this.#host = host;
    this.#connection = connection;
    this.#save = persistence.save;
    this.#conversation = new Conversation(
      connection,
      {
        answer: (request, incoming) => this.#answer(request, incoming),
        hear: (notification) => this.#notified(notification),
        ended: () => host.ended(this),
        closed: (reason) => {
          this.#endedBy = reason;
          this.#enter('closed');
        },
        failed: (error) => host.failed(error, this),
      },
      limits,
    );
    if (persistence.snapshot !== undefined) this.#restore(persistence.snapshot);
    persistence.follow?.((snapshot) => this.#catchUp(snapshot));
  }

  /** Called by the server once it knows the session. */
  start(): void {
    this.#conversation.start();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** What the client says it is, once it has said so. */
  get clientInfo(): Implementation | undefined {
    return this.#clientInfo;
  }

  get clientCapabilities(): ClientCapabilities {
    return this.#clientCapabilities;
  }

  /** The revision agreed on, once it was. */
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
    return this.#endedBy;
  }

  /** Calls the listener at each change of state; the returned function ends that. */
  onStateChange(listener: (state: SessionState) => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  /** Settles with the reason when the session has ended. */
  get closed(): Promise<Error> {
    return new Promise((resolve) => {
      const settle = () => resolve(this.#endedBy ?? new ConnectionClosed('Closed'));
      if (this.#state === 'closed') settle();
      else this.onStateChange((state) => state === 'closed' && settle());
    });
  }

  /** Sends a notification. Throws before the client is ready for it; does nothing once the session has ended. */
  notify<P extends object | undefined>(notification: NotificationDefinition<P>, params: P): void;
  notify<M extends keyof StandardNotifications>(method: M, params?: StandardNotifications[M]): void;
  notify(method: string, params?: Params): void;
  notify(notification: NotificationDefinition | string, params?: unknown): void {
    const method = methodOf(notification);
    if (this.#state !== 'ready' && this.#state !== 'closed' && !this.#host.admitBeforeInitialized) {
      throw new Error(`Cannot send ${method}: the session is ${this.#state}, not ready`);
    }
    this.#conversation.notify(method, params as Params | undefined);
  }

  /** Sends a notification that belongs to a request of the client's; `context.notify` is the way to it. */
  notifyAbout(relatedRequestId: RequestId, method: string, params: Params | undefined): void {
    this.#conversation.notify(method, params, { relatedRequestId });
  }

  /** Puts questions that belong to a request of the client's; `context.questions` is the way to it. */
  ask(requests: InputRequests, options: CallOptions | undefined, during: IncomingRequest): Promise<InputResponses> {
    return this.#ask(requests, { signal: during.signal, ...options, relatedRequestId: during.id });
  }

  /** See `context.releaseStream`. */
  releaseStream(relatedRequestId: RequestId): void {
    this.#connection.release?.(relatedRequestId);
  }

  /** Asks the client. */
  request<P extends object | undefined, R>(
    request: RequestDefinition<P, R>,
    params: P,
    options?: CallOptions,
  ): Promise<R>;
  request(method: string, params?: Params, options?: CallOptions): Promise<unknown>;
  request(request: RequestDefinition | string, params?: unknown, options?: CallOptions): Promise<unknown> {
    return this.#conversation.request(methodOf(request), params as Params | undefined, options);
  }

  async ping(options?: CallOptions): Promise<void> {
    await this.#conversation.request('ping', undefined, options);
  }

  /** Sends a log message, unless the client asked for more severe ones only. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.#host.capabilities().logging === undefined) {
      throw new Error('Cannot log to the client: the server does not declare the logging capability');
    }
    if (!isAtLeast(level, this.logLevel)) return;
    this.notify('notifications/message', logger === undefined ? { level, data } : { level, logger, data });
  }

  /** Has the client's model write a message. Within a request of the client's, use its context instead. */
  createMessage(params: CreateMessageParams, options?: CallOptions): Promise<CreateMessageResult> {
    return this.#questions.createMessage(params, options);
  }

  /** Asks the person at the client. Accepted content has been checked against the schema. */
  elicit(params: ElicitParams, options?: CallOptions): Promise<ElicitResult> {
    return this.#questions.elicit(params, options);
  }

  listRoots(options?: CallOptions): Promise<Root[]> {
    return this.#questions.listRoots(options);
  }

  subscribe(uri: string): void {
    this.#subscriptions ??= new Set();
    this.#subscriptions.add(uri);
    this.#changed();
  }

  unsubscribe(uri: string): void {
    this.#subscriptions?.delete(uri);
    this.#changed();
  }

  isSubscribed(uri: string): boolean {
    return this.#subscriptions?.has(uri) ?? false;
  }

  /** Settles when there is room towards the client; await it now and then when sending much. */
  drained(): Promise<void> {
    return this.#conversation.drained();
  }

  close(reason?: string): Promise<void> {
    return this.#conversation.close(reason);
  }

  #answer(request: Request, incoming: IncomingRequest): unknown {
    if (isStateless(request, incoming.origin)) {
      return answerStateless(request, incoming, this.#host, (envelope, rounds) => {
        this.#meet(envelope);
        return this.#context(request, incoming, envelope.revision, envelope, rounds);
      });
    }
    const { method } = request;
    checkVersionHeader(incoming.origin);
    const revision = this.#conversation.revision;
    if (this.#state !== 'ready' || revision === undefined) {
      const early = this.#answerEarly(request, incoming);
      if (early !== undefined) return early;
    }
    const handler = this.#host.handler(method, revision ?? NEWEST);
    if (handler !== undefined) {
      return handler(request.params, this.#context(request, incoming, revision ?? NEWEST, this, this));
    }
    if (method === 'initialize') throw new RpcError(ErrorCode.InvalidRequest, 'Already initialized');
    if (method === 'health') return this.#health();
    throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
  }

  #context(
    request: Request,
    incoming: IncomingRequest,
    revision: Revision,
    caller: Caller,
    asker: Asker,
  ): RequestContext {
    return new RequestContext({
      session: this,
      revision,
      request,
      incoming,
      caller,
      asker,
      startTask: this.#host.startTask,
    });
  }

  get #questions(): Questions {
    return new Questions((requests, options) => this.#ask(requests, options));
  }

  /** The questions of the era with sessions: real requests to the client. */
  async #ask(requests: InputRequests, options: CallOptions | undefined): Promise<InputResponses> {
    for (const request of Object.values(requests)) {
      const unknown = notPartOf(this.#conversation.revision ?? NEWEST, request);
      if (unknown !== undefined) throw new Error(unknown);
      const missing = missingCapability(request, this.#clientCapabilities);
      const who = this.#clientInfo?.name ?? 'The client';
      if (missing !== undefined) throw new Error(`${who} does not offer ${describeCapability(missing)}`);
    }
    const answers = Object.entries(requests).map(async ([key, request]) => {
      const { method, params = {} } = request;
      const { shape } = this.#conversation.revision ?? NEWEST;
      const fitting = method === 'elicitation/create' ? shape.elicitation(params) : request.params;
      const answer = await this.#conversation.request(method, fitting, options);
      const flaw = await flawOfResponse(request, answer);
      if (flaw !== undefined) throw new Error(`The client's answer does not fit: ${flaw}`);
      return [key, answer] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  }

  /** What may be asked before the session is ready; undefined leaves the request to the ordinary way. */
  #answerEarly({ method, params }: Request, { origin }: IncomingRequest): object | undefined {
    const isNew = this.#conversation.revision === undefined;
    if (method === 'initialize' && isNew) return this.#initialize(params);
    if (method === 'initialize' || method === 'ping' || method === 'health') return undefined;
    if (!isNew && this.#host.admitBeforeInitialized) return undefined;
    const missing = isNew ? 'initialize' : 'notifications/initialized';
    origin?.answerWith(400);
    throw new RpcError(ErrorCode.InvalidRequest, `Not initialized: send ${missing} before ${method}`);
  }

  #initialize(params: Params | undefined): InitializeResult {
    const host = this.#host;
    const { revision, clientInfo, clientCapabilities } = negotiate(params, host.negotiation);
    this.#conversation.revision = revision;
    this.#clientInfo = clientInfo;
    this.#clientCapabilities = clientCapabilities;
    this.#enter('initializing');
    const capabilities = host.capabilities(revision);
    const info = revision.shape.implementation(host.info);
    const serverInfo = host.negotiation === 'strict' ? { ...info, capabilities } : info;
    const result: InitializeResult = { protocolVersion: revision.version, capabilities, serverInfo };
    if (host.instructions !== undefined) result.instructions = host.instructions;
    return result;
  }

  /** A client that needs no handshake is ready with its first request. */
  #meet({ clientInfo, clientCapabilities }: Caller): void {
    if (this.#conversation.revision !== undefined) return;
    this.#clientInfo = clientInfo;
    this.#clientCapabilities = clientCapabilities;
    if (this.#state === 'waiting') this.#enter('ready');
  }

  #health(): HealthResult {
    const protocolVersion = this.protocolVersion ?? NEWEST.version;
    return { protocolVersion, status: 'ok', state: this.#state, serverInfo: this.#host.info };
  }

  #notified(notification: Notification): void {
    if (notification.method === 'notifications/initialized' && this.#state === 'initializing') this.#enter('ready');
    // Before initialize nobody has said who is speaking.
    if (this.#state !== 'waiting') this.#host.notified(notification, this);
  }

  #enter(state: SessionState): void {
    if (this.#state === 'closed') return;
    this.#state = state;
    this.#changed();
    this.#tell(state);
  }

  #tell(state: SessionState): void {
    this.#host.stateChanged(this, state);
    if (this.#listeners !== undefined) for (const listener of this.#listeners) listener(state);
  }

  #changed(): void {
    const { revision } = this.#conversation;
    if (this.#save === undefined || revision === undefined || this.#state === 'closed') return;
    this.#save({
      protocolVersion: revision.version,
      ...(this.#clientInfo && { clientInfo: this.#clientInfo }),
      clientCapabilities: this.#clientCapabilities,
      ready: this.#state === 'ready',
      logLevel: this.#logLevel,
      subscriptions: [...(this.#subscriptions ?? [])],
    });
  }

  /** Another process has gone on with the session. */
  #catchUp(snapshot: SessionSnapshot): void {
    const before = this.#state;
    if (before === 'closed') return;
    this.#restore(snapshot);
    if (this.#state !== before) this.#tell(this.#state);
  }

  #restore(snapshot: SessionSnapshot): void {
    this.#conversation.revision = findRevision(snapshot.protocolVersion) ?? NEWEST;
    this.#clientInfo = snapshot.clientInfo;
    this.#clientCapabilities = snapshot.clientCapabilities;
    this.#logLevel = snapshot.logLevel;
    this.#subscriptions = new Set(snapshot.subscriptions);
    this.#state = snapshot.ready ? 'ready' : 'initializing';
  }
}
