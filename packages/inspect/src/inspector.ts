import { pathToFileURL } from 'node:url';
import { loginObstacle, withLogin } from '@hawser/client/login/target-login';
import { resolveTarget } from '@hawser/client/resolve-target';
import { describeTarget, type Target } from '@hawser/client/target';
import type { TargetPlaces } from '@hawser/client/target-places';
import { TrafficFeed } from '@hawser/client/traffic-feed';
import { ALL_VERSIONS, type Connection, ErrorCode, type Origin, Peer, RpcError } from '@hawser/mcp';
import { messageOf } from '@hawser/unknown-values/thrown';
import { CallParams, FailedCall } from './call-params.ts';
import { readAnswer, readCompletion, readRoots, readTargetChoice } from './call-readers.ts';
import {
  ABORT,
  type AnswerOf,
  type EventName,
  type Events,
  Failure,
  type Hello,
  LOG_LEVELS,
  type Method,
  type ServerFacts,
  type TargetChoice,
  type TrafficEntry,
} from './calls.ts';
import { explainFailure } from './explain-failure.ts';
import { Questions } from './questions.ts';
import { ServerConnection } from './server-connection.ts';
import { listTargets } from './target-list.ts';
import { TrafficLog } from './traffic-log.ts';

export interface InspectorOptions {
  readonly version: string;
  readonly places: TargetPlaces & { readonly stateFolder: string };
  /** The server that the command line names. It is connected to when the first page opens. */
  readonly given: { readonly target: Target; readonly protocolVersion: string | undefined } | undefined;
  /** Milliseconds for each answer. */
  readonly timeout: number;
}

/** `hello` is answered for each connection. */
type Answers = {
  readonly [M in Exclude<Method, 'hello'>]: (
    params: CallParams,
    signal: AbortSignal,
  ) => AnswerOf<M> | Promise<AnswerOf<M>>;
};

interface Page {
  readonly peer: Peer;
  readonly feed: TrafficFeed<TrafficEntry>;
  /** Stops the traffic. */
  stop(): void;
}

/** Answers the page. There is one page at a time: a new one replaces the one before and finds everything as it was. */
export class Inspector {
  readonly #options: InspectorOptions;
  readonly #traffic = new TrafficLog();
  readonly #questions: Questions;
  readonly #server: ServerConnection;
  readonly #answers: Answers;
  #page: Page | undefined;
  #target: Target | undefined;
  #hasStarted = false;

  constructor(options: InspectorOptions) {
    this.#options = options;
    this.#questions = new Questions({
      added: (question) => this.#send('questions/added', question),
      removed: (id) => this.#send('questions/removed', { id }),
    });
    const { version, timeout, places } = options;
    this.#server = new ServerConnection({
      version,
      timeout,
      traffic: this.#traffic,
      questions: this.#questions,
      roots: [{ uri: pathToFileURL(places.cwd).href, name: places.cwd }],
      events: {
        state: (state) => this.#send('state', state),
        listChanged: (list) => this.#send('lists/changed', { list }),
        resourceUpdated: (uri) => this.#send('resources/updated', { uri }),
        log: (message) => this.#send('log', message),
        notice: (message) => this.#send('notice', { message }),
      },
    });
    this.#answers = this.#makeAnswers();
  }

  /** Takes the connection of a page that has proved itself. The principal of its messages is its token. */
  attach(connection: Connection, closed: () => void): void {
    const aborted = new Error('The user cancelled it');
    const peer: Peer = new Peer(connection, {
      respond: ({ method, params }, incoming) =>
        method === 'hello'
          ? this.#hello(peer, connection, tokenOf(incoming.origin))
          : this.#answer(method, params, incoming.signal),
      receive: ({ method, params }) => {
        const { id } = (params ?? {}) as { readonly id?: unknown };
        if (method === ABORT && typeof id === 'number') peer.cancel(id, aborted);
      },
      failed: () => {},
      batchRefusal: () => 'Invalid request: batches are not answered here',
      closed: () => {
        if (this.#page?.peer === peer) this.#release();
        closed();
      },
    });
    peer.start();
  }

  async close(): Promise<void> {
    const page = this.#page;
    this.#release();
    await Promise.all([this.#server.disconnect(), page?.peer.close('hawser inspect has ended')]);
  }

  #hello(peer: Peer, connection: Connection, token: string): Hello {
    const before = this.#page;
    if (before !== undefined) {
      this.#send('replaced', {});
      this.#release();
      void before.peer.close('Another page took over');
    }
    const feed = new TrafficFeed<TrafficEntry>({
      send: (batch) => peer.notify('traffic', { ...batch }),
      drained: () => connection.drained(),
    });
    const { entries, dropped } = this.#traffic.kept;
    this.#page = { peer, feed, stop: this.#traffic.listen((entry) => feed.add(entry)) };
    // After the answer.
    setImmediate(() => {
      if (entries.length > 0) peer.notify('traffic', { entries, dropped });
      this.#startGiven();
    });
    const { version, places, given } = this.#options;
    return {
      version,
      token,
      folder: places.cwd,
      revisions: ALL_VERSIONS,
      state: this.#server.state,
      given: given && { description: describeTarget(given.target), protocolVersion: given.protocolVersion },
      questions: this.#questions.open,
      roots: this.#server.roots,
      subscriptions: this.#server.subscriptions,
      logLevel: this.#server.logLevel,
    };
  }

  #startGiven(): void {
    const { given } = this.#options;
    if (this.#hasStarted || given === undefined) return;
    this.#hasStarted = true;
    this.#target = given.target;
    // The state says how it went.
    this.#server.connect(given.target, given.protocolVersion).catch(() => {});
  }

  #release(): void {
    this.#page?.stop();
    this.#page?.feed.close();
    this.#page = undefined;
  }

  #send<E extends EventName>(event: E, params: Events[E]): void {
    this.#page?.peer.notify(event, { ...params });
  }

  async #answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    if (!Object.hasOwn(this.#answers, method)) {
      throw new RpcError(ErrorCode.MethodNotFound, `Method not found: ${method}`);
    }
    try {
      return await this.#answers[method as keyof Answers](new CallParams(params ?? {}), signal);
    } catch (error) {
      throw forPage(error);
    }
  }

  #makeAnswers(): Answers {
    const server = this.#server;
    const { places } = this.#options;
    return {
      'targets/list': () => listTargets(places),
      connect: (params) =>
        this.#connect(readTargetChoice(params.params('target')), params.optionalText('protocolVersion')),
      disconnect: done(() => server.disconnect()),
      login: done((_params, signal) => this.#logIn(signal)),
      ping: async (_params, signal) => {
        const began = performance.now();
        await server.session.ping({ signal });
        return { ms: performance.now() - began };
      },
      'tools/list': async (_params, signal) => ({ tools: await server.session.listTools({ signal }) }),
      'tools/call': (params, signal) => {
        const callId = params.text('callId');
        return server.session.callTool(params.text('name'), params.object('arguments'), {
          signal,
          timeout: 0,
          onProgress: (progress) => this.#send('progress', { ...progress, callId }),
        });
      },
      'resources/list': async (_params, signal) => ({
        resources: await server.session.listResources({ signal }),
        templates: await server.session.listResourceTemplates({ signal }),
      }),
      'resources/read': async (params, signal) => ({
        contents: await server.session.readResource(params.text('uri'), { signal }),
      }),
      'resources/subscribe': done((params, signal) => server.subscribe(params.text('uri'), signal)),
      'resources/unsubscribe': done((params, signal) => server.unsubscribe(params.text('uri'), signal)),
      'prompts/list': async (_params, signal) => ({ prompts: await server.session.listPrompts({ signal }) }),
      'prompts/get': (params, signal) =>
        server.session.getPrompt(params.text('name'), params.textMembers('arguments'), { signal }),
      complete: (params, signal) => server.session.complete(readCompletion(params), { signal }),
      'log-level/set': done((params, signal) => server.setLogLevel(params.choice('level', LOG_LEVELS), signal)),
      'roots/set': done((params) => server.setRoots(readRoots(params))),
      'questions/answer': done((params) => this.#questions.answer(readAnswer(params))),
      'messages/send': done((params) => server.sendRaw(params.text('text'))),
      'checks/list': async () => {
        const { listChecks } = await import('./run-check.ts');
        return { checks: listChecks() };
      },
      'checks/run': async (params, signal) => {
        const { runCheck } = await import('./run-check.ts');
        if (this.#target === undefined) throw new Error('There is no server to check. Connect to one first.');
        return await runCheck({
          target: this.#target,
          tools: params.choice('tools', ['call', 'leave']),
          cwd: places.cwd,
          variables: places.variables,
          signal,
          onResult: (result, index, count) => this.#send('checks/progress', { result, index, count }),
        });
      },
    };
  }

  async #connect(choice: TargetChoice, protocolVersion: string | undefined): Promise<ServerFacts> {
    const target = await this.#resolve(choice);
    this.#target = target;
    try {
      return await this.#server.connect(target, protocolVersion || undefined);
    } catch (error) {
      const problem = explainFailure(error as Error, target);
      throw new FailedCall(Failure.notConnected, problem.message, problem);
    }
  }

  async #logIn(signal: AbortSignal): Promise<void> {
    const target = this.#target;
    if (target === undefined) throw new Error('There is no server to log in to. Connect to one first.');
    const obstacle = loginObstacle(target);
    if (target.kind !== 'http' || obstacle !== undefined) throw new Error(obstacle);
    const { logIn } = await import('@hawser/client/login/log-in');
    await logIn(target, {
      stateFolder: this.#options.places.stateFolder,
      port: 0,
      signal,
      showPage: (page, listener, ended) => {
        this.#send('login/page', { url: page });
        return listener.response(new URL(page).searchParams.get('state') ?? '', ended);
      },
    });
  }

  async #resolve(choice: TargetChoice): Promise<Target> {
    return withLogin(await this.#chosen(choice), this.#options.places.stateFolder);
  }

  async #chosen(choice: TargetChoice): Promise<Target> {
    const { places, given } = this.#options;
    switch (choice.kind) {
      case 'given':
        if (given === undefined) throw new Error('The command line names no server.');
        return given.target;
      case 'last':
        if (this.#target === undefined) throw new Error('There is no server to connect to again.');
        return this.#target;
      case 'stdio': {
        const target = await resolveTarget({ stdio: choice.command }, places);
        return target.kind === 'stdio' ? { ...target, env: choice.env } : target;
      }
      case 'url':
        return await resolveTarget({ url: choice.url, header: choice.headers }, places);
      case 'lock':
        return await resolveTarget({ lock: choice.path }, places);
      case 'server':
        return await resolveTarget({ server: choice.name, config: choice.config }, places);
    }
  }
}

/** A call that is answered with nothing when the work is done. */
function done(work: (params: CallParams, signal: AbortSignal) => void | Promise<void>) {
  return async (params: CallParams, signal: AbortSignal) => {
    await work(params, signal);
    return {};
  };
}

/** What the page gets: the words of the failure, and what the server answered if it was an error. */
function forPage(error: unknown): Error {
  if (error instanceof FailedCall) return error;
  if (!(error instanceof RpcError)) {
    return new RpcError(Failure.other, messageOf(error));
  }
  const { code, message, data } = error;
  return new RpcError(Failure.answeredWithError, message, { code, data });
}

function tokenOf(origin: unknown): string {
  return (origin as Origin | undefined)?.principal?.id ?? '';
}
