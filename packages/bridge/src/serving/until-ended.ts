import { CommandFailed, ExitCode } from '@hawser/command-line/exit-codes';
import { endProcess } from '@hawser/command-line/process-end';
import type { Environment } from '../command-line/environment.ts';

/** A bridge in this process. */
export interface Serving {
  /** The user's text editor has the terminal, and Ctrl-C is meant for it. */
  isEditing?(): boolean;
  /** Safe to call twice. */
  close(): Promise<void>;
  /** For a process that is about to end. */
  removeDiscovery(): void;
}

export interface Lifetime {
  /** Aborted when the process is to end while the bridge starts. */
  readonly signal: AbortSignal;
  /** Closes the bridge and ends the process. */
  readonly end: () => void;
}

/** Starts a bridge. A signal or `end` closes it, also while it starts, and ends the process. */
export async function serveUntilEnded<Kind extends Serving>(
  start: (lifetime: Lifetime) => Promise<Kind>,
  environment: Pick<Environment, 'onSignal'>,
): Promise<Kind> {
  const ending = new AbortController();
  let isEditing = () => false;
  const end = () => {
    // The reason has no message: nothing is wrong.
    ending.abort(new CommandFailed(ExitCode.ok, ''));
    void endProcess(async () => await (await starting).close(), ExitCode.ok);
  };
  const starting = start({ signal: ending.signal, end });
  // From the very beginning: a program that reads the line it prints may end it in the next moment.
  environment.onSignal((signal) => {
    if (signal === 'SIGINT' && isEditing()) return 'ignored';
    end();
    return 'exiting';
  });
  const running = await starting;
  isEditing = () => running.isEditing?.() ?? false;
  process.once('exit', () => running.removeDiscovery());
  return running;
}
