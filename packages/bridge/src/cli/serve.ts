import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { openBridge } from '../bridge.ts';
import { claudeLockFolder } from '../discovery/claude-lock.ts';
import type { Door } from '../door.ts';
import { claudeCodeDoor } from '../doors/claude-code/door.ts';
import { jetbrainsDoor } from '../doors/jetbrains/door.ts';
import type { DiffDecision, Proposal } from '../editor.ts';
import { workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import { makeGuard } from '../guard.ts';
import { type CodeServer, codeServer } from './code-server.ts';
import type { Environment } from './environment.ts';
import { CommandFailed, ExitCode } from './exit-codes.ts';
import { type Log, openLog } from './log.ts';

export const DOORS = ['claude-code', 'jetbrains'] as const;
export type DoorName = (typeof DOORS)[number];
export type ReviewPolicy = 'ask' | 'accept' | 'reject';

export interface ServeOptions {
  readonly workspace: string;
  readonly port: number | undefined;
  readonly doors: readonly DoorName[];
  readonly review: ReviewPolicy;
  readonly logFile: string | undefined;
  readonly json: boolean;
  readonly diagnostics: string | undefined;
  readonly matcher: 'tsc' | 'gcc' | 'eslint-json';
  readonly format: string | undefined;
  readonly deny: readonly string[];
  /** Starts the MCP server that runs code for agents. */
  readonly executeCode?: string | undefined;
  /** Its tool. */
  readonly executeTool: string;
}

export interface Running {
  /** Takes everything down. Safe to call twice. */
  close(): Promise<void>;
  /** What cannot wait, when the process ends at once. */
  removeLocks(): void;
}

/** Serves a workspace to agents until it is closed. */
export async function serve(options: ServeOptions, environment: Environment): Promise<Running> {
  const folder = workspaceFolder(options.workspace, environment);
  const log = openLog({ file: options.logFile, json: options.json, stderr: environment.stderr });
  const editor = workspaceEditor({
    folders: [folder],
    reviewer: reviewerOf(options.review, log),
    onProblem: (problem) => log.error('editor', { message: problem.message }),
    ...(options.diagnostics !== undefined && {
      diagnosticsCommand: { command: ['sh', '-c', options.diagnostics], matcher: options.matcher },
    }),
    ...(options.format !== undefined && { formatCommand: { command: words(options.format) } }),
  });
  const code = codeServerOf(options, folder, environment, log);
  const doors = options.doors.map((name) => makeDoor(name, folder, options, environment, log, code));
  const bridge = await openBridge(editor, doors).catch(async (error: unknown) => {
    await editor.close();
    throw explain(error);
  });
  for (const { address, lockPath } of bridge.doors) {
    environment.stdout(`hawser: listening on ${address} lock ${lockPath ?? '(none)'}`);
  }
  return {
    close: async () => {
      await bridge.close();
      await code?.close();
    },
    removeLocks: () => {
      for (const door of bridge.doors) door.removeLock();
    },
  };
}

function workspaceFolder(workspace: string, { cwd }: Environment): string {
  const path = resolve(cwd, workspace);
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch {
    throw new CommandFailed(ExitCode.noWorkspace, `There is no folder ${path}; name one with --workspace`);
  }
  throw new CommandFailed(ExitCode.noWorkspace, `${path} is not a folder; name one with --workspace`);
}

function codeServerOf(options: ServeOptions, folder: string, { version }: Environment, log: Log) {
  const { executeCode: command, executeTool: tool } = options;
  if (command === undefined) return undefined;
  const identity = { name: 'Hawser', version };
  return codeServer({ command, tool, folder, identity, onStderr: (text) => log.info('code', { text }) });
}

function makeDoor(
  name: DoorName,
  folder: string,
  options: ServeOptions,
  environment: Environment,
  log: Log,
  code: CodeServer | undefined,
): Door {
  const { home, stateFolder, pid, version, isWindows, claudeConfigDir } = environment;
  const common = {
    guard: makeGuard({ folders: [folder], deny: options.deny, home }),
    identity: { name: 'Hawser', version },
    stateFolder,
    pid,
    // A port that was asked for is the first door's; two cannot share it.
    port: name === options.doors[0] ? options.port : undefined,
    onClient: (client: object) => log.info('client', { door: name, ...client }),
    onLockEvent: (event: object) => log.info('lock', { door: name, ...event }),
  };
  if (name === 'jetbrains') return jetbrainsDoor(common);
  const lockFolder = claudeLockFolder({ configDir: claudeConfigDir, home });
  return claudeCodeDoor({
    ...common,
    lockFolder,
    ideName: 'Hawser',
    runningInWindows: isWindows,
    evaluate: code?.evaluate,
  });
}

/** Without a view of its own the embedded editor decides by policy, or leaves the proposal open. */
function reviewerOf(policy: ReviewPolicy, log: Log) {
  return async (proposal: Proposal, { signal }: { readonly signal: AbortSignal }): Promise<DiffDecision> => {
    const { id, path, from } = proposal;
    log.info('proposal', { id, path, from, policy });
    if (policy === 'accept') return { kind: 'accepted', text: proposal.newText };
    if (policy === 'reject') return { kind: 'rejected' };
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };
}

/** A path in place of `{file}` may hold anything, so no shell comes between. */
function words(command: string): [string, ...string[]] {
  const [program = '', ...args] = command.trim().split(/\s+/);
  return [program, ...args];
}

function explain(error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new CommandFailed(ExitCode.portInUse, `${message}; choose another with --port, or none for any free one`);
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return new CommandFailed(ExitCode.lockNotWritable, `The lock file cannot be written: ${message}`);
  }
  return error instanceof Error ? error : new Error(String(error));
}
