import { join } from 'node:path';
import type { ReadStream, WriteStream } from 'node:tty';

/** What is around a command; read once, when its program starts. */
export interface Environment {
  readonly cwd: string;
  readonly home: string;
  /** For programs that the user starts through a command, and for what users configure by variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Where state is kept between runs. */
  readonly stateFolder: string;
  readonly version: string;
  /** The user's terminal; undefined without one. */
  readonly terminal: UserTerminal | undefined;
  /** The width of the terminal that stdout is; undefined if stdout is none. */
  readonly columns: number | undefined;
  readonly isStdoutTerminal: boolean;
  readonly isStderrTerminal: boolean;
  /** Calls the listener, with the code to exit with, when a signal asks this process to end. Once, unless ignored. */
  readonly onSignal: (listener: SignalListener) => void;
  /** Calls the listener when the reader of stdout is gone, such as `head` after its last line. */
  readonly onStdoutClosed: (listener: () => void) => void;
  readonly stdout: (line: string) => void;
  readonly stderr: (line: string) => void;
}

export interface UserTerminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

export type SignalListener = (signal: NodeJS.Signals, exitCode: number) => 'exiting' | 'ignored';

export function stateFolderIn(home: string, xdgStateHome: string | undefined): string {
  const base = xdgStateHome !== undefined && xdgStateHome !== '' ? xdgStateHome : join(home, '.local', 'state');
  return join(base, 'hawser');
}
