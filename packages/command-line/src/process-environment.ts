import { homedir } from 'node:os';
import { type Environment, stateFolderIn, type UserTerminal } from './environment.ts';
import { onSignal } from './signals.ts';

export interface ProgramFacts<Terminal extends UserTerminal> {
  /** For messages of its own. */
  readonly name: string;
  readonly version: string;
  /** Completes the user's terminal, if there is one. */
  readonly terminal: (terminal: UserTerminal) => Terminal;
}

/**
 * The environment of this process. Stdin, stdout and stderr are opened by the first look at them, which takes a while: only
 * commands that need them look.
 */
export function processEnvironment<Terminal extends UserTerminal = UserTerminal>(
  program: ProgramFacts<Terminal>,
): Environment & { readonly terminal: Terminal | undefined } {
  const { env } = process;
  const home = homedir();
  const stdoutListeners: (() => void)[] = [];
  let openedStdout: NodeJS.WriteStream | undefined;
  let openedStderr: NodeJS.WriteStream | undefined;

  /** Its reader may go at any time. */
  function stdout(): NodeJS.WriteStream {
    openedStdout ??= process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') {
        stderr().write(`${program.name}: Can't write to stdout: ${error.message}\n`);
        process.exit(1);
      }
      for (const listener of stdoutListeners) listener();
    });
    return openedStdout;
  }

  /** Its reader may go, or its disk be full: lines are lost then, because there is nowhere to report it. */
  function stderr(): NodeJS.WriteStream {
    openedStderr ??= process.stderr.on('error', () => {});
    return openedStderr;
  }

  return {
    get cwd() {
      return currentFolder();
    },
    home,
    variables: env,
    stateFolder: stateFolderIn(home, env.XDG_STATE_HOME),
    version: program.version,
    get terminal() {
      const { stdin: input, stdout: output } = process;
      return input.isTTY && output.isTTY && env.TERM !== 'dumb' ? program.terminal({ input, output }) : undefined;
    },
    get columns() {
      const { isTTY, columns } = process.stdout;
      return isTTY ? columns || 80 : undefined;
    },
    get isStdoutTerminal() {
      return process.stdout.isTTY === true;
    },
    get isStderrTerminal() {
      return process.stderr.isTTY === true;
    },
    onSignal,
    onStdoutClosed: (listener) => void stdoutListeners.push(listener),
    stdout: (line) => void stdout().write(`${line}\n`),
    stderr: (line) => void stderr().write(`${line}\n`),
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new Error('The current folder does not exist any more. Change to another one first.', { cause: error });
  }
}
