import { connectTarget } from '@hawser/client/connect-target';
import { startSession } from '@hawser/client/open-session';
import { describeTarget, type Target } from '@hawser/client/target';
import type { Connection, LogLevel, LogMessage, Root } from '@hawser/mcp';
import type { ClientSession } from '@hawser/mcp/client';
import type { ConnectionState, ListName, ServerFacts } from './calls.ts';
import { explainFailure } from './explain-failure.ts';
import type { Questions } from './questions.ts';
import { StderrLines } from './stderr-lines.ts';
import type { TrafficLog } from './traffic-log.ts';

export interface ServerConnectionOptions {
  /** Of this program. */
  readonly version: string;
  /** Milliseconds for each answer. */
  readonly timeout: number;
  readonly traffic: TrafficLog;
  readonly questions: Questions;
  readonly roots: readonly Root[];
  readonly events: ServerEvents;
}

export interface ServerEvents {
  state(state: ConnectionState): void;
  listChanged(list: ListName): void;
  resourceUpdated(uri: string): void;
  log(message: LogMessage): void;
  notice(message: string): void;
}

/** One attempt to connect, and the session that follows. */
interface Attempt {
  readonly target: Target;
  readonly controller: AbortController;
  /** The connection below the session. */
  connection?: Connection;
  session?: ClientSession;
}

/** The server that is inspected: one session at a time. */
export class ServerConnection {
  readonly #options: ServerConnectionOptions;
  #state: ConnectionState = { kind: 'disconnected' };
  #attempt: Attempt | undefined;
  #roots: readonly Root[];
  #logLevel: LogLevel | undefined;
  readonly #subscriptions = new Set<string>();

  constructor(options: ServerConnectionOptions) {
    this.#options = options;
    this.#roots = options.roots;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get roots(): readonly Root[] {
    return this.#roots;
  }

  get logLevel(): LogLevel | undefined {
    return this.#logLevel;
  }

  get subscriptions(): readonly string[] {
    return [...this.#subscriptions];
  }

  /** Throws while there is no session. */
  get session(): ClientSession {
    const session = this.#attempt?.session;
    if (session === undefined) throw new Error('There is no connection to a server. Connect to one first.');
    return session;
  }

  /** Ends the session before, and begins another. The state says why that fails, as does the Error. */
  async connect(target: Target, protocolVersion: string | undefined): Promise<ServerFacts> {
    await this.disconnect();
    const attempt: Attempt = { target, controller: new AbortController() };
    this.#attempt = attempt;
    const { traffic } = this.#options;
    traffic.add('opened', describeTarget(target));
    this.#become({ kind: 'connecting', target: describeTarget(target) });
    try {
      const session = await this.#open(attempt, protocolVersion);
      attempt.session = session;
      this.#observeSession(session);
      void session.closed.then((reason) => this.#ended(attempt, reason));
      const server = factsOf(session, target);
      this.#become({ kind: 'connected', server });
      return server;
    } catch (error) {
      this.#ended(attempt, error as Error);
      throw error;
    }
  }

  /** Does nothing while there is no session. */
  async disconnect(): Promise<void> {
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    this.#attempt = undefined;
    attempt.controller.abort(new Error('The user disconnected'));
    await (attempt.session ?? attempt.connection)?.close();
    this.#forget();
    this.#options.traffic.add('disconnected', describeTarget(attempt.target));
    this.#become({ kind: 'disconnected' });
  }

  /** Sends a text past the session. Throws if it is not a JSON object. */
  sendRaw(text: string): void {
    const { connection } = this.#attempt ?? {};
    if (connection === undefined) throw new Error('There is no connection to a server. Connect to one first.');
    const message: unknown = JSON.parse(text);
    if (typeof message !== 'object' || message === null) throw new Error('A message is a JSON object.');
    connection.send(message as Parameters<Connection['send']>[0]);
    this.#options.traffic.add('sent', JSON.stringify(message));
  }

  setRoots(roots: readonly Root[]): void {
    this.#roots = roots;
    const session = this.#attempt?.session;
    if (session !== undefined && !session.isStateless) session.notify('notifications/roots/list_changed');
  }

  async setLogLevel(level: LogLevel, signal: AbortSignal): Promise<void> {
    await this.session.setLogLevel(level, { signal });
    this.#logLevel = level;
  }

  async subscribe(uri: string, signal: AbortSignal): Promise<void> {
    await this.session.subscribe(uri, { signal });
    this.#subscriptions.add(uri);
  }

  async unsubscribe(uri: string, signal: AbortSignal): Promise<void> {
    await this.session.unsubscribe(uri, { signal });
    this.#subscriptions.delete(uri);
  }

  async #open(attempt: Attempt, protocolVersion: string | undefined): Promise<ClientSession> {
    const { version, timeout, traffic, questions, events } = this.#options;
    const { signal } = attempt.controller;
    const stderr = new StderrLines((line) => traffic.add('stderr', line));
    const connection = await connectTarget(attempt.target, { signal, onStderr: (text) => stderr.push(text) });
    attempt.connection = connection;
    return await startSession(connection, {
      version,
      protocolVersion,
      timeout,
      signal,
      capabilities: { elicitation: { form: {}, url: {} } },
      roots: () => this.#roots,
      elicit: (params, context) => questions.elicit(params, context.signal),
      createMessage: (params, context) => questions.createMessage(params, context.signal),
      onError: (error) => events.notice(error.message),
      observer: {
        sent: (message) => traffic.add('sent', JSON.stringify(message)),
        received: (message) => traffic.add('received', JSON.stringify(message)),
        malformed: ({ error }) => traffic.add('malformed', error.message),
      },
    });
  }

  #observeSession(session: ClientSession): void {
    const { events } = this.#options;
    for (const list of ['tools', 'resources', 'prompts'] as const) {
      session.onNotification(`notifications/${list}/list_changed`, () => events.listChanged(list));
    }
    session.onNotification('notifications/resources/updated', ({ uri }) => events.resourceUpdated(uri));
    session.onNotification('notifications/message', (message) => events.log(message));
    session.onNotification('notifications/elicitation/complete', ({ elicitationId }) =>
      events.notice(`The server has what it asked for (${elicitationId}).`),
    );
  }

  /** The connection failed, or the server ended it. */
  #ended(attempt: Attempt, reason: Error): void {
    if (this.#attempt !== attempt) return;
    this.#attempt = undefined;
    this.#forget();
    const problem = explainFailure(reason, attempt.target);
    this.#options.traffic.add('closed', problem.message);
    this.#become({ kind: 'disconnected', problem });
  }

  #forget(): void {
    this.#subscriptions.clear();
    this.#logLevel = undefined;
  }

  #become(state: ConnectionState): void {
    this.#state = state;
    this.#options.events.state(state);
  }
}

function factsOf(session: ClientSession, target: Target): ServerFacts {
  return {
    target: describeTarget(target),
    transport: target.kind,
    protocolVersion: session.protocolVersion ?? '',
    isStateless: session.isStateless,
    serverInfo: session.serverInfo,
    capabilities: session.serverCapabilities,
    instructions: session.instructions,
  };
}
