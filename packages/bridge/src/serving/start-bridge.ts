import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { asError } from '@hawser/unknown-values/thrown';
import type { Access } from '../access/access.ts';
import { adviceFor } from '../agents/agent-reviews.ts';
import { makeAdapters } from '../agents/make-adapters.ts';
import { openGate } from '../agents/open-gate.ts';
import { type Bridge, type BridgeOptions, openBridge } from '../bridge.ts';
import { closeAll } from '../close-all.ts';
import type { Environment } from '../command-line/environment.ts';
import type { Log } from '../log.ts';
import { readRules } from '../review/rules/rules-file.ts';
import type { CodeServer } from './code-server.ts';

/** The options for code that agents run. */
export interface CodeOptions {
  /** The command that starts an MCP server; undefined if agents may run no code. */
  readonly executeCode?: string | undefined;
  /** The tool of that server that runs code. */
  readonly executeTool?: string | undefined;
}

/** What `startBridge` sets itself. */
type OwnOptions = 'stateFolder' | 'adviceFor' | 'gates' | 'gate';

export interface StartOptions extends Omit<BridgeOptions, OwnOptions | 'agents' | 'rules'>, CodeOptions {
  /** The names of their adapters. */
  readonly agents: readonly string[];
  /** The port that the user chose; a bridge that does not get it does not start. */
  readonly port: number | undefined;
  /** `ignored` if something else decides without asking. Default: those of the user. */
  readonly rules?: 'ignored' | undefined;
  /** What agents call the editor. */
  readonly ideName: string;
  readonly log: Log;
}

/**
 * The one way from the options of a command to a bridge. Rejects with a reason for the user if it can't start, or with that
 * of the signal. Then the editor is closed, and nothing is left.
 */
export async function startBridge(options: StartOptions, environment: Environment): Promise<Bridge> {
  const { editor, access, log, agents, port, ideName, executeCode, executeTool, ...own } = options;
  let code: CodeServer | undefined;
  let bridge: Bridge;
  try {
    options.signal?.throwIfAborted();
    code = await codeServerOf({ executeCode, executeTool }, folderOf(access, environment), environment, log);
    bridge = await openBridge({
      ...own,
      editor,
      access,
      log,
      agents: makeAdapters(agents, { port, ideName, evaluate: code?.evaluate }, environment),
      stateFolder: environment.stateFolder,
      // What the user has told this bridge to do with everything comes before.
      rules: own.rules === 'ignored' ? undefined : () => readRules(environment),
      adviceFor,
      gates: () => gatesIn(access, environment),
      gate: openGate,
    });
  } catch (error) {
    await Promise.allSettled([editor.close(), code?.close()]);
    throw explain(error);
  }
  const close = () => closeAll([() => bridge.close(), () => code?.close()]);
  const taken = portProblem(bridge, port);
  if (taken === undefined) return { ...bridge, close };
  await close().catch((error: Error) => log.error('problem', { message: error.message }));
  throw taken;
}

/** The folder of a bridge: its editor's, or where it was started. */
export function folderOf({ folders }: Pick<Access, 'folders'>, { cwd }: Pick<Environment, 'cwd'>): string {
  return folders[0] ?? cwd;
}

/** The names of agents whose gate is on in the folder of a bridge. */
export async function gatesIn(access: Access, environment: Environment): Promise<readonly string[]> {
  const { gatesOn } = await import('../gates/gates.ts');
  return await gatesOn(folderOf(access, environment), environment);
}

/** The server that the user asked for, if any; its client is loaded only then. Its stderr goes to the log. */
async function codeServerOf(
  { executeCode: command, executeTool: tool = '' }: CodeOptions,
  folder: string,
  { version }: Environment,
  log: Log,
): Promise<CodeServer | undefined> {
  if (command === undefined) return undefined;
  const { codeServer } = await import('./code-server.ts');
  const identity = { name: 'Hawser', version };
  return codeServer({ command, tool, folder, identity, onStderr: (text) => log.info('code', { text }) });
}

/** The port that the user chose can't be used. The other adapters could serve without it, but that is not what was asked for. */
function portProblem({ failures }: Bridge, port: number | undefined): Error | undefined {
  if (port === undefined) return undefined;
  const failure = failures.find(({ error }) => isAboutPort(error));
  return failure && explain(failure.error);
}

function isAboutPort(error: unknown): boolean {
  const { code, syscall, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  // A socket has a path instead.
  return code === 'EADDRINUSE' || (code === 'EACCES' && syscall === 'listen' && port !== undefined && port >= 0);
}

/** Why an adapter could not be opened. */
export function explain(error: unknown): Error {
  const { code, message, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (isAboutPort(error)) {
    const why = code === 'EADDRINUSE' ? 'is in use' : 'needs rights that you do not have';
    return new CommandFailed(ExitCode.portInUse, `Port ${port} ${why}; choose another`);
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return new CommandFailed(ExitCode.lockNotWritable, `The lock file cannot be written: ${message}`);
  }
  return asError(error);
}
