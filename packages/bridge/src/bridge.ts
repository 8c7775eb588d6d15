import type { Duplex } from 'node:stream';
import { asError } from '@hawser/unknown-values/thrown';
import type { Access } from './access/access.ts';
import { shareEditor } from './access/shared-editor.ts';
import type { AgentAdapter, AgentClient, BridgeIdentity, BridgeServices, OpenAdapter } from './agent.ts';
import { closeAll, together } from './close-all.ts';
import type { ControlClient } from './control/control-client.ts';
import { type ControlHost, openControlHost } from './control/host.ts';
import type { ControlHome } from './control/place.ts';
import type { Editor } from './editor.ts';
import { FileWatch } from './editors/file-watch.ts';
import type { AnswerHook, GatedBridge } from './gate.ts';
import { type Log, SILENT } from './log.ts';
import { LastChanges } from './review/last-changes.ts';
import type { ReviewQueue } from './review/queue.ts';
import type { Reviewer } from './review/reviewer.ts';
import { lazyPages } from './review/reviewers/web/lazy-pages.ts';
import { openReviewing, type ReviewingOptions } from './reviewing.ts';
import { Traffic } from './traffic/traffic.ts';

export interface BridgeOptions extends Pick<ReviewingOptions, 'stateFolder' | 'history' | 'noticing' | 'rules'> {
  readonly editor: Editor;
  /** Makes what serves the windows of editors that join through the control socket; without it, none can. */
  readonly windows?: ((services: WindowServices) => Windows) | undefined;
  readonly agents: readonly AgentAdapter[];
  /** Show proposals to the user; `hawser review` attaches others. Without a list, agents can't propose changes. */
  readonly reviewers?: readonly Reviewer[] | undefined;
  /** What agents may see. The bridge sets its folders to those of the editor. */
  readonly access: Access;
  readonly identity: BridgeIdentity;
  readonly log?: Log | undefined;
  /** The names of agents whose gate is on. */
  readonly gates?: (() => Promise<readonly string[]>) | undefined;
  /** What the user of an agent does so that it asks before it edits, by its adapter and its name. */
  readonly adviceFor?: ((adapter: string, client: string) => string | undefined) | undefined;
  /** Where `hawser review`, `status` and the other commands look for bridges; without it they can't reach this one. */
  readonly control?: ControlHome | undefined;
  /** Called when `hawser stop` asks for the end. Default: closes the bridge. */
  readonly onStop?: (() => void) | undefined;
  /** Answers the hooks of agents that ask before they change something; without it they are refused. */
  readonly gate?: ((bridge: GatedBridge) => AnswerHook) | undefined;
  /** Closes the bridge while it opens. */
  readonly signal?: AbortSignal | undefined;
  /** Called after agents connect or disconnect, and when the user pauses or resumes. */
  readonly onChange?: (() => void) | undefined;
}

export interface Bridge {
  readonly agents: readonly OpenAdapter[];
  /** Adapters that could not be opened. */
  readonly failures: readonly AdapterFailure[];
  readonly reviews: ReviewQueue;
  readonly lastChanges: Pick<LastChanges, 'of'>;
  /** What the commands do, within this process. */
  connect(): ControlClient;
  /** Removes the files by which agents and commands find the bridge, for a process that is about to end. What fails is logged. */
  removeDiscovery(): void;
  /**
   * Withdraws open proposals, closes all connections and the editor. Rejects with the first failure, after everything is
   * closed. Safe to call twice.
   */
  close(): Promise<void>;
}

/** What the windows of editors work with. */
export interface WindowServices {
  readonly reviews: ReviewQueue;
  readonly access: Access;
  /** Asked each time: adapters open later. */
  readonly agents: () => readonly OpenAdapter[];
  readonly identity: BridgeIdentity;
  readonly onProblem: (problem: Error) => void;
}

/** The windows of editors that have joined a bridge. */
export interface Windows {
  /** Serves an editor that has connected, until it leaves. */
  accept(stream: Duplex): void;
  /** Agents, proposals or the pause have changed. */
  changed(): void;
  close(): Promise<void>;
}

export interface AdapterFailure {
  readonly name: string;
  readonly error: Error;
}

/**
 * Joins one editor, its agents and the user's reviewers. An adapter that can't be opened is logged and leaves the others
 * open; rejects with the first failure if none can be opened, and if the bridge is closed while it opens. Then nothing of
 * it is left, an adapter that opens later is closed at once, and the caller still owns the editor.
 */
export async function openBridge(options: BridgeOptions): Promise<Bridge> {
  const { editor, access, identity, log = SILENT, reviewers } = options;
  const problem = (error: Error) => log.error('problem', { message: messageOf(error) });
  const watch = (onChange: (path: string) => void) =>
    new FileWatch(onChange, (error) => log.info('not watching', { message: messageOf(error) }));
  /** By their place in the list of adapters; those that are not open are missing. */
  const opened: (OpenAdapter | undefined)[] = [];
  const agents = () => opened.flatMap((agent) => agent ?? []);
  const failures: AdapterFailure[] = [];
  const traffic = new Traffic();
  const lastChanges = new LastChanges();
  const reviewing = openReviewing({
    ...options,
    folders: () => access.folders,
    suspect: () => lastActive(agents(), options.adviceFor),
    watch,
    onProblem: problem,
  });
  const { reviews } = reviewing;
  for (const reviewer of reviewers ?? []) reviews.attach(reviewer);
  const unlog = reviews.subscribe((event) => {
    const { id, path, agent } = event.proposal;
    if (lastChanges.note(event)) changed();
    log.info(`proposal ${event.kind}`, {
      id,
      path,
      agent,
      ...(event.kind === 'removed' && { outcome: event.outcome.kind }),
    });
  });
  let control: ControlHost | undefined;
  const changed = () => {
    reviewing.agentsChanged();
    control?.changed();
    windows?.changed();
    options.onChange?.();
  };
  const windows = options.windows?.({ reviews, access, agents, identity, onProblem: problem });
  const stops = [unlog];
  const removeDiscovery = () => {
    for (const remove of [() => control?.removeSocket(), ...agents().map((agent) => () => agent.removeDiscovery())]) {
      try {
        remove();
      } catch (error) {
        problem(asError(error));
      }
    }
  };
  const closed = new AbortController();
  let closingParts: Promise<void> | undefined;
  const closeParts = () => {
    closed.abort(new Error('The bridge was closed while it opened'));
    closingParts ??= closeAll([
      () => control?.removeSocket(),
      ...agents().map((agent) => () => agent.removeDiscovery()),
      // Agents first: they would take a withdrawn proposal for a rejected one.
      () => together(agents(), (agent) => agent.close()),
      () => reviewing.close('the bridge ended'),
      ...stops,
      () => windows?.close(),
      () => control?.close(),
    ]);
    return closingParts;
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll([closeParts, () => editor.close()]);
    return closing;
  };

  const openParts = async () => {
    access.folders = await editor.workspaceFolders();
    const shared = await shareEditor(editor, access, problem);
    stops.push(() => shared.close());
    control = await openControlHost({
      home: options.control,
      log,
      identity,
      editor,
      shared,
      access,
      agents,
      failures: () => failures,
      traffic,
      ...reviewing,
      openPages: lazyPages,
      lastChanges,
      gates: options.gates,
      answerHook: options.gate?.({ editor: shared, reviews }),
      stop: options.onStop ?? (() => void close().catch(problem)),
      acceptEditor: windows && ((socket) => windows.accept(socket)),
    });
    if (closed.signal.aborted) await closeAll([() => shared.close(), () => control?.close()]);
    closed.signal.throwIfAborted();
    stops.push(access.subscribe(changed));
    let allOpened = () => {};
    const services: BridgeServices = {
      editor: shared,
      reviews: reviewers === undefined ? undefined : reviews,
      identity,
      log,
      traffic,
      endpoints: new Set(),
      opened: new Promise((resolve) => {
        allOpened = resolve;
      }),
      clientsChanged: changed,
    };
    const open = async (adapter: AgentAdapter, index: number) => {
      if (closed.signal.aborted) return;
      try {
        const agent = await adapter.open(services);
        if (closed.signal.aborted) await agent.close();
        else opened[index] = agent;
      } catch (reason) {
        const error = asError(reason);
        failures.push({ name: adapter.name, error });
        log.error('agent', { agent: adapter.name, message: error.message });
      }
    };
    const [first, ...others] = options.agents;
    // The first one alone, so that its agents need not wait for the others.
    if (first !== undefined) await open(first, 0);
    await Promise.all(others.map((adapter, index) => open(adapter, index + 1)));
    allOpened();
    const [failure] = failures;
    if (agents().length === 0 && failure !== undefined) throw failure.error;
    return control;
  };

  try {
    const host = await unlessAborted(openParts(), [closed.signal, ...(options.signal ? [options.signal] : [])]);
    // One that ends with the decision on a hook has no turn to remember.
    if (identity.isStandIn !== true) void reviewing.mark('the bridge started');
    const connect = () => host.connect();
    return { agents: agents(), failures, reviews, lastChanges, connect, removeDiscovery, close };
  } catch (error) {
    await closeParts().catch(problem);
    throw error;
  }
}

/** The result; rejects with the reason as soon as one of the signals is aborted. */
async function unlessAborted<T>(result: Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
  const signal = AbortSignal.any([...signals]);
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
  });
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The connected agent that sent something last; one that has sent nothing for long did not change anything. */
function lastActive(
  agents: readonly OpenAdapter[],
  adviceFor: BridgeOptions['adviceFor'],
): ReturnType<ReviewingOptions['suspect']> {
  const since = Date.now() - IDLE_MS;
  const clients = agents.flatMap((adapter) => adapter.clients().map((client) => ({ adapter, client })));
  const activity = ({ client }: { readonly client: AgentClient }) => client.lastActivity?.getTime() ?? 0;
  const [last] = clients
    .filter(({ client }) => client.state === 'ready')
    .sort((one, other) => activity(other) - activity(one));
  if (last === undefined || activity(last) <= since) return undefined;
  const { name } = last.client;
  return { name, advice: adviceFor?.(last.adapter.name, name) };
}

const IDLE_MS = 60 * 60 * 1000;

function messageOf(error: Error): string {
  return error.cause instanceof Error && !error.message.includes(error.cause.message)
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}
