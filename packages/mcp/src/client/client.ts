import {
  type OptionNames,
  requireChoice,
  requireConnection,
  requireFunction,
  requireInfo,
  requireKnownOptions,
} from '../jsonrpc/argument-checks.ts';
import type { Connection } from '../jsonrpc/connection.ts';
import { delayOf } from '../jsonrpc/deadlines.ts';
import { reportError, reportOnStderr } from '../jsonrpc/report-error.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import type { NotificationDefinition, RequestDefinition } from '../protocol/definition.ts';
import { type Handler, NotificationHandlers, type Registration } from '../protocol/handlers.ts';
import { findStatelessRevision, NEWEST } from '../protocol/revisions/all.ts';
import type { ClientCapabilities, Implementation, StandardNotifications } from '../protocol/types.ts';
import { CallLimit } from './call-limit.ts';
import type { Discovery } from './discovery.ts';
import type { NegotiationMode } from './handshake.ts';
import { CLIENT_LIMITS, type ClientLimits, completeLimits } from './limits.ts';
import { type ClientContext, type ServerRequestHandlers, ServerRequests } from './server-requests.ts';
import { type ClientParts, ClientSession } from './session.ts';

export interface ClientOptions extends ServerRequestHandlers {
  /** Capabilities to declare besides those that follow from the handlers. */
  readonly capabilities?: ClientCapabilities;
  /** The revision to ask for. Default: the newest that the server knows. */
  readonly protocolVersion?: string;
  /**
   * How to agree on a revision: with `initialize` (up to 2025-11-25), with `server/discover` (from 2026-07-28 on), or
   * by trying the latter first, which takes one request more. Default `auto`, unless `protocolVersion` decides it.
   */
  readonly negotiation?: NegotiationMode;
  /** Milliseconds to wait for `server/discover` before `initialize` is tried; 0 is no limit. Default 3000. */
  readonly probeTimeout?: number;
  /** Milliseconds without a response or progress, for calls that do not say otherwise; 0 is no limit. Default 60 000. */
  readonly timeout?: number;
  readonly limits?: ClientLimits;
  /** Gets failures that no call can report. Default: they are written to stderr, with their stacks. */
  readonly onError?: (error: Error, source: { readonly session: ClientSession }) => unknown;
}

export interface ConnectOptions extends CallOptions {
  /** A name for the server. The client remembers the kind of the server under it, and does not probe again. */
  readonly server?: string;
}

/** An MCP client: its name and the handlers that it offers to servers. Each connection to a server has a session. */
export class Client {
  readonly #options: ClientOptions;
  readonly #parts: ClientParts;
  readonly #sessions = new Set<ClientSession>();
  readonly #notifications = new NotificationHandlers<ClientSession>(() => {
    for (const session of this.#sessions) session.refresh();
  });
  readonly #kinds = new Map<string, Discovery['kind']>();

  /** Throws a TypeError or a RangeError for invalid arguments. */
  constructor(info: Implementation, options: ClientOptions = {}) {
    requireInfo('Client', info);
    checkOptions(options);
    const { timeout = 60_000, probeTimeout = 3000, protocolVersion = NEWEST.version, capabilities } = options;
    delayOf(timeout, 'timeout');
    delayOf(probeTimeout, 'probeTimeout');
    this.#options = options;
    const serverRequests = new ServerRequests(options);
    this.#parts = {
      settings: {
        info,
        protocolVersion,
        probeTimeout,
        timeout,
        capabilities: () => ({ ...serverRequests.capabilities, ...capabilities }),
      },
      limits: completeLimits(options.limits),
      serverRequests,
      notifications: this.#notifications,
      closed: (session) => this.#sessions.delete(session),
      report: (error, session) => reportError(error, options.onError ?? reportOnStderr, { session }),
    };
  }

  /** The sessions that have not ended. */
  get sessions(): ReadonlySet<ClientSession> {
    return this.#sessions;
  }

  /** Agrees on a revision with the server. Closes the connection when that fails. `maxTimeout` bounds all of it. */
  async connect(connection: Connection, options: ConnectOptions = {}): Promise<ClientSession> {
    requireConnection('client.connect', connection, 'Use connectStdio, connectHttp or connectWebSocket to get one');
    const { server, ...callOptions } = options;
    const session = new ClientSession(this.#parts, connection);
    this.#sessions.add(session);
    let limit: CallLimit | undefined;
    try {
      limit = new CallLimit('The handshake', callOptions, performance.now());
      const known = server === undefined ? undefined : this.#kinds.get(server);
      await session.open({ mode: this.#negotiationMode(), known }, limit.options(callOptions));
      if (server !== undefined) this.#kinds.set(server, session.isStateless ? 'stateless' : 'session');
      return session;
    } catch (error) {
      await session.close('The handshake failed');
      throw error;
    } finally {
      limit?.release();
    }
  }

  /** Responds to a custom request of servers. */
  onRequest<P, R>(
    request: RequestDefinition<P, R>,
    handler: (params: P, context: ClientContext) => R | Promise<R>,
  ): Registration;
  onRequest(method: string, handler: Handler<ClientContext>): Registration;
  onRequest(
    request: RequestDefinition | string,
    handler: (params: never, context: ClientContext) => unknown,
  ): Registration {
    return this.#parts.serverRequests.add(request, handler as Handler<ClientContext>);
  }

  /** Handles a notification of every server. */
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

  /** Notifies every server that the roots have changed. Stateless servers ask for the roots when they need them. */
  rootsChanged(): void {
    for (const session of this.#sessions) {
      if (session.state === 'ready' && !session.isStateless) session.notify('notifications/roots/list_changed');
    }
  }

  async close(reason = 'The client is closing'): Promise<void> {
    await Promise.all([...this.#sessions].map((session) => session.close(reason)));
  }

  #negotiationMode(): NegotiationMode {
    const { negotiation, protocolVersion } = this.#options;
    if (negotiation !== undefined || protocolVersion === undefined) return negotiation ?? 'auto';
    return findStatelessRevision(protocolVersion) === undefined ? 'initialize' : 'discover';
  }
}

const NAMES: OptionNames<ClientOptions> = {
  createMessage: true,
  elicit: true,
  roots: true,
  capabilities: true,
  protocolVersion: true,
  negotiation: true,
  probeTimeout: true,
  timeout: true,
  limits: true,
  onError: true,
};
const CALLBACKS = ['createMessage', 'elicit', 'roots', 'onError'] as const;

function checkOptions(options: ClientOptions): void {
  requireKnownOptions('new Client', options, NAMES);
  for (const name of CALLBACKS) if (options[name] !== undefined) requireFunction('new Client', name, options[name]);
  const { negotiation = 'auto', limits = {} } = options;
  requireChoice('new Client', 'negotiation', negotiation, ['auto', 'initialize', 'discover']);
  requireKnownOptions('new Client: limits', limits, CLIENT_LIMITS);
}
