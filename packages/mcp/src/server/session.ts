import type { Connection } from '../jsonrpc/connection.ts';
import { ConnectionClosed, ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import type { IncomingRequest } from '../jsonrpc/incoming-request.ts';
import type { Notification, Params, Request } from '../jsonrpc/message.ts';
import type { PeerLimits } from '../jsonrpc/peer.ts';
import { type CallOptions, Conversation } from '../protocol/conversation.ts';
import { methodOf, type NotificationDefinition, type RequestDefinition } from '../protocol/definition.ts';
import type { Revision } from '../protocol/revision.ts';
import { NEWEST } from '../protocol/revisions/all.ts';
import { describeProblems, prepareSchema } from '../protocol/schema/validate.ts';
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
import { RequestContext, type RequestHandler } from './context.ts';
import { type Negotiation, shakeHands } from './handshake.ts';
import { isAtLeast } from './logging.ts';

/** What a session needs of the server it belongs to. */
export interface SessionHost {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly negotiation: Negotiation;
  readonly admitBeforeInitialized: boolean;
  capabilities(): ServerCapabilities;
  handler(method: string, revision: Revision): RequestHandler | undefined;
  notified(notification: Notification, session: ServerSession): void;
  stateChanged(session: ServerSession, state: SessionState): void;
  failed(error: Error, session: ServerSession): void;
}

/** One client's stay with a server, from its first byte to its last. */
export class ServerSession {
  readonly #host: SessionHost;
  readonly #conversation: Conversation;
  #state: SessionState = 'waiting';
  #clientInfo: Implementation | undefined;
  #clientCapabilities: ClientCapabilities = {};
  #subscriptions: Set<string> | undefined;
  #listeners: Set<(state: SessionState) => void> | undefined;
  #endedBy: Error | undefined;
  /** The least severe log message the client wants. */
  logLevel: LogLevel = 'debug';

  /** Use `server.connect`. */
  constructor(host: SessionHost, connection: Connection, limits: Required<PeerLimits>) {
    this.#host = host;
    this.#conversation = new Conversation(
      connection,
      {
        answer: (request, incoming) => this.#answer(request, incoming),
        hear: (notification) => this.#notified(notification),
        closed: (reason) => {
          this.#endedBy = reason;
          this.#enter('closed');
        },
        failed: (error) => host.failed(error, this),
      },
      limits,
    );
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

  /** Has the client's model write a message. */
  async createMessage(params: CreateMessageParams, options?: CallOptions): Promise<CreateMessageResult> {
    this.#require('sampling');
    return (await this.request('sampling/createMessage', { ...params }, options)) as CreateMessageResult;
  }

  /** Asks the person at the client. Accepted content has been checked against the schema. */
  async elicit(params: ElicitParams, options?: CallOptions): Promise<ElicitResult> {
    this.#require('elicitation');
    const result = (await this.request('elicitation/create', { ...params }, options)) as ElicitResult;
    if (params.mode === 'url' || result.action !== 'accept') return result;
    const checked = await prepareSchema(params.requestedSchema).check(result.content ?? {});
    if (checked.ok) return result;
    throw new Error(`The client's answer does not fit: ${describeProblems(checked.problems, 'content')}`);
  }

  async listRoots(options?: CallOptions): Promise<Root[]> {
    this.#require('roots');
    return ((await this.request('roots/list', undefined, options)) as { roots: Root[] }).roots;
  }

  subscribe(uri: string): void {
    this.#subscriptions ??= new Set();
    this.#subscriptions.add(uri);
  }

  unsubscribe(uri: string): void {
    this.#subscriptions?.delete(uri);
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
    const { method } = request;
    const revision = this.#conversation.revision;
    if (this.#state !== 'ready' || revision === undefined) {
      const early = this.#answerEarly(request);
      if (early !== undefined) return early;
    }
    const context = new RequestContext(this, revision ?? NEWEST, request, incoming);
    const handler = this.#host.handler(method, context.revision);
    if (handler !== undefined) return handler(request.params, context);
    if (method === 'initialize') throw new RpcError(ErrorCode.InvalidRequest, 'Already initialized');
    if (method === 'health') return this.#health();
    throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
  }

  /** What may be asked before the session is ready; undefined leaves the request to the ordinary way. */
  #answerEarly({ method, params }: Request): object | undefined {
    if (method === 'initialize' && this.#state === 'waiting') return this.#initialize(params);
    if (method === 'initialize' || method === 'ping' || method === 'health') return undefined;
    if (this.#state === 'initializing' && this.#host.admitBeforeInitialized) return undefined;
    const missing = this.#state === 'waiting' ? 'initialize' : 'notifications/initialized';
    throw new RpcError(ErrorCode.InvalidRequest, `Not initialized: send ${missing} before ${method}`);
  }

  #initialize(params: Params | undefined): InitializeResult {
    const host = this.#host;
    const { revision, clientInfo, clientCapabilities } = shakeHands(params, host.negotiation);
    this.#conversation.revision = revision;
    this.#clientInfo = clientInfo;
    this.#clientCapabilities = clientCapabilities;
    this.#enter('initializing');
    const capabilities = host.capabilities();
    const info = revision.shape.implementation(host.info);
    const serverInfo = host.negotiation === 'strict' ? { ...info, capabilities } : info;
    const result: InitializeResult = { protocolVersion: revision.version, capabilities, serverInfo };
    if (host.instructions !== undefined) result.instructions = host.instructions;
    return result;
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
    this.#host.stateChanged(this, state);
    for (const listener of this.#listeners ?? []) listener(state);
  }

  #require(capability: 'sampling' | 'elicitation' | 'roots'): void {
    if (this.#clientCapabilities[capability] !== undefined) return;
    const who = this.#clientInfo?.name ?? 'The client';
    throw new Error(`${who} does not offer ${capability}`);
  }
}
