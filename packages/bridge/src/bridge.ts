import type { Access } from './access/access.ts';
import { readOldText } from './access/old-text.ts';
import { realPath } from './access/paths.ts';
import { shareEditor } from './access/shared-editor.ts';
import type { AgentAdapter, BridgeIdentity, BridgeServices, OpenAdapter } from './agent.ts';
import type { ControlClient } from './control/control-client.ts';
import { openControlHost } from './control/host.ts';
import type { ControlHome } from './control/place.ts';
import type { Editor } from './editor.ts';
import { FileWatch } from './editors/file-watch.ts';
import { type Log, SILENT } from './log.ts';
import type { Proposal } from './review/proposal.ts';
import { ReviewQueue } from './review/queue.ts';
import type { Reviewer } from './review/reviewer.ts';
import { refreshStale } from './review/stale.ts';
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
  const reviews = new ReviewQueue({ onProblem: problem });
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
  const agents: OpenAdapter[] = [];
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
    stop: options.onStop ?? (() => void close()),
  });
  const changed = () => {
    control.changed();
    options.onChange?.();
  };
  const stops = [
    unlog,
    access.subscribe(changed),
    refreshStale(reviews, {
      watch: (onChange) => new FileWatch(onChange, (error) => log.info('not watching', { message: messageOf(error) })),
      read: readAgain,
      onProblem: problem,
    }),
    () => shared.close(),
  ];
  const removeDiscovery = () => {
    control.removeSocket();
    for (const agent of agents) agent.removeDiscovery();
  };
  const closeAll = async () => {
    removeDiscovery();
    // Agents first: they would take a withdrawn proposal for a rejected one.
    await Promise.all(agents.map((agent) => agent.close()));
    reviews.close('the bridge ended');
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

/** Paths of proposals are real ones. One that is a link by now may lead out of the workspace. */
async function readAgain({ path, oldPath = path, newText }: Proposal): Promise<string | undefined> {
  if ((await realPath(oldPath)) !== oldPath) throw new Error(`It is a symbolic link now: ${oldPath}`);
  return await readOldText(oldPath, newText);
}

function messageOf(error: Error): string {
  return error.cause instanceof Error && !error.message.includes(error.cause.message)
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}
