import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { displayText } from '../agent-client.ts';
import { FRAME_LIMITS, FrameConnection, type FrameLimits, type PendingBytes } from './frame-connection.ts';
import type { Message } from './frames.ts';
import { type ContextProvider, failure, IpcError, respond, success } from './messages.ts';

const MAX_CONNECTIONS = 64;
const MAX_FORWARDED = 256;
/** How long other editors have to say whether they can answer a request. */
const DISCOVERY_MS = 1000;
const FORWARD_MS = 30_000;

/** A connection of Codex, or of another editor that answers for its own folders. */
interface Client {
  readonly connection: FrameConnection;
  /** Defined once it has initialized: only then it is asked and gets broadcasts. */
  id: string | undefined;
  /** The name it gave itself in a request for the editor's context. */
  asker: string | undefined;
}

/**
 * The owner of the socket. Answers from its own editor and passes other requests to the editors that have connected, so
 * that several share the one socket that a user has.
 */
export class Router {
  readonly #provider: ContextProvider;
  readonly #limits: FrameLimits;
  readonly #onChange: () => void;
  readonly #id = randomUUID();
  readonly #clients = new Set<Client>();
  readonly #pending: PendingBytes = { count: 0 };
  /** Messages to other editors that wait for their answer, by the id they were sent under. */
  readonly #forwarded = new Map<
    string,
    { readonly to: Client; readonly answer: (message: Message | undefined) => void }
  >();

  constructor(provider: ContextProvider, onChange: () => void, limits: FrameLimits = FRAME_LIMITS) {
    this.#provider = provider;
    this.#onChange = onChange;
    this.#limits = limits;
  }

  /** Names of the agents that are connected now and have asked for the editor's context. */
  get agents(): readonly string[] {
    return [...this.#clients].flatMap(({ asker }) => asker ?? []);
  }

  accept(socket: Socket): void {
    const connection: FrameConnection = new FrameConnection(
      socket,
      { received: (message) => this.#receive(client, message), closed: () => this.#closed(client) },
      this.#limits,
      this.#pending,
    );
    const client: Client = { connection, id: undefined, asker: undefined };
    if (this.#clients.size >= MAX_CONNECTIONS) {
      connection.refuse(`too-many-connections: ${MAX_CONNECTIONS} are open; close one and try again`);
      return;
    }
    this.#clients.add(client);
    connection.expectFrame();
  }

  close(): void {
    for (const { connection } of [...this.#clients]) connection.close();
  }

  #receive(client: Client, message: Message): void {
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
    client.id ??= randomUUID();
    client.connection.send(success(request, { clientId: client.id }, this.#id));
  }

  async #route(client: Client, request: Message): Promise<void> {
    const { requestId, sourceClientId, targetClientId } = request;
    const isForUs = targetClientId === undefined || targetClientId === this.#id;
    if (isForUs && (await this.#provider.canAnswer(request).catch(() => false))) {
      if (client.asker === undefined) {
        client.asker = displayText(sourceClientId) ?? 'unknown';
        this.#onChange();
      }
      client.connection.send(await respond(this.#provider, request, this.#id));
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
    const id = randomUUID();
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
    if (client.asker !== undefined) this.#onChange();
  }
}
