import type { Access } from './access/access.ts';
import { shareEditor } from './access/shared-editor.ts';
import type { AgentAdapter, AgentClient, BridgeIdentity, BridgeServices, OpenAdapter } from './agent.ts';
import type { ControlClient } from './control/control-client.ts';
import { openControlHost } from './control/host.ts';
import type { ControlHome } from './control/place.ts';
import type { Editor } from './editor.ts';
import { FileWatch } from './editors/file-watch.ts';
import { type Log, SILENT } from './log.ts';
import type { ReviewQueue } from './review/queue.ts';
import type { Reviewer } from './review/reviewer.ts';
import { openReviewing } from './reviewing.ts';
import { Traffic } from './traffic/traffic.ts';

export interface BridgeOptions {
  readonly editor: Editor;
  readonly agents: readonly AgentAdapter[];
  /** Show proposals to the user; `hawser review` attaches others. Without a list, agents can't propose changes. */
  readonly reviewers?: readonly Reviewer[] | undefined;
  /** What agents may see. The bridge sets its folders to those of the editor. */
  readonly access: Access;
  readonly identity: BridgeIdentity;
  readonly log?: Log | undefined;
  /** Where the bridge keeps what must outlive it. Without it, a text that the user typed is kept in memory alone. */
  readonly stateFolder?: string | undefined;
  /** Whether decisions are remembered in the state folder, for `hawser log` and `hawser undo`. Default `kept`. */
  readonly history?: 'kept' | 'off' | undefined;
  /** Whether changes that agents make unasked are noticed and shown. Default `on`. */
  readonly noticing?: 'on' | 'off' | undefined;
  /** Where `hawser review`, `status` and the other commands look for bridges; without it they can't reach this one. */
  readonly control?: ControlHome | undefined;
  /** Called when `hawser stop` asks for the end. Default: closes the bridge. */
  readonly onStop?: (() => void) | undefined;
  /** Called after agents connect or disconnect, and when the user pauses or resumes. */
  readonly onChange?: (() => void) | undefined;
}

export interface Bridge {
  readonly agents: readonly OpenAdapter[];
  /** Adapters that could not be opened. */
  readonly failures: readonly AdapterFailure[];
  readonly reviews: ReviewQueue;
  /** What the commands do, within this process. */
  connect(): ControlClient;
  /** Removes the files by which agents and commands find the bridge, for a process that is about to end. */
  removeDiscovery(): void;
  /** Withdraws open proposals, closes all connections and the editor. Safe to call twice. */
  close(): Promise<void>;
}

export interface AdapterFailure {
  readonly name: string;
  readonly error: Error;
}

/**
 * Joins one editor, its agents and the user's reviewers. An adapter that can't be opened is logged and leaves the others
 * open; rejects with the first failure if none can be opened. The caller then still owns the editor.
 */
export async function openBridge(options: BridgeOptions): Promise<Bridge> {
  const { editor, access, identity, log = SILENT, reviewers } = options;
  const problem = (error: Error) => log.error('problem', { message: messageOf(error) });
  const watch = (onChange: (path: string) => void) =>
    new FileWatch(onChange, (error) => log.info('not watching', { message: messageOf(error) }));
  const agents: OpenAdapter[] = [];
  const folders = () => access.folders;
  const suspect = () => lastActive(agents);
  const reviewing = openReviewing({ ...options, folders, suspect, watch, onProblem: problem });
  const { reviews } = reviewing;
  for (const reviewer of reviewers ?? []) reviews.attach(reviewer);
  const unlog = reviews.subscribe((event) => {
    const { id, path, agent } = event.proposal;
    log.info(`proposal ${event.kind}`, {
      id,
      path,
      agent,
      ...(event.kind === 'removed' && { outcome: event.outcome.kind }),
    });
  });
  access.folders = await editor.workspaceFolders();
  const shared = await shareEditor(editor, access, problem);
  const traffic = new Traffic();
  const failures: AdapterFailure[] = [];

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  const control = await openControlHost({
    home: options.control,
    log,
    identity,
    editor,
    shared,
    access,
    reviews,
    agents: () => agents,
    failures: () => failures,
    traffic,
    undo: (id) => reviewing.undo(id),
    keptFiles: () => reviewing.keptFiles(),
    stop: options.onStop ?? (() => void close()),
  });
  const changed = () => {
    reviewing.agentsChanged();
    control.changed();
    options.onChange?.();
  };
  const stops = [unlog, access.subscribe(changed), () => shared.close()];
  const removeDiscovery = () => {
    control.removeSocket();
    for (const agent of agents) agent.removeDiscovery();
  };
  const closeAll = async () => {
    removeDiscovery();
    // Agents first: they would take a withdrawn proposal for a rejected one.
    await Promise.all(agents.map((agent) => agent.close()));
    await reviewing.close('the bridge ended');
    for (const stop of stops) stop();
    await control.close();
    await editor.close();
  };

  const services: BridgeServices = {
    editor: shared,
    reviews: reviewers === undefined ? undefined : reviews,
    identity,
    log,
    traffic,
    clientsChanged: changed,
  };
  const open = (adapters: readonly AgentAdapter[]) =>
    Promise.allSettled(adapters.map(async (adapter) => adapter.open(services)));
  // The first one alone, so that its agents need not wait for the others.
  const opened = [...(await open(options.agents.slice(0, 1))), ...(await open(options.agents.slice(1)))];
  for (const [index, result] of opened.entries()) {
    if (result.status === 'fulfilled') {
      agents.push(result.value);
      continue;
    }
    const { name } = options.agents[index] as AgentAdapter; // the lists have the same length
    const error = result.reason instanceof Error ? result.reason : new Error(String(result.reason));
    failures.push({ name, error });
    log.error('agent', { agent: name, message: error.message });
  }
  const [failure] = failures;
  if (agents.length === 0 && failure !== undefined) {
    removeDiscovery();
    for (const stop of stops) stop();
    await control.close();
    throw failure.error;
  }
  return { agents, failures, reviews, connect: () => control.connect(), removeDiscovery, close };
}

/** The connected agent that sent something last; one that has sent nothing for long did not change anything. */
function lastActive(agents: readonly OpenAdapter[]): { readonly name: string } | undefined {
  const since = Date.now() - IDLE_MS;
  const clients = agents.flatMap((agent) => agent.clients()).filter(({ state }) => state === 'ready');
  const activity = ({ lastActivity }: AgentClient) => lastActivity?.getTime() ?? 0;
  const [last] = clients.sort((one, other) => activity(other) - activity(one));
  return last !== undefined && activity(last) > since ? { name: last.name } : undefined;
}

const IDLE_MS = 60 * 60 * 1000;

function messageOf(error: Error): string {
  return error.cause instanceof Error && !error.message.includes(error.cause.message)
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}
