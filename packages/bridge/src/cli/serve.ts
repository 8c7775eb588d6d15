import { makeAccess } from '../access/access.ts';
import { openBridge } from '../bridge.ts';
import type { ControlClient } from '../control/connect.ts';
import { openControlHost } from '../control/host.ts';
import { Desk } from '../desk.ts';
import type { DiffDecision, Proposal } from '../editor.ts';
import { workspaceEditor } from '../editors/workspace/workspace-editor.ts';
import type { AgentName } from './agent-names.ts';
import { type CodeOptions, codeServerOf } from './code-server.ts';
import type { Environment } from './environment.ts';
import { CommandFailed, ExitCode } from './exit-codes.ts';
import { type Log, openLog } from './log.ts';
import { makeAdapter } from './make-adapter.ts';
import { workspaceFolder } from './workspace-folder.ts';

export type ReviewPolicy = 'ask' | 'accept' | 'reject';

export interface ServeOptions extends CodeOptions {
  readonly workspace: string;
  readonly port: number | undefined;
  readonly doors: readonly AgentName[];
  readonly review: ReviewPolicy;
  readonly logFile: string | undefined;
  readonly json: boolean;
  /** Default `all`; where there is a log file, it gets all. */
  readonly logs?: 'all' | 'errors';
  readonly diagnostics: string | undefined;
  readonly matcher: 'tsc' | 'gcc' | 'eslint-json';
  readonly format: string | undefined;
  readonly deny: readonly string[];
}

export interface Running {
  /** What `hawser review` and the other commands do, within this process. */
  control(): ControlClient;
  /** The person's text editor has the terminal, and Ctrl-C is meant for that. */
  isEditing?(): boolean;
  /** Takes everything down. Safe to call twice. */
  close(): Promise<void>;
  /** What cannot wait, when the process ends at once. */
  removeLocks(): void;
}

/** Serves a workspace to agents until it is closed. `stop` is called when a command asks for the end. */
export async function serve(options: ServeOptions, environment: Environment, stop: () => void): Promise<Running> {
  const folder = workspaceFolder(options.workspace, environment);
  const log = openLog({ file: options.logFile, json: options.json, logs: options.logs, stderr: environment.stderr });
  const access = makeAccess({ folders: [folder], deny: options.deny, home: environment.home });
  const desk = new Desk();
  const editor = workspaceEditor({
    folders: [folder],
    stateFolder: environment.stateFolder,
    reviewer: reviewerOf(options.review, log, desk),
    onProblem: (problem) => log.error('editor', { message: problem.message }),
    ...(options.diagnostics !== undefined && {
      diagnosticsCommand: { command: ['sh', '-c', options.diagnostics], matcher: options.matcher },
    }),
    ...(options.format !== undefined && { formatCommand: { command: words(options.format) } }),
  });
  const { review } = options;
  const { mention } = editor;
  const person = openControlHost({ folder, review, editor, mention, access, desk, stop, log, environment });
  const code = codeServerOf(options, folder, environment, log);
  const identity = { name: 'Hawser', version: environment.version };
  const onChange = () => person.changed();
  const doors = options.doors.map((name, index) => {
    // A port that was asked for is the first door's; two cannot share it.
    const port = index === 0 ? options.port : undefined;
    return makeAdapter(name, { access, identity, ideName: identity.name, port, code, onChange }, environment, log);
  });
  const bridge = await openBridge(editor, doors).catch(async (error: unknown) => {
    await editor.close();
    throw explain(error);
  });
  await person.open(bridge.doors);
  for (const { address, lockPath } of bridge.doors) {
    // Without the slash that stands for no path: what reads this line looks for a port at the end of the address.
    environment.stdout(`hawser: listening on ${address.replace(/\/$/, '')} lock ${lockPath ?? '(none)'}`);
  }
  return {
    control: () => person.connect(),
    close: async () => {
      person.hide();
      await bridge.close();
      await person.close();
      await code?.close();
    },
    removeLocks: () => {
      person.hide();
      for (const door of bridge.doors) door.removeLock();
    },
  };
}

/** Decides by policy, or leaves it to a person. */
function reviewerOf(policy: ReviewPolicy, log: Log, desk: Desk) {
  return async (proposal: Proposal, options: { readonly signal: AbortSignal }): Promise<DiffDecision> => {
    const { id, path, from } = proposal;
    log.info('proposal', { id, path, from, policy });
    if (policy === 'accept') return { kind: 'accepted', text: proposal.newText };
    if (policy === 'reject') return { kind: 'rejected' };
    return desk.review(proposal, options);
  };
}

/** A path in place of `{file}` may hold anything, so no shell comes between. */
function words(command: string): [string, ...string[]] {
  const [program = '', ...args] = command.trim().split(/\s+/);
  return [program, ...args];
}

export function explain(error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new CommandFailed(ExitCode.portInUse, `${message}; choose another with --port, or none for any free one`);
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return new CommandFailed(ExitCode.lockNotWritable, `The lock file cannot be written: ${message}`);
  }
  return error instanceof Error ? error : new Error(String(error));
}
