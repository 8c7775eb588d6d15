import type { ClientEnvironment } from '@hawser/client/client-environment';
import type { TerminalOptions } from '../terminal/terminal.ts';

/** The environment of the commands; read once, in main.ts. */
export interface Environment extends ClientEnvironment {
  /** The words that start this program again. */
  readonly program: readonly [string, ...string[]];
  readonly temporaryFolder: string;
  /** Where programs are looked for: the value of PATH. */
  readonly searchPath: string;
  readonly pid: number;
  readonly isWindows: boolean;
  readonly terminal: TerminalOptions | undefined;
  /** The command of the user's text editor. */
  readonly editor: string;
}
