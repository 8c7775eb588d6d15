import { join } from 'node:path';
import type { TerminalOptions } from '../terminal/terminal.ts';

/** The environment of the commands; read once, in main.ts. */
export interface Environment {
  readonly cwd: string;
  readonly home: string;
  /** The words that start this program again. */
  readonly program: readonly [string, ...string[]];
  /** For programs that the user starts through a command, and for what agents read of it. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Where state is kept between runs. */
  readonly stateFolder: string;
  readonly temporaryFolder: string;
  /** Where programs are looked for: the value of PATH. */
  readonly searchPath: string;
  readonly pid: number;
  readonly version: string;
  readonly isWindows: boolean;
  /** The user's terminal; undefined without one. */
  readonly terminal: TerminalOptions | undefined;
  /** The width of the terminal that stdout is; undefined if stdout is none. */
  readonly columns: number | undefined;
  readonly isStdoutTerminal: boolean;
  readonly isStderrTerminal: boolean;
  /** The command of the user's text editor. */
  readonly editor: string;
  /** Calls the listener, with the code to exit with, when a signal asks this process to end. Once, unless ignored. */
  readonly onSignal: (listener: SignalListener) => void;
  /** Calls the listener when the reader of stdout is gone, such as `head` after its last line. */
  readonly onStdoutClosed: (listener: () => void) => void;
  readonly stdout: (line: string) => void;
  readonly stderr: (line: string) => void;
}

export type SignalListener = (signal: NodeJS.Signals, exitCode: number) => 'heeded' | 'ignored';

export function stateFolderIn(home: string, xdgStateHome: string | undefined): string {
  const base = xdgStateHome !== undefined && xdgStateHome !== '' ? xdgStateHome : join(home, '.local', 'state');
  return join(base, 'hawser');
}
