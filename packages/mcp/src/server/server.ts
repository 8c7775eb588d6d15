import { describeValue, requireConnection, requireInfo } from '../jsonrpc/argument-checks.ts';
import type { Connection } from '../jsonrpc/connection.ts';
import { InFlight } from '../jsonrpc/in-flight.ts';
import { DEFAULT_LIMITS, type PeerLimits, withDefaults } from '../jsonrpc/limits.ts';
import type { Notification, Params, Request } from '../jsonrpc/message.ts';
import { methodOf, type NotificationDefinition, type RequestDefinition } from '../protocol/definition.ts';
import { checking, type Handler, NotificationHandlers, type Registration } from '../protocol/handlers.ts';
import type { InputOf, OutputOf, Schema } from '../protocol/infer-schema.ts';
import type { Origin } from '../protocol/origin.ts';
import type { Revision } from '../protocol/revision.ts';
import type { JsonSchema } from '../protocol/schema/validate.ts';
import type { SessionPersistence } from '../protocol/session-snapshot.ts';
import type { Abortable, ServedRequests, StatelessResponse } from '../protocol/stateless-response.ts';
import type { Implementation, LogLevel, ServerCapabilities, StandardNotifications } from '../protocol/types.ts';
import { Changes } from './changes.ts';
import type { NotificationHandler, RequestContext, RequestHandler } from './context.ts';
import { ErrorReports } from './error-report.ts';
import type { ListName } from './event-bus.ts';
import type { Paging } from './features/listing.ts';
import { logMessage } from './features/logging.ts';
import {
  type PromptArgumentDefinition,
  type PromptArguments,
  type PromptDefinition,
  type PromptHandler,
  type PromptRegistration,
  type PromptSchemaDefinition,
  Prompts,
} from './features/prompts.ts';
import { checkMethod, checkRequestMethod } from './features/registration-checks.ts';
import {
  type ResourceDefinition,
  type ResourceReader,
  type ResourceRegistration,
  Resources,
  type TemplateDefinition,
  type TemplateReader,
  type TemplateRegistration,
  type TemplateVariables,
} from './features/resources.ts';
import {
  type StatedHandler,
  type StructuredOutcome,
  type ToolDefinition,
  type ToolHandler,
  type ToolOutcome,
  type ToolRegistration,
  Tools,
} from './features/tools.ts';
import { Methods } from './methods.ts';
import { type Middleware, MiddlewareChain } from './middleware.ts';
import { Observation } from './observation.ts';
import type { ServerHost } from './server-host.ts';
import { checkServerOptions, limitsOf, type ServerOptions, secretOf } from './server-options.ts';
import { ServerSession } from './session.ts';
import { StateSigner } from './stateless/state-signer.ts';
import { StatelessRequests, StatelessResults } from './stateless/stateless-requests.ts';
import { Subscriptions } from './stateless/subscriptions.ts';
import { Subscribers } from './subscribers.ts';
import type { RestartableWork } from './tasks/restartable-work.ts';
import type { TaskWork } from './tasks/task.ts';
import { Tasks } from './tasks/tasks.ts';

/** What a server is working on now. */
export interface ServerStats {
  readonly sessions: number;
  /** Requests of stateless clients over HTTP that are being processed. */
  readonly statelessRequests: number;
  /** Open `subscriptions/listen` streams. */
  readonly subscriptions: number;
  /** Unfinished tasks that this process runs. */
  readonly tasks: number;
}

/** An MCP server: its tools, resources and prompts, and the sessions of its clients. */
export class Server implements ServedRequests {
  readonly #host: ServerHost;
  readonly #limits: Required<PeerLimits>;
  readonly #statelessRequests: StatelessRequests;
  readonly #tools: Tools;
  readonly #resources: Resources;
  readonly #prompts: Prompts;
  readonly #changes: Changes;
  readonly #observation: Observation | undefined;

  constructor(info: Implementation, options: ServerOptions = {}) {
    requireInfo('Server', info);
    checkServerOptions(options);
    const limits = limitsOf(options.limits);
    this.#limits = withDefaults(limits, DEFAULT_LIMITS);
    // Every transport that gives a message an origin gives it this one.
    const inFlight = new InFlight(limits, (origin) => (origin as Origin | undefined)?.client);
    const { pageSize = 1000 } = options;
    const errors = new ErrorReports(options.onError, options.maskErrors);
    const { report } = errors;
    this.#observation = options.observe && new Observation(options.observe, report);
    const tasks = new Tasks(options.tasks, report, inFlight, (outcome, tool) => this.#tools.resultOf(outcome, tool));
    const subscribers = new Subscribers(options.onSubscribers, report);
    const results = new StatelessResults(info, options.caching);
    const paging: Paging = {
      pageSize,
      complete: (result, revision) => (revision.stateless ? results.page(result) : result),
    };
    this.#tools = new Tools(paging, () => this.#registered('tools'));
    this.#resources = new Resources(paging, limits, () => this.#registered('resources'));
    this.#prompts = new Prompts(paging, () => this.#registered('prompts'));
    const subscriptions = new Subscriptions(() => this.capabilities(), tasks, this.#resources, subscribers);
    const features = { tools: this.#tools, resources: this.#resources, prompts: this.#prompts, tasks, subscriptions };
    this.#host = {
      info,
      options,
      sessions: new Set(),
      methods: new Methods(options, features),
      notifications: new NotificationHandlers(),
      middleware: new MiddlewareChain(report),
      results,
      errors,
      subscribers,
      subscriptions,
      tasks,
      inFlight,
      signer: new StateSigner(secretOf(options)),
    };
    this.#changes = new Changes(this.#host, options.bus);
    this.#statelessRequests = new StatelessRequests(this.#host, this.#limits.maxInFlight);
  }

  /** The sessions that have not ended. */
  get sessions(): ReadonlySet<ServerSession> {
    return this.#host.sessions;
  }

  /**
   * Adds a tool. Its arguments are checked against `inputSchema` before the handler runs, and have its type; with an
   * `outputSchema`, so has the `structuredContent` that it returns. The handler may take as long as it needs.
   */
  tool<const Name extends string, const Input extends Schema = JsonSchema>(
    definition: ToolDefinition<Input> & { readonly name: Name; readonly outputSchema?: undefined },
    handler: ToolHandler<OutputOf<Input>>,
  ): ToolRegistration;
  tool<Arguments>(
    definition: ToolDefinition<JsonSchema> & { readonly outputSchema?: undefined },
    handler: ToolHandler<Arguments>,
  ): ToolRegistration;
  tool<const Name extends string, const Output extends Schema, const Input extends Schema = JsonSchema>(
    definition: ToolDefinition<Input> & { readonly name: Name; readonly outputSchema: Output },
    handler: ToolHandler<OutputOf<Input>, StructuredOutcome<InputOf<Output>>>,
  ): ToolRegistration;
  tool<Arguments, const Name extends string = string>(
    definition: ToolDefinition<JsonSchema> & { readonly name: Name },
    handler: StatedHandler<Arguments, Name>,
  ): ToolRegistration;
  tool(definition: ToolDefinition, handler: ToolHandler<never>): ToolRegistration {
    return this.#tools.list.add(definition, handler);
  }

  /** Adds a resource with a fixed URI. */
  resource(resource: ResourceDefinition, read: ResourceReader): ResourceRegistration {
    return this.#resources.fixed.add(resource, read);
  }

  /** Adds the resources whose URIs match an RFC 6570 template. The reader gets the template's variables. */
  resourceTemplate<const Template extends string>(
    definition: TemplateDefinition<Template>,
    read: TemplateReader<TemplateVariables<Template>>,
  ): TemplateRegistration {
    // Completers are looked up by name, so their type need not know the names.
    return this.#resources.templates.add(definition as TemplateDefinition, read);
  }

  /** Adds a prompt. The handler gets its arguments by name, or what `argsSchema` makes of them. */
  prompt<const Args extends Schema>(
    definition: PromptSchemaDefinition<Args>,
    handler: PromptHandler<OutputOf<Args>>,
  ): PromptRegistration;
  prompt<const Arguments extends readonly PromptArgumentDefinition[]>(
    definition: PromptDefinition<Arguments>,
    handler: PromptHandler<PromptArguments<Arguments>>,
  ): PromptRegistration;
  prompt(definition: PromptDefinition | PromptSchemaDefinition, handler: PromptHandler<never>): PromptRegistration {
    return this.#prompts.list.add(definition, handler);
  }

  /**
   * Defines work that another process may restart when the process that runs it dies. Returns a function that turns an
   * input into work for `context.task`. The input must be plain JSON, and the work may depend on nothing else. Register
   * it in every process.
   */
  restartableTask<Input, Outcome extends ToolOutcome = ToolOutcome>(
    name: string,
    work: RestartableWork<Input, Outcome>,
  ): (input: Input) => TaskWork<Outcome> {
    return this.#host.tasks.restartable(name, work);
  }

  /**
   * Runs a function around every request, of sessions and stateless ones, for example to log, to measure or to limit
   * rates. It returns what `next()` returns, a changed result or a response of its own; it may throw an RpcError.
   */
  use(middleware: Middleware): Registration {
    return this.#host.middleware.add(middleware);
  }

  /** Responds to a custom request. */
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
    checkMethod(method);
    checkRequestMethod(method);
    if (typeof handler !== 'function')
      throw new TypeError(`server.onRequest: the handler of ${method} is not a function`);
    // The params have passed the definition's schema, if it has one, when the handler is called.
    return this.#host.methods.add(method, checking(request, handler as RequestHandler));
  }

  /** Handles a notification, of the specification or a custom one. */
  onNotification<P>(notification: NotificationDefinition<P>, handler: NotificationHandler<P>): Registration;
  onNotification<M extends keyof StandardNotifications>(
    method: M,
    handler: NotificationHandler<StandardNotifications[M]>,
  ): Registration;
  onNotification(method: string, handler: NotificationHandler<Params | undefined>): Registration;
  onNotification(notification: NotificationDefinition | string, handler: NotificationHandler<never>): Registration {
    checkMethod(methodOf(notification));
    return this.#host.notifications.add(notification, handler as Handler<ServerSession | undefined>);
  }

  /** Takes a notification of a stateless client; the HTTP transport calls this. */
  notified(notification: Notification, origin: Origin): void {
    const failed = (error: Error) => this.#host.errors.report(error, `notification ${notification.method}`);
    this.#host.notifications.dispatch(notification, undefined, failed, origin);
  }

  /** Sends a notification to every session that is ready. */
  notifyAll<P extends object | undefined>(notification: NotificationDefinition<P>, params: P): void;
  notifyAll<M extends keyof StandardNotifications>(method: M, params?: StandardNotifications[M]): void;
  notifyAll(method: string, params?: Params): void;
  notifyAll(notification: NotificationDefinition | string, params?: unknown): void {
    const method = methodOf(notification);
    const given = params as Params | undefined; // typed by the definition
    this.#changes.publish({ kind: 'notification', method, ...(given !== undefined && { params: given }) });
  }

  /** Sends a log message to every client with a session that wants one this severe. */
  log(level: LogLevel, data: unknown, logger?: string): void {
    this.#changes.publish({ kind: 'log', ...logMessage('server.log', this.#host.options, level, data, logger) });
  }

  /** Notifies clients that a list has changed. Only for lists that a handler of `onRequest` makes. */
  listChanged(list: ListName): void {
    this.#changes.listChanged(list);
  }

  /** Notifies the clients that subscribed to a resource that it has changed. */
  resourceUpdated(uri: string): void {
    if (typeof uri !== 'string')
      throw new TypeError(`server.resourceUpdated takes a URI first, got ${describeValue(uri)}`);
    this.#changes.publish({ kind: 'resource', uri });
  }

  /** Starts a session on the connection. */
  connect(connection: Connection, persistence: SessionPersistence = {}): ServerSession {
    requireConnection('server.connect', connection, 'To listen, use serveStdio, serveHttp or serveWebSocket');
    const make = (used: Connection) => new ServerSession(this.#host, used, this.#limits, persistence);
    const session = this.#observation?.session(connection, make) ?? make(connection);
    this.#host.sessions.add(session);
    this.#changes.hasClients = true;
    session.start();
    this.#changes.restored(session, persistence.position);
    return session;
  }

  /** Responds to a stateless request that arrived without a connection; the HTTP transport calls this. */
  respond(request: Request, response: StatelessResponse): Abortable {
    this.#changes.hasClients = true;
    return this.#statelessRequests.start(request, this.#observation?.response(request, response) ?? response);
  }

  /** What this process is working on now, for metrics. */
  stats(): ServerStats {
    return {
      sessions: this.#host.sessions.size,
      statelessRequests: this.#statelessRequests.size,
      subscriptions: this.#host.subscriptions.size,
      tasks: this.#host.tasks.running,
    };
  }

  /** Whether other processes accept the state that clients carry from this one; for transports. */
  get sharesState(): boolean {
    return secretOf(this.#host.options) !== undefined;
  }

  /** The position of the event bus; for transports. */
  get position(): string | undefined {
    return this.#changes.position;
  }

  /** Reports a failure that no response can report to `onError`. */
  reportError(error: Error, what = 'the transport'): void {
    this.#host.errors.report(error, what);
  }

  /** The capabilities that the server declares in a revision of the protocol. */
  capabilities(revision?: Revision): ServerCapabilities {
    return this.#host.methods.capabilities(revision);
  }

  /** Ends every session. */
  async close(reason = 'The server is closing'): Promise<void> {
    this.#changes.close();
    const { tasks, subscriptions, sessions } = this.#host;
    const tasksClosed = tasks.close();
    subscriptions.close();
    // The results of the subscriptions are sent in the microtasks of this turn.
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#statelessRequests.close(reason);
    await Promise.all([tasksClosed, ...[...sessions].map((session) => session.close(reason))]);
  }

  #registered(list: ListName): void {
    this.#host.methods.changed();
    this.#changes.listChanged(list);
  }
}
