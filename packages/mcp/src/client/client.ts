import type { Connection } from '../jsonrpc/connection.ts';
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import type { IncomingRequest } from '../jsonrpc/incoming-request.ts';
import type { Request, RequestId } from '../jsonrpc/message.ts';
import { DEFAULT_LIMITS, type PeerLimits } from '../jsonrpc/peer.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import { methodOf, type NotificationDefinition, type RequestDefinition } from '../protocol/definition.ts';
import { checking, type Handler, NotificationHandlers, type Registration } from '../protocol/handlers.ts';
import type { Revision } from '../protocol/revision.ts';
import { NEWEST } from '../protocol/revisions/all.ts';
import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  ElicitParams,
  ElicitResult,
  Implementation,
  Root,
  StandardNotifications,
} from '../protocol/types.ts';
import { ClientSession, type SessionHost } from './session.ts';

export interface ClientOptions {
  /** Capabilities to declare besides those that follow from the handlers below. */
  readonly capabilities?: ClientCapabilities;
  /** The revision to ask for. Default: the newest. */
  readonly protocolVersion?: string;
  /** Milliseconds without an answer or progress, for calls that do not say otherwise. Default 60 000; 0 is for ever. */
  readonly timeout?: number;
  readonly limits?: PeerLimits;
  /** Has a model write a message for a server. */
  readonly createMessage?: (
    params: CreateMessageParams,
    context: ClientContext,
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /** Asks the person for a server. */
  readonly elicit?: (params: ElicitParams, context: ClientContext) => ElicitResult | Promise<ElicitResult>;
  /** The folders servers may work in. */
  readonly roots?: () => readonly Root[] | Promise<readonly Root[]>;
  /** Failures that no answer can report. Default: one line on stderr. */
  readonly onError?: (error: Error, session: ClientSession) => void;
}

/** What a handler knows of the server's request it is answering. */
export interface ClientContext {
  readonly session: ClientSession;
  readonly requestId: RequestId;
  /** Aborts when the server cancels the request or goes away. */
  readonly signal: AbortSignal;
}

/** An MCP client: who it is and what it offers to servers; each server it connects to gets a session. */
export class Client {
  readonly #options: ClientOptions;
  readonly #limits: Required<PeerLimits>;
  readonly #host: SessionHost;
  readonly #sessions = new Set<ClientSession>();
  readonly #requests = new Map<string, Handler<ClientContext>>();
  readonly #notifications = new NotificationHandlers<ClientSession>();

  constructor(info: Implementation, options: ClientOptions = {}) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    const { timeout = 60_000, onError = reportOnStderr, protocolVersion = NEWEST.version } = options;
    this.#host = {
      info,
      protocolVersion,
      defaults: timeout === 0 ? {} : { timeout },
      capabilities: () => this.#capabilities(),
      answer: (request, revision, session, incoming) => this.#answer(request, revision, session, incoming),
      notified: (notification, session) =>
        this.#notifications.dispatch(notification, session, (error) => onError(error, session)),
      closed: (session) => this.#sessions.delete(session),
      failed: onError,
    };
  }

  /** The sessions that have not ended. */
  get sessions(): ReadonlySet<ClientSession> {
    return this.#sessions;
  }

  /** Agrees on a revision with the server at the other end. When that fails the connection is closed. */
  async connect(connection: Connection, options?: CallOptions): Promise<ClientSession> {
    const session = new ClientSession(this.#host, connection, this.#limits);
    this.#sessions.add(session);
    try {
      await session.initialize(options);
      return session;
    } catch (error) {
      await session.close('The handshake failed');
      throw error;
    }
  }

  /** Answers a server's request of one's own. */
  onRequest<P, R>(
    request: RequestDefinition<P, R>,
    handler: (params: P, context: ClientContext) => R | Promise<R>,
  ): Registration;
  onRequest(method: string, handler: Handler<ClientContext>): Registration;
  onRequest(
    request: RequestDefinition | string,
    handler: (params: never, context: ClientContext) => unknown,
  ): Registration {
    const method = methodOf(request);
    if (this.#requests.has(method)) throw new Error(`There is already a handler for ${method}`);
    this.#requests.set(method, checking(request, handler as Handler<ClientContext>));
    return { remove: () => this.#requests.delete(method) };
  }

  /** Hears a notification of any server. */
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
    return this.#notifications.add(notification, handler as Handler<ClientSession>);
  }

  /** Tells every server that the roots have changed. */
  rootsChanged(): void {
    for (const session of this.#sessions) {
      if (session.state === 'ready') session.notify('notifications/roots/list_changed');
    }
  }

  async close(reason = 'The client is closing'): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close(reason)));
  }

  #capabilities(): ClientCapabilities {
    const { createMessage, elicit, roots, capabilities } = this.#options;
    return {
      ...(createMessage && { sampling: {} }),
      ...(elicit && { elicitation: {} }),
      ...(roots && { roots: { listChanged: true } }),
      ...capabilities,
    };
  }

  #answer(request: Request, revision: Revision, session: ClientSession, incoming: IncomingRequest): unknown {
    const { method, params } = request;
    const context: ClientContext = {
      session,
      requestId: request.id,
      get signal() {
        return incoming.signal;
      },
    };
    const custom = this.#requests.get(method);
    if (custom !== undefined) return custom(params, context);
    const { createMessage, elicit, roots } = this.#options;
    if (method === 'ping') return {};
    if (revision.requests.has(method)) {
      // The server is taken at its word about the shape of its questions; the handler's answer goes back as it is.
      if (method === 'sampling/createMessage' && createMessage) return createMessage(params as never, context);
      if (method === 'elicitation/create' && elicit) return elicit(params as never, context);
      if (method === 'roots/list' && roots) return Promise.resolve(roots()).then((list) => ({ roots: list }));
    }
    throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
  }
}

function reportOnStderr(error: Error): void {
  console.error(`mcp: ${error.message}`);
}
