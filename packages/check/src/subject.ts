import type { HttpTarget, Target } from '@hawser/client/target';
import { isList, type Members, memberAt, objectOrEmpty } from '@hawser/unknown-values/objects';
import { NotApplicable } from './check.ts';
import { inWords } from './in-words.ts';
import { initializeParams, NEWEST, STATELESS, statelessParams } from './params.ts';
import type { Traffic } from './reproduction.ts';
import { Schemas } from './schemas.ts';
import { Session, type SessionTimes } from './session.ts';
import { openHttp } from './wires/http.ts';
import { askHttp, type HttpAnswer, type HttpAsk, streamHttp } from './wires/http-ask.ts';
import type { EventStream } from './wires/server-sent-events.ts';
import { openStdio, type StdioWire, type Variables } from './wires/stdio.ts';
import { openWebSocket } from './wires/websocket.ts';
import type { Wire } from './wires/wire.ts';

export interface SubjectOptions extends SessionTimes {
  /** Milliseconds for the first answer of all: programs such as npx take their time. */
  readonly startTimeout: number;
  readonly variables: Variables;
}

export type ListName = 'tools' | 'resources' | 'prompts' | 'resourceTemplates';
const LIST_METHODS: Readonly<Record<ListName, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  prompts: 'prompts/list',
  resourceTemplates: 'resources/templates/list',
};
const MAX_PAGES = 100;
/** Connections that may still be closing while the next check runs. */
const MAX_CLOSING = 2;

/** The server under test. Checks open connections through it; `release` closes them. */
export class Subject {
  readonly target: Target;
  readonly patience: number;
  /** Milliseconds in which a server that was not asked says what it has to say. */
  readonly quiet: number;
  readonly #grace: number;
  readonly #startTimeout: number;
  readonly #variables: Variables;
  readonly #opened: Session[] = [];
  /** Connections that are being closed. */
  readonly #closing = new Set<Promise<void>>();
  readonly #streams: EventStream[] = [];
  #learned = new Map<string, Promise<unknown>>();
  readonly #forks: Subject[] = [];
  schemas = new Schemas();
  #shared: Session | undefined;
  #sharedStateless: Session | undefined;
  #lastUsed: Session | undefined;
  /** How much had been sent on shared connections before this check used them. */
  readonly #sentBefore = new Map<Session, number>();
  #lastHttp: HttpAsk | undefined;
  /** Milliseconds that the first answer on a connection takes longer. */
  #startMs = 0;
  /** What `initialize` was answered with; undefined if the server has no sessions. */
  initialized: Members | undefined;
  /** What `server/discover` was answered with; undefined if the server does not serve the stateless revision. */
  discovered: Members | undefined;

  constructor(target: Target, { patience, grace, startTimeout, variables }: SubjectOptions) {
    this.#variables = variables;
    this.#grace = grace;
    this.quiet = 5 * grace;
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
    const start = performance.now();
    await attempt(async () => {
      this.initialized = (await this.#initialize(await this.#open(this.#startTimeout), NEWEST)).result;
    });
    const milliseconds = performance.now() - start;
    // Of a process, which may be slower the next time. An error is an answer, too.
    const isAnswered = this.initialized !== undefined || milliseconds < this.#startTimeout;
    if (this.target.kind === 'stdio' && isAnswered) this.#startMs = 3 * milliseconds;
    await attempt(async () => {
      const answer = await (await this.bare()).ask('server/discover', statelessParams());
      if (answer.kind === 'result') this.discovered = answer.result;
    });
    return this.initialized === undefined && this.discovered === undefined ? (problems[0] ?? 'no answer') : undefined;
  }

  get capabilities(): Members {
    return objectOrEmpty(this.initialized?.capabilities ?? this.discovered?.capabilities);
  }

  get serverInfo(): unknown {
    return (
      this.initialized?.serverInfo ?? memberAt(this.discovered, '_meta', 'io.modelcontextprotocol/serverInfo') ?? {}
    );
  }

  /** The newest that it serves in sessions, or else without. */
  get protocolVersion(): string {
    const { protocolVersion = STATELESS } = this.initialized ?? {};
    return String(protocolVersion);
  }

  /** A connection of its own, on which nothing has been sent. */
  async bare(): Promise<Session> {
    return await this.#open(this.patience + this.#startMs);
  }

  /** A connection of its own, initialized at that revision. */
  async fresh(revision: string = NEWEST, capabilities: object = {}): Promise<Session> {
    const session = await this.#initialize(await this.#open(this.#startTimeout), revision, capabilities);
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
    return this.#use(this.#shared);
  }

  /** No check after this one gets the shared connections, if this one fails. */
  doubtShared(): void {
    for (const session of this.#sentBefore.keys()) session.isDoubtful = true;
  }

  /** Closes the shared connection. The next check that wants it gets another. */
  async dropShared(): Promise<void> {
    const session = this.#shared;
    this.#shared = undefined;
    await session?.wire.close();
  }

  /** A connection for requests without a session that checks share. */
  async sharedStateless(): Promise<Session> {
    if (this.#sharedStateless === undefined) {
      const session = await this.bare();
      this.#opened.splice(this.#opened.indexOf(session), 1);
      this.#sharedStateless = session;
    }
    return this.#use(this.#sharedStateless);
  }

  /** A stdio connection of its own, initialized. */
  async process(): Promise<{ readonly session: Session; readonly wire: StdioWire }> {
    const session = await this.fresh();
    // The needs of a check say that the target is stdio.
    return { session, wire: session.wire as StdioWire };
  }

  /** The stdio connection that checks share which do no harm to it. */
  async sharedProcess(): Promise<{ readonly session: Session; readonly wire: StdioWire }> {
    const session = await this.shared();
    return { session, wire: session.wire as StdioWire };
  }

  /** A stdio connection of its own, on which nothing has been sent. */
  async bareProcess(): Promise<{ readonly session: Session; readonly wire: StdioWire }> {
    const session = await this.bare();
    return { session, wire: session.wire as StdioWire };
  }

  /** One HTTP request. An event stream is not read. */
  async http(ask: HttpAsk): Promise<HttpAnswer> {
    return await askHttp(this.#httpTarget(ask), ask, this.patience);
  }

  /** One HTTP request whose response can be an event stream. It is closed after the check. */
  async stream(ask: HttpAsk): Promise<EventStream> {
    const stream = await streamHttp(this.#httpTarget(ask), ask, this.patience);
    this.#streams.push(stream);
    return stream;
  }

  /** Everything in a list of the server, read once, in a session or without one. It can be of any type. */
  items(name: ListName): Promise<readonly unknown[]> {
    return this.once(name, () => this.#readList(name));
  }

  /** The same as objects; whatever is not an object becomes an empty one. */
  async list(name: ListName): Promise<Members[]> {
    return (await this.items(name)).map(objectOrEmpty);
  }

  /** What was learned under this name; learned now if it is the first time. */
  once<T>(name: string, learn: () => Promise<T>): Promise<T> {
    // The name decides the type.
    let known = this.#learned.get(name) as Promise<T> | undefined;
    if (known === undefined) {
      known = learn();
      this.#learned.set(name, known);
    }
    return known;
  }

  /** Forgets what `once` and `list` learned. */
  forget(): void {
    this.#learned = new Map();
  }

  /** The same server for checks that run at the same time: other connections, and what was learned about it. */
  fork(): Subject {
    const times = { patience: this.patience, grace: this.#grace, startTimeout: this.#startTimeout };
    const fork = new Subject(this.target, { ...times, variables: this.#variables });
    fork.initialized = this.initialized;
    fork.discovered = this.discovered;
    fork.#startMs = this.#startMs;
    fork.#learned = this.#learned;
    fork.schemas = this.schemas;
    this.#forks.push(fork);
    return fork;
  }

  /** Begins to close what the last check opened. If the check failed, also the shared connections that it left in doubt. */
  async release({ failed = false } = {}): Promise<void> {
    const closing = this.#opened.splice(0);
    for (const stream of this.#streams.splice(0)) stream.close();
    if (failed) {
      const used = [...this.#sentBefore.keys()].filter(({ isDoubtful }) => !isDoubtful);
      await Promise.all(used.map((session) => session.confirm(this.quiet)));
      closing.push(...this.#takeShared(({ isDoubtful }) => isDoubtful));
    }
    this.#lastUsed = undefined;
    this.#sentBefore.clear();
    this.#lastHttp = undefined;
    for (const session of closing) {
      const closed = session.wire.close().finally(() => this.#closing.delete(closed));
      this.#closing.add(closed);
    }
    // Some processes take their time to exit; meanwhile the next check can run.
    while (this.#closing.size > MAX_CLOSING) await Promise.race(this.#closing);
  }

  /** What the running check sent, for reproduction. */
  get traffic(): Traffic {
    const sent = this.#lastUsed?.wire.sent ?? [];
    const own = sent.slice(this.#lastUsed && this.#sentBefore.get(this.#lastUsed));
    // The first two messages initialize it.
    if (this.#lastUsed !== undefined && this.#lastUsed === this.#shared) own.unshift(...sent.slice(0, 2));
    const sessionIds = this.#opened.flatMap(({ wire }) => ('sessionId' in wire ? [wire.sessionId as string] : []));
    return { sent: own, http: this.#lastHttp, sessionIds };
  }

  /** Closes every connection, and those of its forks. */
  async close(): Promise<void> {
    const closing = this.#takeShared(() => true).map((session) => session.wire.close());
    await this.release();
    await Promise.all([...closing, ...this.#closing, ...this.#forks.map((fork) => fork.close())]);
  }

  /** Shared connections that no check gets any more. */
  #takeShared(isTaken: (session: Session) => boolean): Session[] {
    const taken = [this.#shared, this.#sharedStateless].filter((session) => session !== undefined).filter(isTaken);
    if (this.#shared !== undefined && taken.includes(this.#shared)) this.#shared = undefined;
    if (this.#sharedStateless !== undefined && taken.includes(this.#sharedStateless)) this.#sharedStateless = undefined;
    return taken;
  }

  #httpTarget(ask: HttpAsk): HttpTarget {
    if (this.target.kind !== 'http') throw new NotApplicable('The server is not reached by HTTP.');
    this.#lastHttp = ask;
    return this.target;
  }

  #use(shared: Session): Session {
    this.#lastUsed = shared;
    if (!this.#sentBefore.has(shared)) {
      this.#sentBefore.set(shared, shared.wire.sent.length);
      shared.isDoubtful = false;
    }
    return shared;
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

  async #initialize(session: Session, revision: string, capabilities: object = {}): Promise<Session> {
    const answer = await session.ask('initialize', initializeParams(revision, capabilities));
    if (answer.kind !== 'result') throw new Error(`initialize: ${inWords(answer)}`);
    if (answer.message.result !== undefined) session.result = answer.result;
    session.wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await session.wire.flushed(this.patience);
    // What a server wrongly answers to the notification has arrived before this answer.
    await session.ask('ping');
    session.patience = this.patience;
    return session;
  }

  async #readList(name: ListName): Promise<readonly unknown[]> {
    const session = this.initialized === undefined ? await this.bare() : await this.shared();
    const items: unknown[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params = {
        ...(cursor !== undefined && { cursor }),
        ...(this.initialized === undefined && statelessParams()),
      };
      const answer = await session.ask(LIST_METHODS[name], params);
      const found = answer.kind === 'result' ? answer.result[name] : undefined;
      if (answer.kind !== 'result' || !isList(found)) throw new NotApplicable(`${LIST_METHODS[name]} lists nothing.`);
      items.push(...found);
      cursor = answer.result.nextCursor;
      if (cursor === undefined || cursor === null) break;
    }
    return items;
  }
}
