import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import type { ClientSession } from '@hawser/mcp/client';
import { escaped } from '@hawser/terminal-text/wrapping';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { ClientEnvironment } from '../client-environment.ts';
import { withCommandLineHint } from '../library-hint.ts';
import { withLogin } from '../login/target-login.ts';
import type { SessionOptions } from '../open-session.ts';
import { openSession } from '../open-session.ts';
import { resolveTarget } from '../resolve-target.ts';
import { describeTarget, type Target, TargetProblem, withoutSecrets } from '../target.ts';
import type { ClientFlags } from './target-options.ts';

/** What a command does with what the server asks and sends. */
export type SessionHandlers = Pick<SessionOptions, 'elicit' | 'roots' | 'observer' | 'onConnection'>;

export interface OpenedSession {
  readonly session: ClientSession;
  readonly target: Target;
  /** Aborts when the user asks this process to end. Pass it to every call. */
  readonly signal: AbortSignal;
}

/**
 * Connects to the server that the user means, runs `use`, and disconnects. A signal such as Ctrl-C cancels what waits for
 * an answer, and the command then exits as shells expect; a second one ends it at once.
 */
export async function withSession<Result>(
  flags: ClientFlags,
  environment: ClientEnvironment,
  use: (opened: OpenedSession) => Promise<Result>,
  handlers: SessionHandlers = {},
): Promise<Result> {
  const target = await targetOf(flags, environment);
  const { signal, exitCode } = untilSignal(environment);
  let session: ClientSession | undefined;
  try {
    session = await connect(target, flags, environment, signal, handlers);
    return await use({ session, target, signal });
  } catch (error) {
    if (signal.aborted) throw new CommandFailed(exitCode(), '');
    throw explained(error, session);
  } finally {
    await session?.close();
  }
}

export const TIMEOUT_MS = 60_000;
/** As shells report a program that writes to a pipe without a reader. */
const SIGPIPE = 141;

/** The server that the user means. */
export async function targetOf(flags: ClientFlags, environment: ClientEnvironment): Promise<Target> {
  try {
    return withLogin(await resolveTarget(flags, environment), environment.stateFolder);
  } catch (error) {
    throw error instanceof Error && error.name === TargetProblem.name
      ? new CommandFailed(ExitCode.usage, error.message)
      : error;
  }
}

/** Fails, saying why, if the server can't be reached or does not speak MCP. */
export async function connect(
  target: Target,
  { protocol, timeout = TIMEOUT_MS, verbose }: ClientFlags,
  { version, stderr }: ClientEnvironment,
  signal: AbortSignal,
  handlers: SessionHandlers,
): Promise<ClientSession> {
  try {
    return await openSession(target, {
      version,
      protocolVersion: protocol,
      timeout,
      signal,
      onError: (error) => stderr(escaped(`hawser: ${withoutSecrets(error.message, target)}`)),
      ...(verbose && { onStderr: (text) => stderr(text.trimEnd().split('\n').map(escaped).join('\n')) }),
      ...handlers,
    });
  } catch (error) {
    if (signal.aborted) throw error;
    const why = withoutSecrets(withCommandLineHint(messageOf(error)), target);
    throw new CommandFailed(ExitCode.noServer, `No connection to ${describeTarget(target)}: ${why}`);
  }
}

/** A signal that aborts when the user asks this process to end, and the code to exit with then. */
export function untilSignal({ onSignal, onStdoutClosed }: ClientEnvironment): {
  readonly signal: AbortSignal;
  exitCode(): number;
} {
  const controller = new AbortController();
  let code: number = ExitCode.failed;
  onSignal((name, exitCode) => {
    code = exitCode;
    controller.abort(new Error(name === 'SIGINT' ? 'The user cancelled it' : `Ended by ${name}`));
    return 'exiting';
  });
  onStdoutClosed(() => {
    code = SIGPIPE;
    controller.abort(new Error('The output was closed'));
  });
  return { signal: controller.signal, exitCode: () => code };
}

/** A server that went away is not an answer. */
function explained(error: unknown, session: ClientSession | undefined): unknown {
  if (session?.state !== 'closed' || CommandFailed.is(error)) return error;
  return new CommandFailed(ExitCode.noServer, messageOf(error));
}
