import type { Socket } from 'node:net';
import { displayText } from '../adapter-parts/agent-client.ts';
import { FRAME_LIMITS, FrameConnection, type FrameLimits, type PendingBytes } from './frame-connection.ts';
import type { Message } from './frames.ts';
import { type ContextProvider, failure, IpcError, newId, respond, success } from './messages.ts';

const MAX_CONNECTIONS = 64;
const MAX_FORWARDED = 256;
/** How long other editors have to say whether they can answer a request. */
const DISCOVERY_MS = 1000;
const FORWARD_MS = 30_000;

/** A connection of Codex, or of another editor that answers for its own folders. */
interface Client {
  readonly connection: FrameConnection;
  /** Has sent nothing yet. */
  isSilent: boolean;
  /** Defined once it has initialized: only then it is asked and gets broadcasts. */
  id: string | undefined;
  /** Defined once it has asked for the context of our editor. */
  agent: AskingAgent | undefined;
}

/** An agent that asks for the context of our editor. */
export interface AskingAgent {
  readonly id: string;
  /** Checked for display. */
  readonly name: string;
  requests: number;
  lastActivity: Date;
  disconnect(): void;
}

export interface RouterEvents {
  /** Agents have connected or disconnected. */
  changed(): void;
  /** A request for the context of our editor, and our response. */
  asked(agent: AskingAgent, request: Message): void;
  answered(agent: AskingAgent, response: Message): void;
}

/**
 * The owner of the socket. Answers from its own editor and passes other requests to the editors that have connected, so
 * that several share the one socket that a user has.
 */
export class Router {
  readonly #provider: ContextProvider;
  readonly #limits: FrameLimits;
  readonly #events: RouterEvents;
  readonly #id = newId();
  readonly #clients = new Set<Client>();
  readonly #pending: PendingBytes = { count: 0 };
  /** Messages to other editors that wait for their answer, by the id they were sent under. */
  readonly #forwarded = new Map<
    string,
    { readonly to: Client; readonly answer: (message: Message | undefined) => void }
  >();

  constructor(provider: ContextProvider, events: RouterEvents, limits: FrameLimits = FRAME_LIMITS) {
    this.#provider = provider;
    this.#events = events;
    this.#limits = limits;
  }

  /** Those that are connected now. */
  get agents(): readonly AskingAgent[] {
    return [...this.#clients].flatMap(({ agent }) => agent ?? []);
  }

  accept(socket: Socket): void {
    const connection: FrameConnection = new FrameConnection(
      socket,
      { received: (message) => this.#receive(client, message), closed: () => this.#closed(client) },
      this.#limits,
      this.#pending,
    );
    const client: Client = { connection, isSilent: true, id: undefined, agent: undefined };
    if (this.#clients.size >= MAX_CONNECTIONS && !this.#dropSilent()) {
      connection.refuse(`too-many-connections: ${MAX_CONNECTIONS} are open; close one and try again`);
      return;
    }
    this.#clients.add(client);
    connection.expectFrame();
  }

  close(): void {
    for (const { connection } of [...this.#clients]) connection.close();
  }

  /** Ends the oldest connection that has sent nothing. Returns whether there was one. */
  #dropSilent(): boolean {
    const silent = [...this.#clients].find(({ isSilent }) => isSilent);
    if (silent === undefined) return false;
    this.#clients.delete(silent);
    silent.connection.refuse('too-many-connections: others have come, and this one has sent nothing');
    return true;
  }

  #receive(client: Client, message: Message): void {
    client.isSilent = false;
    const { type, requestId } = message;
    if (type === 'broadcast') this.#broadcast(message, client);
    else if (typeof requestId !== 'string') {
      client.connection.refuse('malformed-message: a message needs a type and a requestId');
    } else if (type === 'response' || type === 'client-discovery-response') {
      const forwarded = this.#forwarded.get(requestId);
      if (forwarded?.to === client) forwarded.answer(message);
    } else if (type === 'request' && message.method === 'initialize') this.#initialize(client, message);
    else if (type === 'request') void this.#route(client, message);
    else client.connection.send(failure(requestId, IpcError.noHandler));
  }

  #initialize(client: Client, request: Message): void {
    client.id ??= newId();
    client.connection.send(success(request, { clientId: client.id }, this.#id));
  }

  async #route(client: Client, request: Message): Promise<void> {
    const { requestId, targetClientId } = request;
    const isForUs = targetClientId === undefined || targetClientId === this.#id;
    if (isForUs && (await this.#provider.canAnswer(request).catch(() => false))) {
      await this.#answer(client, request);
      return;
    }
    const editor = await this.#findEditor(client, request);
    if (editor === undefined) {
      client.connection.send(failure(requestId, IpcError.noClient));
      return;
    }
    const answer = await this.#ask(editor, (id) => ({ ...request, requestId: id }), FORWARD_MS);
    const error = this.#clients.has(editor) ? IpcError.timeout : IpcError.disconnected;
    client.connection.send(answer === undefined ? failure(requestId, error) : { ...answer, requestId });
  }

  async #answer(client: Client, request: Message): Promise<void> {
    const { connection } = client;
    const name = displayText(request.sourceClientId) ?? 'unknown';
    const isNew = client.agent === undefined;
    client.agent ??= {
      id: newId(),
      name,
      requests: 0,
      lastActivity: new Date(),
      disconnect: () => connection.close(),
    };
    const { agent } = client;
    agent.requests += 1;
    agent.lastActivity = new Date();
    if (isNew) this.#events.changed();
    this.#events.asked(agent, request);
    const response = await respond(this.#provider, request, this.#id);
    connection.send(response);
    this.#events.answered(agent, response);
  }

  /** The editor that a request names, or the first that can answer it. */
  async #findEditor(client: Client, request: Message): Promise<Client | undefined> {
    const others = [...this.#clients].filter((other) => other.id !== undefined && other !== client);
    const { targetClientId } = request;
    if (targetClientId !== undefined) return others.find(({ id }) => id === targetClientId);
    const question = (requestId: string) => ({ type: 'client-discovery-request', requestId, request });
    const asked = others.map(async (other) => {
      const answer = await this.#ask(other, question, DISCOVERY_MS);
      const { canHandle } = (answer?.response ?? {}) as { readonly canHandle?: unknown };
      if (canHandle !== true) throw new Error('can not answer');
      return other;
    });
    return await Promise.any(asked).catch(() => undefined);
  }

  /** Resolves to undefined if the editor does not answer in time or leaves. */
  #ask(to: Client, message: (id: string) => Message, timeoutMs: number): Promise<Message | undefined> {
    if (this.#forwarded.size >= MAX_FORWARDED || !this.#clients.has(to)) return Promise.resolve(undefined);
    const id = newId();
    return new Promise((resolve) => {
      const answer = (received: Message | undefined) => {
        clearTimeout(timer);
        this.#forwarded.delete(id);
        resolve(received);
      };
      const timer = setTimeout(() => answer(undefined), timeoutMs);
      this.#forwarded.set(id, { to, answer });
      to.connection.send(message(id));
    });
  }

  #broadcast(message: Message, from: Client): void {
    if (from.id === undefined) return;
    for (const { id, connection } of this.#clients) if (id !== undefined && id !== from.id) connection.send(message);
  }

  #closed(client: Client): void {
    this.#clients.delete(client);
    for (const { to, answer } of [...this.#forwarded.values()]) if (to === client) answer(undefined);
    if (client.agent !== undefined) this.#events.changed();
  }
}
