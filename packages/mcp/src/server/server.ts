import type { Connection } from '../jsonrpc/connection.ts';
import type { Params } from '../jsonrpc/message.ts';
import { DEFAULT_LIMITS, type PeerLimits } from '../jsonrpc/peer.ts';
import { methodOf, type NotificationDefinition, type RequestDefinition } from '../protocol/definition.ts';
import { checking, type Handler, NotificationHandlers, type Registration } from '../protocol/handlers.ts';
import type { Revision } from '../protocol/revision.ts';
import { ALL_VERSIONS, NEWEST_STATELESS } from '../protocol/revisions/all.ts';
import type { JsonSchema, StandardSchemaV1 } from '../protocol/schema/validate.ts';
import type { SessionPersistence } from '../protocol/session-snapshot.ts';
import { type DiscoverResult, TASKS_EXTENSION } from '../protocol/stateless.ts';
import type {
  Implementation,
  Resource,
  ServerCapabilities,
  SessionState,
  StandardNotifications,
} from '../protocol/types.ts';
import type { RequestContext, RequestHandler } from './context.ts';
import { completionMethods } from './features/completion.ts';
import type { Paging } from './features/listing.ts';
import { loggingMethods } from './features/logging.ts';
import { type PromptDefinition, type PromptHandler, Prompts } from './features/prompts.ts';
import { type ResourceReader, Resources, type TemplateDefinition, type TemplateReader } from './features/resources.ts';
import { type ToolDefinition, type ToolHandler, Tools } from './features/tools.ts';
import type { Negotiation } from './handshake.ts';
import { ServerSession, type SessionHost } from './session.ts';
import { type Caching, StatelessResults } from './stateless/results.ts';
import { StateSigner } from './stateless/state-signer.ts';
import { type ListName, Subscriptions } from './stateless/subscriptions.ts';
import { type TaskPersistence, Tasks } from './tasks/tasks.ts';

export interface ServerOptions {
  /** How to use this server, for the client's model. */
  readonly instructions?: string;
  /** Capabilities to declare in place of those that follow from what is registered, key by key. */
  readonly capabilities?: ServerCapabilities;
  /** Default `lenient`. */
  readonly negotiation?: Negotiation;
  /** Answer everything from `initialize` on, without waiting for `notifications/initialized`. Default false. */
  readonly admitBeforeInitialized?: boolean;
  /** How many entries one page of a list holds. Default 1000. */
  readonly pageSize?: number;
  readonly limits?: PeerLimits;
  /** Offers tasks, the extension of 2026-07-28, to clients that know them: see `context.task`. */
  readonly tasks?: TaskPersistence;
  /** How long, and for whom, clients of 2026-07-28 may keep lists and resources. Default: not at all. */
  readonly caching?: Caching;
  /** Shared by servers that answer the rounds of one request in turn. Default: a secret of this process. */
  readonly stateSecret?: string | Uint8Array;
  /** Each session as it enters a state, `waiting` first. */
  readonly onState?: (session: ServerSession, state: SessionState) => void;
  /** Failures that no answer can report. Default: one line on stderr. */
  readonly onError?: (error: Error, session: ServerSession) => void;
}

/** An MCP server: what it offers, and the sessions of the clients it offers it to. */
export class Server {
  readonly #options: ServerOptions;
  readonly #limits: Required<PeerLimits>;
  readonly #host: SessionHost;
  readonly #sessions = new Set<ServerSession>();
  readonly #tools: Tools;
  readonly #resources: Resources;
  readonly #prompts: Prompts;
  readonly #customRequests = new Map<string, RequestHandler>();
  readonly #notifications = new NotificationHandlers<ServerSession>();
  /** Method tables by revision, made when first needed and dropped when something is registered. */
  readonly #tables = new Map<Revision, ReadonlyMap<string, RequestHandler>>();
  readonly #changedLists = new Set<ListName>();
  readonly #subscriptions: Subscriptions;
  readonly #tasks: Tasks;

  constructor(info: Implementation, options: ServerOptions = {}) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { pageSize = 1000, onError = reportOnStderr, onState } = options;
    this.#tasks = new Tasks(options.tasks, onError);
    this.#subscriptions = new Subscriptions(() => this.capabilities(), this.#tasks);
    const results = new StatelessResults(info, options.caching);
    this.#host = {
      info,
      instructions: options.instructions,
      negotiation: options.negotiation ?? 'lenient',
      admitBeforeInitialized: options.admitBeforeInitialized ?? false,
      capabilities: (revision) => this.capabilities(revision),
      handler: (method, revision) => this.#table(revision).get(method),
      notified: (notification, session) =>
        this.#notifications.dispatch(notification, session, (error) => onError(error, session)),
      // A subscription would wait for ever for the client to end it.
      ended: (session) => this.#subscriptions.close(session),
      stateChanged: (session, state) => {
        if (state === 'closed') this.#sessions.delete(session);
        onState?.(session, state);
      },
      failed: onError,
      complete: (result, method) => results.complete(result, method),
      seal: new StateSigner(options.stateSecret),
      startTask: this.#tasks.start,
    };
    const paging: Paging = {
      pageSize,
      complete: (result, revision) => (revision.stateless ? results.page(result) : result),
    };
    this.#tools = new Tools(paging, () => this.#listChanged('tools'));
    this.#resources = new Resources(paging, () => this.#listChanged('resources'));
    this.#prompts = new Prompts(paging, () => this.#listChanged('prompts'));
  }

  /** The sessions that have not ended. */
  get sessions(): ReadonlySet<ServerSession> {
    return this.#sessions;
  }

  /** Offers a tool. Its arguments are checked before the handler runs; the handler may take as long as it needs. */
  tool<S extends StandardSchemaV1>(
    definition: ToolDefinition<S> & { readonly inputSchema: S },
    handler: ToolHandler<StandardSchemaV1.InferOutput<S>>,
  ): Registration;
  tool<Arguments = { [name: string]: unknown }>(
    definition: ToolDefinition<JsonSchema>,
    handler: ToolHandler<Arguments>,
  ): Registration;
  tool(definition: ToolDefinition, handler: ToolHandler<never>): Registration {
    return this.#tools.add(definition, handler);
  }

  resource(resource: Resource, read: ResourceReader): Registration {
    return this.#resources.add(resource, read);
  }

  resourceTemplate(definition: TemplateDefinition, read: TemplateReader): Registration {
    return this.#resources.addTemplate(definition, read);
  }

  prompt(definition: PromptDefinition, handler: PromptHandler): Registration {
    return this.#prompts.add(definition, handler);
  }

  /** Answers a request of one's own. */
  onRequest<P, R>(
    request: RequestDefinition<P, R>,
    handler: (params: P, context: RequestContext) => R | Promise<R>,
  ): Registration;
  onRequest(method: string, handler: RequestHandler): Registration;
  onRequest(
    request: RequestDefinition | string,
    handler: (params: never, context: RequestContext) => unknown,
  ): Registration {
    const method = methodOf(request);
    if (this.#customRequests.has(method)) throw new Error(`There is already a handler for ${method}`);
    // The definition's schema, if it has one, has vouched for the parameters by the time the handler is called.
    this.#customRequests.set(method, checking(request, handler as RequestHandler));
    this.#tables.clear();
    return {
      remove: () => {
        this.#customRequests.delete(method);
        this.#tables.clear();
      },
    };
  }

  /** Hears a notification, of the specification or of one's own. */
  onNotification<P>(
    notification: NotificationDefinition<P>,
    handler: (params: P, session: ServerSession) => unknown,
  ): Registration;
  onNotification<M extends keyof StandardNotifications>(
    method: M,
    handler: (params: StandardNotifications[M], session: ServerSession) => unknown,
  ): Registration;
  onNotification(method: string, handler: Handler<ServerSession>): Registration;
  onNotification(
    notification: NotificationDefinition | string,
    handler: (params: never, session: ServerSession) => unknown,
  ): Registration {
    return this.#notifications.add(notification, handler as Handler<ServerSession>);
  }

  /** Sends a notification to every session that is ready. */
  notifyAll<P extends object | undefined>(notification: NotificationDefinition<P>, params: P): void;
  notifyAll<M extends keyof StandardNotifications>(method: M, params?: StandardNotifications[M]): void;
  notifyAll(method: string, params?: Params): void;
  notifyAll(notification: NotificationDefinition | string, params?: unknown): void {
    const method = methodOf(notification);
    for (const session of this.#sessions) {
      if (session.state === 'ready') session.notify(method, params as Params | undefined);
    }
  }

  /** Tells the clients that subscribed to it that a resource has changed. */
  resourceUpdated(uri: string): void {
    this.#subscriptions.resourceUpdated(uri);
    for (const session of this.#sessions) {
      if (session.state === 'ready' && session.isSubscribed(uri)) {
        session.notify('notifications/resources/updated', { uri });
      }
    }
  }

  /** Begins to serve whoever is at the other end of the connection. */
  connect(connection: Connection, persistence: SessionPersistence = {}): ServerSession {
    const session = new ServerSession(this.#host, connection, this.#limits, persistence);
    this.#sessions.add(session);
    this.#options.onState?.(session, session.state);
    session.start();
    return session;
  }

  /** What the server declares to be able to do, in an edition of the protocol. */
  capabilities(revision: Revision = NEWEST_STATELESS): ServerCapabilities {
    const derived: ServerCapabilities = {};
    if (this.#tools.used) derived.tools = { listChanged: true };
    if (this.#resources.used) derived.resources = { subscribe: true, listChanged: true };
    if (this.#prompts.used) derived.prompts = { listChanged: true };
    if (this.#prompts.completes || this.#resources.completes) derived.completions = {};
    if (this.#options.tasks !== undefined && revision.stateless) derived.extensions = { [TASKS_EXTENSION]: {} };
    return { ...derived, ...this.#options.capabilities };
  }

  /** Ends every session. */
  async close(reason = 'The server is closing'): Promise<void> {
    this.#tasks.close();
    this.#subscriptions.close();
    // The results of the subscriptions leave with the microtasks of this turn.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([...this.#sessions].map((session) => session.close(reason)));
  }

  #table(revision: Revision): ReadonlyMap<string, RequestHandler> {
    let table = this.#tables.get(revision);
    if (table === undefined) {
      table = this.#makeTable(revision);
      this.#tables.set(revision, table);
    }
    return table;
  }

  #makeTable(revision: Revision): ReadonlyMap<string, RequestHandler> {
    const { tools, resources, prompts, completions, logging } = this.capabilities();
    const standard: [string, RequestHandler][] = [['ping', () => ({})]];
    if (tools) standard.push(...this.#tools.methods());
    if (resources) standard.push(...this.#resources.methods());
    if (prompts) standard.push(...this.#prompts.methods());
    if (completions) standard.push(...completionMethods(this.#prompts, this.#resources));
    if (logging) standard.push(...loggingMethods);
    if (this.#options.tasks !== undefined) standard.push(...this.#tasks.methods());
    standard.push(...this.#subscriptions.methods(), ['server/discover', () => this.#discover()]);
    const known = standard.filter(([method]) => revision.requests.has(method));
    return new Map([...known, ...this.#customRequests]);
  }

  #discover(): DiscoverResult {
    const { instructions } = this.#options;
    const found = { supportedVersions: ALL_VERSIONS, capabilities: this.capabilities() };
    return instructions === undefined ? found : { ...found, instructions };
  }

  #listChanged(list: ListName): void {
    this.#tables.clear();
    if (this.#changedLists.size === 0) queueMicrotask(() => this.#announceChanges());
    this.#changedLists.add(list);
  }

  /** Once for all changes made in one go. */
  #announceChanges(): void {
    const capabilities = this.capabilities();
    for (const list of this.#changedLists) {
      if (!capabilities[list]?.listChanged) continue;
      for (const session of this.#sessions) {
        // Others hear of it if they have subscribed.
        const isInSession = session.state === 'ready' && session.protocolVersion !== undefined;
        if (isInSession) session.notify(`notifications/${list}/list_changed`);
      }
      this.#subscriptions.listChanged(list);
    }
    this.#changedLists.clear();
  }
}

function reportOnStderr(error: Error): void {
  console.error(`mcp: ${error.message}`);
}
