import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { makeAccess } from '../access/access.ts';
import { makeAdapters } from '../agents/make-adapters.ts';
import { openGate } from '../agents/open-gate.ts';
import { type Bridge, openBridge } from '../bridge.ts';
import type { ControlClient } from '../control/control-client.ts';
import { EditorWindows } from '../editor-windows.ts';
import { joinedEditor } from '../editors/remote/joined-editor.ts';
import type { RemoteEditor } from '../editors/remote/remote-editor.ts';
import { workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import { policyReviewer } from '../review/reviewers/policy/policy-reviewer.ts';
import { adviceFor } from './agent-reviews.ts';
import { type CodeOptions, codeServerOf } from './code-options.ts';
import type { Environment } from './environment.ts';
import { openLog } from './log.ts';
import { TrustedFolders } from './trusted-folders.ts';
import { workspaceFolder } from './workspace-folder.ts';

export type ReviewPolicy = 'ask' | 'accept' | 'reject';

export interface ServeOptions extends CodeOptions {
  readonly workspace: string;
  readonly port: number | undefined;
  readonly agents: readonly string[];
  readonly review: ReviewPolicy;
  readonly logFile: string | undefined;
  readonly logLevel: 'info' | 'error';
  readonly json: boolean;
  readonly diagnostics: string | undefined;
  readonly matcher: 'tsc' | 'gcc' | 'eslint-json';
  readonly format: string | undefined;
  readonly languageServers: 'auto' | 'path' | 'off';
  /** Programs of the workspace may be run, whether or not the user has trusted it before. */
  readonly trust?: true | undefined;
  readonly deny: readonly string[];
  readonly history?: 'kept' | 'off' | undefined;
  readonly noticing?: 'on' | 'off' | undefined;
  /** See `BridgeIdentity`. */
  readonly isStandIn?: boolean;
  /** What agents call the editor. Default `Hawser`. */
  readonly ideName?: string;
}

export interface Running {
  /** Lets a window of an editor join. The returned function lets it leave. */
  join(window: RemoteEditor): () => void;
  /** What `hawser review` and the other commands do, within this process. */
  control(): ControlClient;
  /** The user's text editor has the terminal, and Ctrl-C is meant for it. */
  isEditing?(): boolean;
  /** Safe to call twice. */
  close(): Promise<void>;
  /** For a process that is about to end. */
  removeDiscovery(): void;
}

/** Serves a workspace to agents until it is closed. `stop` is called when a command asks for the end. */
export async function serve(options: ServeOptions, environment: Environment, stop: () => void): Promise<Running> {
  const folder = workspaceFolder(options.workspace, environment);
  const { logFile: file, logLevel: level, json } = options;
  const log = openLog({ file, level, json, stderr: environment.stderr });
  const access = makeAccess({ folders: [folder], deny: options.deny, home: environment.home });
  const trusted = new TrustedFolders(environment.stateFolder);
  const onProblem = (problem: Error) => log.error('editor', { message: problem.message });
  const base = workspaceEditor({
    folders: [folder],
    stateFolder: environment.stateFolder,
    onProblem,
    ...(options.diagnostics !== undefined && {
      diagnosticsCommand: { command: ['sh', '-c', options.diagnostics], matcher: options.matcher },
    }),
    ...(options.languageServers !== 'off' && {
      languageServers: {
        find: options.languageServers,
        searchPath: environment.searchPath,
        isTrusted: (root: string) => options.trust === true || trusted.has(root),
      },
    }),
    ...(options.format !== undefined && { formatCommand: { command: words(options.format) } }),
  });
  const editor = joinedEditor(base, onProblem);
  let windows: EditorWindows | undefined;
  const code = await codeServerOf(options, folder, environment, log);
  const { version, pid } = environment;
  const bridge = await openBridge({
    editor,
    windows: (services) => {
      windows = new EditorWindows({ ...services, editor, stateFolder: environment.stateFolder });
      return windows;
    },
    access,
    log,
    identity: { name: 'Hawser', version, pid, isStandIn: options.isStandIn },
    agents: makeAdapters(
      options.agents,
      { port: options.port, ideName: options.ideName ?? 'Hawser', evaluate: code?.evaluate },
      environment,
    ),
    reviewers: options.review === 'ask' ? [] : [policyReviewer(options.review)],
    control: environment,
    stateFolder: environment.stateFolder,
    history: options.history,
    noticing: options.noticing,
    adviceFor,
    gates: async () => (await import('./gate.ts')).gatesOn(folder, environment),
    gate: openGate,
    onStop: stop,
  }).catch(async (error: unknown) => {
    await editor.close();
    throw explain(error);
  });
  const taken = portProblem(bridge, options.port);
  if (taken !== undefined) {
    await bridge.close();
    throw taken;
  }
  for (const line of firstLines(bridge)) environment.stdout(line);
  for (const { name, error } of bridge.failures) {
    environment.stderr(`hawser: ${name} agents can't connect: ${explain(error).message}`);
  }
  return {
    join: (window) => windows?.join(window) ?? (() => {}),
    control: () => bridge.connect(),
    close: async () => {
      await bridge.close();
      await code?.close();
    },
    removeDiscovery: () => bridge.removeDiscovery(),
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

/** The port that the user chose can't be used. The other adapters could serve without it, but that is not what was asked for. */
export function portProblem({ failures }: Bridge, port: number | undefined): Error | undefined {
  if (port === undefined) return undefined;
  const failure = failures.find(({ error }) => isAboutPort(error));
  return failure && explain(failure.error);
}

function isAboutPort(error: unknown): boolean {
  const { code, syscall, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  // A socket has a path instead.
  return code === 'EADDRINUSE' || (code === 'EACCES' && syscall === 'listen' && port !== undefined && port >= 0);
}

export function explain(error: unknown): Error {
  const { code, message, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (isAboutPort(error)) {
    const why = code === 'EADDRINUSE' ? 'is in use' : 'needs rights that you do not have';
    return new CommandFailed(ExitCode.portInUse, `Port ${port} ${why}; choose another`);
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return new CommandFailed(ExitCode.lockNotWritable, `The lock file cannot be written: ${message}`);
  }
  return error instanceof Error ? error : new Error(String(error));
}
