import type { Target } from '../client/target.ts';
import { NotApplicable } from './check.ts';
import { type Answer, Session, type SessionTimes } from './session.ts';
import { openHttp } from './wires/http.ts';
import { readBody, sendHttp } from './wires/http-request.ts';
import { openStdio, type StdioWire, type Variables } from './wires/stdio.ts';
import { openWebSocket } from './wires/websocket.ts';
import type { Json, Wire } from './wires/wire.ts';

export const NEWEST = '2025-11-25';
export const STATELESS = '2026-07-28';

export interface SubjectOptions extends SessionTimes {
  /** Milliseconds for the first answer of all: programs such as npx take their time. */
  readonly startTimeout: number;
  readonly variables: Variables;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty for an event stream, which is not read. */
  readonly body: string;
}

export interface HttpAsk {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

type ListName = 'tools' | 'resources' | 'prompts' | 'resourceTemplates';
const LIST_METHODS: Readonly<Record<ListName, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  prompts: 'prompts/list',
  resourceTemplates: 'resources/templates/list',
};
const MAX_PAGES = 100;

/** The server under test. Checks open connections through it; `release` closes them. */
export class Subject {
  readonly target: Target;
  readonly patience: number;
  readonly #grace: number;
  readonly #startTimeout: number;
  readonly #variables: Variables;
  readonly #opened: Session[] = [];
  readonly #lists = new Map<ListName, Promise<Json[]>>();
  #shared: Session | undefined;
  #lastUsed: Session | undefined;
  /** How much had been sent on the shared connection before this check; undefined if the check has not used it. */
  #sharedFrom: number | undefined;
  #lastHttp: HttpAsk | undefined;
  /** What `initialize` was answered with; undefined if the server has no sessions. */
  initialized: Json;
  /** What `server/discover` was answered with; undefined if the server does not serve the stateless revision. */
  discovered: Json;

  constructor(target: Target, { patience, grace, startTimeout, variables }: SubjectOptions) {
    this.#variables = variables;
    this.#grace = grace;
    this.target = target;
    this.patience = patience;
    this.#startTimeout = startTimeout;
  }

  /** Learns which revisions the server serves. Resolves to why the server can't be checked at all, or undefined. */
  async prepare(): Promise<string | undefined> {
    const problems: string[] = [];
    const attempt = async (learn: () => Promise<void>) => {
      try {
        await learn();
      } catch (error) {
        problems.push((error as Error).message);
      }
      await this.release();
    };
    await attempt(async () => {
      this.initialized = (await this.#initialize(await this.#open(this.#startTimeout), NEWEST)).result;
    });
    await attempt(async () => {
      const answer = await (await this.bare()).ask('server/discover', statelessParams());
      if (answer.kind === 'result') this.discovered = answer.result;
    });
    return this.initialized === undefined && this.discovered === undefined ? (problems[0] ?? 'no answer') : undefined;
  }

  get capabilities(): Json {
    return this.initialized?.capabilities ?? this.discovered?.capabilities ?? {};
  }

  get serverInfo(): Json {
    return this.initialized?.serverInfo ?? this.discovered?._meta?.['io.modelcontextprotocol/serverInfo'] ?? {};
  }

  /** The newest that it serves in sessions, or else without. */
  get protocolVersion(): string {
    return this.initialized?.protocolVersion ?? STATELESS;
  }

  /** A connection of its own, on which nothing has been sent. */
  async bare(): Promise<Session> {
    return await this.#open(this.patience);
  }

  /** A connection of its own, initialized at that revision. */
  async fresh(revision: string = NEWEST): Promise<Session> {
    const session = await this.#initialize(await this.#open(this.#startTimeout), revision);
    if (revision !== NEWEST && session.revision !== revision) {
      throw new NotApplicable(`The server does not serve revision ${revision}.`);
    }
    return session;
  }

  /** An initialized connection that checks share which do no harm to it. */
  async shared(): Promise<Session> {
    if (this.#shared === undefined) {
      const session = await this.fresh();
      this.#opened.splice(this.#opened.indexOf(session), 1);
      this.#shared = session;
    }
    this.#lastUsed = this.#shared;
    this.#sharedFrom ??= this.#shared.wire.sent.length;
    return this.#shared;
  }

  /** A stdio connection of its own, initialized. */
  async process(): Promise<{ readonly session: Session; readonly wire: StdioWire }> {
    const session = await this.fresh();
    // The needs of a check say that the target is stdio.
    return { session, wire: session.wire as StdioWire };
  }

  /** One HTTP request. An event stream is not read. */
  async http(ask: HttpAsk): Promise<HttpAnswer> {
    if (this.target.kind !== 'http') throw new NotApplicable('The server is not reached by HTTP.');
    this.#lastHttp = ask;
    const signal = AbortSignal.timeout(this.patience);
    try {
      const response = await sendHttp(this.target, { ...ask, signal });
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') ?? false;
      const body = isStream ? '' : await readBody(response);
      response.destroy();
      return { status: response.statusCode ?? 0, headers: response.headers, body };
    } catch (error) {
      if (signal.aborted) throw new Error(`no HTTP response within ${this.patience} ms`);
      throw error;
    }
  }

  /** Everything in a list of the server, read once, in a session or without one. */
  list(name: ListName): Promise<Json[]> {
    let list = this.#lists.get(name);
    if (list === undefined) {
      list = this.#readList(name);
      this.#lists.set(name, list);
    }
    return list;
  }

  /** Closes what the last check opened. The shared connection goes too if the check failed. */
  async release({ failed = false } = {}): Promise<void> {
    const closing = this.#opened.splice(0);
    if (failed && this.#shared !== undefined) {
      closing.push(this.#shared);
      this.#shared = undefined;
    }
    this.#lastUsed = undefined;
    this.#sharedFrom = undefined;
    this.#lastHttp = undefined;
    await Promise.all(closing.map((session) => session.wire.close()));
  }

  /** What the running check sent, for reproduction. */
  get traffic(): { readonly sent: readonly string[]; readonly http: HttpAsk | undefined } {
    const sent = this.#lastUsed?.wire.sent ?? [];
    const isShared = this.#lastUsed === this.#shared;
    // The first two messages initialize it.
    const own = isShared ? [...sent.slice(0, 2), ...sent.slice(this.#sharedFrom)] : sent;
    return { sent: own, http: this.#lastHttp };
  }

  async close(): Promise<void> {
    await this.release({ failed: true });
  }

  async #open(patience: number): Promise<Session> {
    const session = new Session(await this.#wire(), { patience, grace: this.#grace });
    this.#opened.push(session);
    this.#lastUsed = session;
    return session;
  }

  async #wire(): Promise<Wire> {
    if (this.target.kind === 'stdio') return openStdio(this.target, this.#variables);
    return this.target.kind === 'http' ? openHttp(this.target) : await openWebSocket(this.target, this.#startTimeout);
  }

  async #initialize(session: Session, revision: string): Promise<Session> {
    const answer = await session.ask('initialize', initializeParams(revision));
    if (answer.kind !== 'result') throw new Error(`initialize: ${inWords(answer)}`);
    session.result = answer.result;
    session.wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await session.wire.flushed(this.patience);
    // What a server wrongly answers to the notification has arrived before this answer.
    await session.ask('ping');
    session.patience = this.patience;
    return session;
  }

  async #readList(name: ListName): Promise<Json[]> {
    const session = this.initialized === undefined ? await this.bare() : await this.shared();
    const items: Json[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params = {
        ...(cursor !== undefined && { cursor }),
        ...(this.initialized === undefined && statelessParams()),
      };
      const answer = await session.ask(LIST_METHODS[name], params);
      const found = answer.kind === 'result' ? answer.result?.[name] : undefined;
      if (answer.kind !== 'result' || !Array.isArray(found))
        throw new NotApplicable(`${LIST_METHODS[name]} lists nothing.`);
      items.push(...found);
      cursor = answer.result.nextCursor;
      if (cursor === undefined || cursor === null) break;
    }
    return items;
  }
}

export function initializeParams(protocolVersion: string): object {
  return { protocolVersion, capabilities: {}, clientInfo: { name: 'hawser-check', version: '1.0.0' } };
}

export function statelessParams(params: object = {}, version: string = STATELESS): object {
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'hawser-check', version: '1.0.0' },
    },
  };
}

const MAX_SHOWN_CHARS = 300;

export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}

export function inWords(answer: Answer): string {
  switch (answer.kind) {
    case 'result':
      return `the result ${shown(answer.result)}`;
    case 'error':
      return `the error ${shown(answer.error)}`;
    case 'status':
      return `HTTP ${answer.status} without a message`;
    case 'silence':
      return 'no answer';
    case 'end':
      return answer.how;
  }
}
