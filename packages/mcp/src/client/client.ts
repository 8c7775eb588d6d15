import type { Connection } from '../jsonrpc/connection.ts';
import { ErrorCode, RpcError } from '../jsonrpc/errors.ts';
import type { IncomingRequest } from '../jsonrpc/incoming-request.ts';
import type { Params, Request, RequestId } from '../jsonrpc/message.ts';
import { DEFAULT_LIMITS, type PeerLimits } from '../jsonrpc/peer.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import { methodOf, type NotificationDefinition, type RequestDefinition } from '../protocol/definition.ts';
import { checking, type Handler, NotificationHandlers, type Registration } from '../protocol/handlers.ts';
import type { Revision } from '../protocol/revision.ts';
import { findStatelessRevision, NEWEST, NEWEST_STATELESS } from '../protocol/revisions/all.ts';
import type { InputRequest } from '../protocol/stateless.ts';
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
import { withDefaults } from './elicitation-defaults.ts';
import type { Era } from './era.ts';
import { ClientSession, type SessionHost } from './session.ts';

export interface ClientOptions {
  /** Capabilities to declare besides those that follow from the handlers below. */
  readonly capabilities?: ClientCapabilities;
  /** The revision to ask for. Default: the newest that the server knows. */
  readonly protocolVersion?: string;
  /**
   * How to agree on a revision: with `initialize`, with `server/discover`, or by finding out which of them the server
   * knows, which takes one question more. Default `auto`, unless `protocolVersion` decides it.
   */
  readonly era?: Era | 'auto';
  /** Milliseconds a server has to answer `server/discover` before it is taken for one that never will. Default 3000. */
  readonly probeTimeout?: number;
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

export interface ConnectOptions extends CallOptions {
  /** A name for the server: its era is remembered under it, and not looked for again with the next connection. */
  readonly server?: string;
}

/** What a handler knows of the server's request it is answering. */
export interface ClientContext {
  readonly session: ClientSession;
  /** In the stateless era, what the server calls the question. */
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
  readonly #eras = new Map<string, Era>();

  constructor(info: Implementation, options: ClientOptions = {}) {
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    const {
      timeout = 60_000,
      onError = reportOnStderr,
      protocolVersion = NEWEST.version,
      probeTimeout = 3000,
    } = options;
    this.#host = {
      facts: {
        info,
        protocolVersion,
        probeTimeout,
        defaults: timeout === 0 ? {} : { timeout },
        capabilities: () => this.#capabilities(),
      },
      answer: (request, revision, session, incoming) => this.#answer(request, revision, session, incoming),
      answerInput: (request, key, session, signal) => this.#answerInput(request, { session, requestId: key, signal }),
      hears: (method) => this.#notifications.has(method),
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
  async connect(connection: Connection, options: ConnectOptions = {}): Promise<ClientSession> {
    const { server, ...limits } = options;
    const session = new ClientSession(this.#host, connection, this.#limits);
    this.#sessions.add(session);
    try {
      const remembered = server === undefined ? undefined : this.#eras.get(server);
      await session.open({ era: this.#era(), remembered }, limits);
      if (server !== undefined) this.#eras.set(server, session.era);
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
    const registration = this.#notifications.add(notification, handler as Handler<ClientSession>);
    this.#refresh();
    return {
      remove: () => {
        registration.remove();
        this.#refresh();
      },
    };
  }

  /** Tells every server that the roots have changed; those of the stateless era ask when they need to know. */
  rootsChanged(): void {
    for (const session of this.#sessions) {
      if (session.state === 'ready' && session.era === 'session') session.notify('notifications/roots/list_changed');
    }
  }

  async close(reason = 'The client is closing'): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close(reason)));
  }

  #era(): Era | 'auto' {
    const { era, protocolVersion } = this.#options;
    if (era !== undefined || protocolVersion === undefined) return era ?? 'auto';
    return findStatelessRevision(protocolVersion) === undefined ? 'session' : 'stateless';
  }

  #refresh(): void {
    for (const session of this.#sessions) session.refresh();
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
    if (method === 'ping') return {};
    const answer = revision.requests.has(method) ? this.#offer(method, params, context, revision) : undefined;
    if (answer === undefined) throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    return answer();
  }

  #answerInput({ method, params }: InputRequest, context: ClientContext): unknown {
    const custom = this.#requests.get(method);
    if (custom !== undefined) return custom(params, context);
    const answer = this.#offer(method, params, context, NEWEST_STATELESS);
    if (answer === undefined) throw new Error(`The server asks for ${method}, which this client did not offer`);
    return answer();
  }

  /** How the handlers of the options answer; undefined when there is none for the method. */
  #offer(
    method: string,
    params: Params | undefined,
    context: ClientContext,
    revision: Revision,
  ): (() => unknown) | undefined {
    const { createMessage, elicit, roots } = this.#options;
    // The server is taken at its word about the shape of its questions; the handler's answer goes back as it is.
    if (method === 'sampling/createMessage' && createMessage) return () => createMessage(params as never, context);
    if (method === 'elicitation/create' && elicit) {
      return async () => withDefaults(params as never, await elicit(params as never, context));
    }
    if (method === 'roots/list' && roots) {
      return async () => ({ roots: (await roots()).map((root) => revision.shape.root(root)) });
    }
    return undefined;
  }
}

function reportOnStderr(error: Error): void {
  console.error(`mcp: ${error.message}`);
}
