import type { Connection } from '../jsonrpc/connection.ts';
import { ConnectionClosed } from '../jsonrpc/errors.ts';
import type { IncomingRequest } from '../jsonrpc/incoming-request.ts';
import type { Notification, Params, Request } from '../jsonrpc/message.ts';
import type { PeerLimits } from '../jsonrpc/peer.ts';
import { type CallOptions, Conversation } from '../protocol/conversation.ts';
import { methodOf, type NotificationDefinition, type RequestDefinition } from '../protocol/definition.ts';
import { type Handler, NotificationHandlers, type Registration } from '../protocol/handlers.ts';
import type { Revision } from '../protocol/revision.ts';
import { NEWEST } from '../protocol/revisions/all.ts';
import type { InputRequest } from '../protocol/stateless.ts';
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
import type { Era } from './era.ts';
import { agree, type Beginning, type ClientFacts, type ServerFacts } from './handshake.ts';
import { StatelessSide } from './stateless-side.ts';
import { OutputSchemas } from './tools.ts';

/** What a session needs of the client it belongs to. */
export interface SessionHost {
  readonly facts: ClientFacts;
  answer(request: Request, revision: Revision, session: ClientSession, incoming: IncomingRequest): unknown;
  /** Answers what a server asks within its own answer. */
  answerInput(request: InputRequest, key: string, session: ClientSession, signal: AbortSignal): unknown;
  /** Whether the client itself wants to hear a notification. */
  hears(method: string): boolean;
  notified(notification: Notification, session: ClientSession): void;
  closed(session: ClientSession): void;
  failed(error: Error, session: ClientSession): void;
}

/** A client's stay with one server. Every call rejects with ConnectionClosed once it has ended. */
export class ClientSession {
  readonly #host: SessionHost;
  readonly #conversation: Conversation;
  readonly #ownHandlers = new NotificationHandlers<ClientSession>();
  readonly #promises = new OutputSchemas();
  #state: SessionState = 'waiting';
  #server: ServerFacts | undefined;
  /** Undefined in a session that began with `initialize`. */
  #stateless: StatelessSide | undefined;
  #endedBy: Error | undefined;
  #onClosed: (() => void)[] = [];

  /** Use `client.connect`. */
  constructor(host: SessionHost, connection: Connection, limits: Required<PeerLimits>) {
    this.#host = host;
    this.#conversation = new Conversation(
      connection,
      {
        answer: (request, incoming) => host.answer(request, this.#conversation.revision ?? NEWEST, this, incoming),
        hear: (notification) => this.#notified(notification),
        closed: (reason) => this.#closed(reason),
        failed: (error) => host.failed(error, this),
      },
      limits,
    );
  }

  /** Called by the client: opens the conversation and agrees on a revision. */
  async open(beginning: Beginning, options: CallOptions = {}): Promise<void> {
    this.#conversation.start();
    this.#state = 'initializing';
    const ask = (method: string, params: Params, limits: CallOptions) => this.#ask(method, params, limits);
    const { revision, server } = await agree(ask, this.#host.facts, beginning, options);
    this.#conversation.revision = revision;
    this.#server = server;
    if (revision.stateless) this.#stateless = this.#statelessSide(revision, server);
    else this.#conversation.notify('notifications/initialized');
    if (this.#endedBy === undefined) this.#state = 'ready';
  }

  /** Called by the client: who hears what may have changed. */
  refresh(): void {
    this.#stateless?.refresh();
  }

  /** Whether the server remembers this session, or takes each request by itself. */
  get era(): Era {
    return this.#stateless === undefined ? 'session' : 'stateless';
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

  /** Settles with the reason when the session has ended. */
  get closed(): Promise<Error> {
    return new Promise((resolve) => {
      const settle = () => resolve(this.#endedBy ?? new ConnectionClosed('Closed'));
      if (this.#endedBy !== undefined) settle();
      else this.#onClosed.push(settle);
    });
  }

  /** Asks the server. */
  request<P extends object | undefined, R>(
    request: RequestDefinition<P, R>,
    params: P,
    options?: CallOptions,
  ): Promise<R>;
  request(method: string, params?: Params, options?: CallOptions): Promise<unknown>;
  request(request: RequestDefinition | string, params?: unknown, options?: CallOptions): Promise<unknown> {
    return this.#ask(methodOf(request), params as Params | undefined, options);
  }

  /** Tells the server. */
  notify<P extends object | undefined>(notification: NotificationDefinition<P>, params: P): void;
  notify(method: string, params?: Params): void;
  notify(notification: NotificationDefinition | string, params?: unknown): void {
    const way = this.#stateless ?? this.#conversation;
    way.notify(methodOf(notification), params as Params | undefined);
  }

  /** Hears a notification of this server; `client.onNotification` hears those of all. */
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
    const registration = this.#ownHandlers.add(notification, handler as Handler<ClientSession>);
    this.refresh();
    return {
      remove: () => {
        registration.remove();
        this.refresh();
      },
    };
  }

  async ping(options?: CallOptions): Promise<void> {
    await this.#ask(this.era === 'stateless' ? 'server/discover' : 'ping', undefined, options);
  }

  async health(options?: CallOptions): Promise<HealthResult> {
    return (await this.#ask('health', undefined, options)) as HealthResult;
  }

  /** Every tool, however many pages they fill. */
  async listTools(options?: CallOptions): Promise<Tool[]> {
    const listed = await this.#collect<Tool>('tools/list', 'tools', options);
    const tools = this.#stateless?.learnTools(listed) ?? listed;
    this.#promises.learn(tools);
    return tools;
  }

  /** Calls a tool. A tool that failed answers with `isError`; structured content is checked if the tool was listed. */
  callTool(
    name: string,
    args: { readonly [name: string]: unknown } = {},
    options?: CallOptions,
  ): Promise<CallToolResult> {
    const params = { name, arguments: args };
    const answer = this.#stateless?.callTool(params, this.#limits(options)) ?? this.#ask('tools/call', params, options);
    const result = answer as Promise<CallToolResult>;
    return this.#promises.isEmpty ? result : result.then((given) => this.#promises.check(name, given));
  }

  listResources(options?: CallOptions): Promise<Resource[]> {
    return this.#collect('resources/list', 'resources', options);
  }

  listResourceTemplates(options?: CallOptions): Promise<ResourceTemplate[]> {
    return this.#collect('resources/templates/list', 'resourceTemplates', options);
  }

  async readResource(uri: string, options?: CallOptions): Promise<ResourceContents[]> {
    return ((await this.#ask('resources/read', { uri }, options)) as { contents: ResourceContents[] }).contents;
  }

  async subscribe(uri: string, options?: CallOptions): Promise<void> {
    if (this.#stateless !== undefined) await this.#stateless.subscribe(uri, this.#limits(options));
    else await this.#ask('resources/subscribe', { uri }, options);
  }

  async unsubscribe(uri: string, options?: CallOptions): Promise<void> {
    if (this.#stateless !== undefined) await this.#stateless.unsubscribe(uri, this.#limits(options));
    else await this.#ask('resources/unsubscribe', { uri }, options);
  }

  listPrompts(options?: CallOptions): Promise<Prompt[]> {
    return this.#collect('prompts/list', 'prompts', options);
  }

  async getPrompt(
    name: string,
    args: { readonly [name: string]: string } = {},
    options?: CallOptions,
  ): Promise<GetPromptResult> {
    return (await this.#ask('prompts/get', { name, arguments: args }, options)) as GetPromptResult;
  }

  async complete(params: CompleteParams, options?: CallOptions): Promise<CompleteResult['completion']> {
    const { shape } = this.#conversation.revision ?? NEWEST;
    return ((await this.#ask('completion/complete', { ...shape.completion(params) }, options)) as CompleteResult)
      .completion;
  }

  /** The least severe log message to receive from now on. A stateless server sends them during calls only. */
  async setLogLevel(level: LogLevel, options?: CallOptions): Promise<void> {
    if (this.#stateless !== undefined) this.#stateless.setLogLevel(level);
    else await this.#ask('logging/setLevel', { level }, options);
  }

  /** Settles when there is room towards the server. */
  drained(): Promise<void> {
    return this.#conversation.drained();
  }

  close(reason?: string): Promise<void> {
    return this.#conversation.close(reason);
  }

  #ask(method: string, params: Params | undefined, options: CallOptions | undefined): Promise<unknown> {
    const limits = this.#limits(options);
    return this.#stateless?.request(method, params, limits) ?? this.#conversation.request(method, params, limits);
  }

  #limits(options: CallOptions | undefined): CallOptions {
    const { defaults } = this.#host.facts;
    return options === undefined ? defaults : { ...defaults, ...options };
  }

  #statelessSide(revision: Revision, { capabilities }: ServerFacts): StatelessSide {
    const host = this.#host;
    return new StatelessSide(this.#conversation, {
      facts: host.facts,
      revision,
      serverCapabilities: capabilities,
      hears: (method) => this.#ownHandlers.has(method) || host.hears(method),
      answerInput: (request, key, signal) => host.answerInput(request, key, this, signal),
      listTools: (options) => this.listTools(options),
      tell: (notification) => this.#tell(notification),
      failed: (error) => host.failed(error, this),
    });
  }

  async #collect<T>(method: string, member: string, options: CallOptions | undefined): Promise<T[]> {
    const items: T[] = [];
    const seen = new Set<unknown>();
    for (let cursor: unknown; ; ) {
      const page = (await this.#ask(method, cursor === undefined ? {} : { cursor }, options)) as {
        [member: string]: unknown;
      };
      const list = page?.[member];
      if (!Array.isArray(list)) throw new Error(`The server's answer to ${method} holds no ${member}`);
      items.push(...(list as T[]));
      cursor = page.nextCursor ?? undefined;
      if (cursor === undefined) return items;
      if (seen.has(cursor)) throw new Error(`The server repeats the cursor ${JSON.stringify(cursor)} of ${method}`);
      seen.add(cursor);
    }
  }

  #notified(notification: Notification): void {
    if (!this.#stateless?.hear(notification)) this.#tell(notification);
  }

  #tell(notification: Notification): void {
    this.#ownHandlers.dispatch(notification, this, (error) => this.#host.failed(error, this));
    this.#host.notified(notification, this);
  }

  #closed(reason: Error): void {
    this.#endedBy = reason;
    this.#state = 'closed';
    this.#stateless?.close(reason);
    this.#host.closed(this);
    for (const settle of this.#onClosed.splice(0)) settle();
  }
}
