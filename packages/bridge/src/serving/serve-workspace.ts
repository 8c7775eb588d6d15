import { makeAccess } from '../access/access.ts';
import { DEFAULT_AGENTS } from '../agents/agents.ts';
import type { Bridge } from '../bridge.ts';
import type { Environment } from '../command-line/environment.ts';
import { workspaceFolder } from '../command-line/workspace-folder.ts';
import type { ControlClient } from '../control/control-client.ts';
import { EditorWindows } from '../editor-windows.ts';
import { joinedEditor } from '../editors/remote/joined-editor.ts';
import type { OpenPage, RemoteEditor } from '../editors/remote/remote-editor.ts';
import { workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import { policyReviewer } from '../review/reviewers/policy/policy-reviewer.ts';
import { howToReach } from './how-to-reach.ts';
import { openLog } from './open-log.ts';
import { openPage } from './open-page.ts';
import { type CodeOptions, explain, startBridge } from './start-bridge.ts';
import { TrustedFolders } from './trusted-folders.ts';
import { type Lifetime, type Serving, serveUntilEnded } from './until-ended.ts';

export type ReviewPolicy = 'ask' | 'accept' | 'reject';

/** What is left out is as in `hawser serve` without options, unless a line says otherwise. */
export interface ServeOptions extends CodeOptions {
  readonly workspace: string;
  readonly port?: number | undefined;
  readonly agents?: readonly string[] | undefined;
  readonly review?: ReviewPolicy | undefined;
  readonly logFile?: string | undefined;
  /** Default `error`. */
  readonly logLevel?: 'info' | 'error' | undefined;
  readonly json?: boolean | undefined;
  readonly diagnostics?: string | undefined;
  readonly matcher?: 'tsc' | 'gcc' | 'eslint-json' | undefined;
  readonly format?: string | undefined;
  readonly languageServers?: 'auto' | 'path' | 'off' | undefined;
  /** Programs of the workspace may be run, whether or not the user has trusted it before. */
  readonly trust?: true | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly history?: 'kept' | 'off' | undefined;
  readonly noticing?: 'on' | 'off' | undefined;
  /** Seconds without an editor, an agent and a proposal after which it ends; without it, never. */
  readonly idleExit?: number | undefined;
  /** See `BridgeIdentity`. */
  readonly isStandIn?: boolean;
  /** What agents call the editor. Default `Hawser`. */
  readonly ideName?: string;
}

/** The bridge of a workspace. */
export interface ServedWorkspace extends Serving {
  /** Lets a window of an editor join. The returned function lets it leave. */
  join(window: RemoteEditor): () => void;
  /** What `hawser review` and the other commands do, within this process. */
  control(): ControlClient;
}

/** `hawser serve` without a view. */
export async function runServe(options: ServeOptions, environment: Environment): Promise<void> {
  await serveUntilEnded((lifetime) => serveWorkspace(options, environment, lifetime), environment);
}

/** Serves a workspace to agents until it is closed. */
export async function serveWorkspace(
  options: ServeOptions,
  environment: Environment,
  { signal, end }: Lifetime,
): Promise<ServedWorkspace> {
  const { port, review = 'ask', ideName = 'Hawser', languageServers = 'auto', history, noticing } = options;
  const folder = workspaceFolder(options.workspace, environment);
  const { logFile: file, logLevel: level = 'error', json = false } = options;
  const log = openLog({ file, level, json, stderr: environment.stderr });
  const access = makeAccess({ folders: [folder], deny: options.deny, home: environment.home });
  const trusted = new TrustedFolders(environment.stateFolder);
  const onProblem = (problem: Error) => log.error('editor', { message: problem.message });
  const base = workspaceEditor({
    folders: [folder],
    stateFolder: environment.stateFolder,
    onProblem,
    ...(options.diagnostics !== undefined && {
      diagnosticsCommand: { command: ['sh', '-c', options.diagnostics], matcher: options.matcher ?? 'tsc' },
    }),
    ...(languageServers !== 'off' && {
      languageServers: {
        find: languageServers,
        searchPath: environment.searchPath,
        isTrusted: (root: string) => options.trust === true || trusted.has(root),
      },
    }),
    ...(options.format !== undefined && { formatCommand: { command: words(options.format) } }),
  });
  const editor = joinedEditor(base, onProblem);
  let windows: EditorWindows | undefined;
  let isUsed = () => true;
  const onChange = options.idleExit === undefined ? () => {} : whenIdle(options.idleExit, () => isUsed(), end);
  const { version, pid, stateFolder } = environment;
  let commands: ControlClient | undefined;
  const opensPage: OpenPage = (wish) => {
    commands ??= bridge.connect();
    return openPage(commands, wish, environment);
  };
  const bridge: Bridge = await startBridge(
    {
      editor,
      windows: (services) => {
        const facts = () => ({ name: ideName, ...howToReach(services.agents(), { ...environment, cwd: folder }) });
        windows = new EditorWindows({ ...services, editor, stateFolder, onChange, openPage: opensPage, facts });
        return windows;
      },
      access,
      control: environment,
      log,
      identity: { name: 'Hawser', version, pid, isStandIn: options.isStandIn },
      agents: options.agents ?? DEFAULT_AGENTS,
      port,
      ideName,
      executeCode: options.executeCode,
      executeTool: options.executeTool,
      reviewers: review === 'ask' ? [] : [policyReviewer(review)],
      rules: review === 'ask' ? undefined : 'ignored',
      history,
      noticing,
      onStop: end,
      onChange,
      signal,
    },
    environment,
  );
  isUsed = () =>
    (windows?.size ?? 0) > 0 ||
    bridge.agents.some((agent) => agent.clients().length > 0) ||
    bridge.reviews.list().length > 0;
  bridge.reviews.subscribe(onChange);
  onChange();
  for (const line of firstLines(bridge)) environment.stdout(line);
  for (const { name, error } of bridge.failures) {
    environment.stderr(`hawser: ${name} agents can't connect: ${explain(error).message}`);
  }
  return {
    join: (window) => windows?.join(window) ?? (() => {}),
    control: () => bridge.connect(),
    close: () => bridge.close(),
    removeDiscovery: () => bridge.removeDiscovery(),
  };
}

/**
 * Serves a workspace within a command that does something else, and says nothing but problems. It closes when `hawser stop`
 * asks for it, and the command goes on.
 */
export async function serveQuietly(
  options: ServeOptions,
  environment: Environment,
  signal: AbortSignal,
): Promise<ServedWorkspace> {
  const quiet = { ...environment, stdout: () => {} };
  let close = () => {};
  const running = await serveWorkspace(options, quiet, { signal, end: () => close() });
  const removeDiscovery = () => running.removeDiscovery();
  process.once('exit', removeDiscovery);
  close = () => void running.close().catch((error: Error) => environment.stderr(`hawser: ${error.message}`));
  return {
    ...running,
    close: async () => {
      process.off('exit', removeDiscovery);
      await running.close();
    },
  };
}

/** Returns what to call when something may have changed. Calls `end` once nothing was used for that long. */
function whenIdle(seconds: number, isUsed: () => boolean, end: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    if (isUsed()) {
      clearTimeout(timer);
      timer = undefined;
    } else timer ??= setTimeout(end, seconds * 1000);
  };
}

/** Where the first adapter listens, and which others do: their addresses would fill the screen. */
function firstLines({ agents: [first, ...others] }: Bridge): string[] {
  if (first === undefined) return [];
  // Without the slash of an empty path: scripts that read this line expect the port at the end.
  const addresses = first.endpoints.map((endpoint) => endpoint.replace(/\/$/, '')).join(' ');
  const line = `hawser: listening on ${addresses} lock ${first.discoveryFiles.join(' ') || '(none)'}`;
  const names = others.map(({ name }) => name).join(', ');
  return others.length === 0 ? [line] : [line, `hawser: also open for ${names}; hawser status shows where`];
}

/** The path that replaces `{file}` may contain any character, so the command is not run by a shell. */
function words(command: string): [string, ...string[]] {
  const [program = '', ...args] = command.trim().split(/\s+/);
  return [program, ...args];
}
