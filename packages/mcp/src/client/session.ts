import type { Connection } from '../jsonrpc/connection.ts';
import { asError } from '../jsonrpc/errors.ts';
import { guardListeners } from '../jsonrpc/guarded-signal.ts';
import type { Notification, Params } from '../jsonrpc/message.ts';
import { type CallOptions, Conversation } from '../protocol/conversation.ts';
import { methodOf, type NotificationDefinition, type RequestDefinition } from '../protocol/definition.ts';
import { type Handler, NotificationHandlers, type Registration } from '../protocol/handlers.ts';
import type { Revision } from '../protocol/revision.ts';
import { NEWEST } from '../protocol/revisions/all.ts';
import type { JsonSchema, StandardSchemaV1 } from '../protocol/schema/validate.ts';
import type {
  CallToolResult,
  CompleteParams,
  CompleteResult,
  GetPromptResult,
  HealthResult,
  Implementation,
  LogLevel,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
  ServerCapabilities,
  SessionState,
  StandardNotifications,
  Tool,
} from '../protocol/types.ts';
import { type ClientSettings, type HandshakePlan, negotiate, type ServerFacts } from './handshake.ts';
import type { ClientLimits } from './limits.ts';
import { listPages } from './list-pages.ts';
import { checkedBy, OutputSchemas, type TypedToolResult } from './output-schemas.ts';
import {
  checkCompletion,
  checkHealth,
  checkPromptResult,
  checkResourceContents,
  checkToolResult,
  type ListMethod,
  PROMPTS,
  RESOURCES,
  TEMPLATES,
  TOOLS,
} from './response-check.ts';
import type { ServerRequests } from './server-requests.ts';
import { runsToolTasks, SessionTasks } from './session-tasks.ts';
import { type CallingSession, StatelessSession } from './stateless/stateless-session.ts';

/** What the sessions of one client share. */
export interface ClientParts {
  readonly settings: ClientSettings;
  readonly limits: Required<ClientLimits>;
  readonly serverRequests: ServerRequests;
  readonly notifications: NotificationHandlers<ClientSession>;
  closed(session: ClientSession): void;
  /** Must not throw. */
  report(error: Error, session: ClientSession): void;
}

/** A client's connection to one server. Every call rejects with ConnectionClosed once it has ended. */
export class ClientSession {
  readonly #client: ClientParts;
  readonly #conversation: Conversation;
  readonly #ownHandlers = new NotificationHandlers<ClientSession>(() => this.refresh());
  readonly #outputSchemas: OutputSchemas;
  readonly #tasks: SessionTasks;
  #state: SessionState = 'waiting';
  #server: ServerFacts | undefined;
  /** Undefined when the session began with `initialize`. */
  #stateless: StatelessSession | undefined;

  /** Use `client.connect`. */
  constructor(client: ClientParts, connection: Connection) {
    this.#client = client;
    this.#outputSchemas = new OutputSchemas(client.limits.maxSchemaMs);
    this.#conversation = new Conversation(
      connection,
      {
        respond: (request, incoming) =>
          client.serverRequests.respond(request, incoming, this.#revision, this, (error) => this.#report(error)),
        receive: (notification) => this.#received(notification),
        closed: (reason) => this.#closed(reason),
        failed: (error) => this.#report(error),
      },
      client.limits,
    );
    this.#tasks = new SessionTasks(this.#conversation);
  }

  /** Called by the client: starts the connection and agrees on a revision. */
  async open(plan: HandshakePlan, options: CallOptions = {}): Promise<void> {
    this.#conversation.start();
    this.#state = 'initializing';
    const ask = (method: string, params: Params, limits: CallOptions) => this.#ask(method, params, limits);
    const { revision, server } = await negotiate(ask, this.#client.settings, plan, options);
    this.#conversation.revision = revision;
    this.#server = server;
    if (revision.stateless) this.#stateless = new StatelessSession(revision, this.#calling(server));
    else this.#conversation.notify('notifications/initialized');
    if (this.#conversation.closedBy === undefined) this.#state = 'ready';
  }

  /** Called by the client: its handlers of notifications have changed. */
  refresh(): void {
    this.#stateless?.subscription.refresh();
  }

  /** Whether the server responds to each request by itself; else it keeps a session that began with `initialize`. */
  get isStateless(): boolean {
    return this.#stateless !== undefined;
  }

  get state(): SessionState {
    return this.#state;
  }

  get serverInfo(): Implementation | undefined {
    return this.#server?.serverInfo;
  }

  get serverCapabilities(): ServerCapabilities {
    return this.#server?.capabilities ?? {};
  }

  get instructions(): string | undefined {
    return this.#server?.instructions;
  }

  get protocolVersion(): string | undefined {
    return this.#conversation.revision?.version;
  }

  /** Settles with the reason when the session ends. */
  get closed(): Promise<Error> {
    return this.#conversation.end;
  }

  /** Sends a request to the server. */
  request<P extends object | undefined, R>(
    request: RequestDefinition<P, R>,
    params: P,
    options?: CallOptions,
  ): Promise<R>;
  request(method: string, params?: Params, options?: CallOptions): Promise<unknown>;
  request(request: RequestDefinition | string, params?: unknown, options?: CallOptions): Promise<unknown> {
    return this.#ask(methodOf(request), params as Params | undefined, options);
  }

  /** Sends a notification to the server. */
  notify<P extends object | undefined>(notification: NotificationDefinition<P>, params: P): void;
  notify(method: string, params?: Params): void;
  notify(notification: NotificationDefinition | string, params?: unknown): void {
    const target = this.#stateless ?? this.#conversation;
    target.notify(methodOf(notification), params as Params | undefined);
  }

  /** Handles a notification of this server; `client.onNotification` handles those of every server. */
  onNotification<P>(
    notification: NotificationDefinition<P>,
    handler: (params: P, session: ClientSession) => unknown,
  ): Registration;
  onNotification<M extends keyof StandardNotifications>(
    method: M,
    handler: (params: StandardNotifications[M], session: ClientSession) => unknown,
  ): Registration;
  onNotification(method: string, handler: Handler<ClientSession>): Registration;
  onNotification(
    notification: NotificationDefinition | string,
    handler: (params: never, session: ClientSession) => unknown,
  ): Registration {
    return this.#ownHandlers.add(notification, handler as Handler<ClientSession>);
  }

  async ping(options?: CallOptions): Promise<void> {
    await this.#ask(this.isStateless ? 'server/discover' : 'ping', undefined, options);
  }

  async health(options?: CallOptions): Promise<HealthResult> {
    return checkHealth(await this.#ask('health', undefined, options));
  }

  /** Every tool, from all pages. */
  async listTools(options?: CallOptions): Promise<Tool[]> {
    const listed = await this.#list(TOOLS, options);
    const tools = this.#stateless?.learnTools(listed) ?? listed;
    this.#outputSchemas.learn(tools);
    this.#tasks.learn(tools);
    return tools;
  }

  /**
   * Calls a tool. A tool that failed responds with `isError`. Structured content is checked against `outputSchema`, and
   * otherwise against the schema of the tool if it was listed.
   */
  callTool<Output>(
    name: string,
    args: { readonly [name: string]: unknown },
    options: CallOptions & { readonly outputSchema: StandardSchemaV1<unknown, Output> },
  ): Promise<TypedToolResult<Output>>;
  callTool(
    name: string,
    args?: { readonly [name: string]: unknown },
    options?: CallOptions & { readonly outputSchema?: JsonSchema },
  ): Promise<CallToolResult>;
  async callTool(
    name: string,
    args: { readonly [name: string]: unknown } = {},
    options: CallOptions & { readonly outputSchema?: JsonSchema | StandardSchemaV1 } = {},
  ): Promise<CallToolResult> {
    const { outputSchema, ...callOptions } = options;
    const params = { name, arguments: args };
    const response = this.#stateless
      ? this.#stateless.callTool(params, this.#withDefaults(callOptions))
      : this.#callInSession(params, callOptions);
    const result = checkToolResult(await response, this.#revision);
    if (outputSchema !== undefined) return checkedBy(outputSchema, name, result);
    return this.#outputSchemas.isEmpty ? result : this.#outputSchemas.check(name, result);
  }

  listResources(options?: CallOptions): Promise<Resource[]> {
    return this.#list(RESOURCES, options);
  }

  listResourceTemplates(options?: CallOptions): Promise<ResourceTemplate[]> {
    return this.#list(TEMPLATES, options);
  }

  async readResource(uri: string, options?: CallOptions): Promise<ResourceContents[]> {
    return checkResourceContents(await this.#ask('resources/read', { uri }, options));
  }

  async subscribe(uri: string, options?: CallOptions): Promise<void> {
    if (this.#stateless !== undefined) await this.#stateless.subscription.subscribe(uri, this.#withDefaults(options));
    else await this.#ask('resources/subscribe', { uri }, options);
  }

  async unsubscribe(uri: string, options?: CallOptions): Promise<void> {
    if (this.#stateless !== undefined) await this.#stateless.subscription.unsubscribe(uri, this.#withDefaults(options));
    else await this.#ask('resources/unsubscribe', { uri }, options);
  }

  listPrompts(options?: CallOptions): Promise<Prompt[]> {
    return this.#list(PROMPTS, options);
  }

  async getPrompt(
    name: string,
    args: { readonly [name: string]: string } = {},
    options?: CallOptions,
  ): Promise<GetPromptResult> {
    return checkPromptResult(await this.#ask('prompts/get', { name, arguments: args }, options));
  }

  async complete(params: CompleteParams, options?: CallOptions): Promise<CompleteResult['completion']> {
    const { shape } = this.#revision;
    return checkCompletion(await this.#ask('completion/complete', { ...shape.completion(params) }, options));
  }

  /** The least severe log message to receive from now on. A stateless server sends them during calls only. */
  async setLogLevel(level: LogLevel, options?: CallOptions): Promise<void> {
    if (this.#stateless !== undefined) this.#stateless.setLogLevel(level);
    else await this.#ask('logging/setLevel', { level }, options);
  }

  /** Settles when the queue towards the server is short. */
  drained(): Promise<void> {
    return this.#conversation.drained();
  }

  close(reason?: string): Promise<void> {
    return this.#conversation.close(reason);
  }

  /** A server that runs tasks may have tools that can be called in no other way; its list says which. */
  async #callInSession(params: { readonly name: string; readonly arguments: object }, options: CallOptions) {
    if (runsToolTasks(this.serverCapabilities)) {
      if (!this.#tasks.isLearned) await this.listTools(options);
      if (this.#tasks.requires(params.name)) return this.#tasks.call(params, this.#withDefaults(options));
    }
    return this.#ask('tools/call', params, options);
  }

  get #revision(): Revision {
    return this.#conversation.revision ?? NEWEST;
  }

  #ask(method: string, params: Params | undefined, options: CallOptions | undefined): Promise<unknown> {
    const complete = this.#withDefaults(options);
    return (
      this.#stateless?.calls.request(method, params, complete) ?? this.#conversation.request(method, params, complete)
    );
  }

  #list<T>(list: ListMethod<T>, options: CallOptions | undefined): Promise<T[]> {
    const ask = (method: string, params: Params, limits: CallOptions) => this.#ask(method, params, limits);
    return listPages(list, ask, options ?? {}, this.#client.limits);
  }

  #withDefaults(options: CallOptions | undefined): CallOptions {
    const { timeout } = this.#client.settings;
    return options === undefined ? { timeout } : { ...options, timeout: options.timeout ?? timeout };
  }

  #calling({ capabilities }: ServerFacts): CallingSession {
    const { settings, notifications, serverRequests } = this.#client;
    return {
      settings,
      serverCapabilities: capabilities,
      conversation: this.#conversation,
      respondToInput: ({ method, params }, key, callSignal) => {
        const signal = guardListeners(AbortSignal.any([callSignal]), (thrown) => this.#report(asError(thrown)));
        return serverRequests.callHandler(method, params, this.#revision, { session: this, requestId: key, signal });
      },
      hasHandler: (method) => this.#ownHandlers.has(method) || notifications.has(method),
      dispatch: (notification) => this.#dispatch(notification),
      listTools: (options) => this.listTools(options),
      report: (error) => this.#report(error),
    };
  }

  #received(notification: Notification): void {
    if (!this.#stateless?.subscription.takes(notification)) this.#dispatch(notification);
  }

  #dispatch(notification: Notification): void {
    const failed = (error: Error) => this.#report(error);
    this.#ownHandlers.dispatch(notification, this, failed);
    this.#client.notifications.dispatch(notification, this, failed);
  }

  #report(error: Error): void {
    this.#client.report(error, this);
  }

  #closed(reason: Error): void {
    this.#state = 'closed';
    this.#stateless?.close(reason);
    this.#tasks.close(reason);
    this.#client.closed(this);
  }
}
