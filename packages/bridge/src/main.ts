#!/usr/bin/env node
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Environment, stateFolderIn } from './cli/environment.ts';
import { onSignal } from './cli/signals.ts';
import { backgroundOf, colourDepthOf } from './terminal/colours.ts';
import type { TerminalOptions } from './terminal/terminal.ts';

/** Set by the bundler, because reading package.json takes time at each start. */
declare const HAWSER_VERSION: string;

const { env } = process;
const home = homedir();
const stateFolder = stateFolderIn(home, env.XDG_STATE_HOME);
// stdin, stdout and stderr are opened by the first look at them, which takes a while: only commands that need them look.
const environment: Environment = {
  get cwd() {
    return currentFolder();
  },
  home,
  program: [process.execPath, ...process.argv.slice(1, 2)],
  variables: env,
  stateFolder,
  temporaryFolder: tmpdir(),
  searchPath: env.PATH ?? '',
  pid: process.pid,
  version: HAWSER_VERSION,
  isWindows: process.platform === 'win32',
  get terminal() {
    return terminal();
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
  editor: env.VISUAL || env.EDITOR || 'vi',
  onSignal,
  onStdoutClosed: (listener) => void stdoutListeners.push(listener),
  stdout: (line) => void stdout().write(`${line}\n`),
  stderr: (line) => void stderr().write(`${line}\n`),
};

const stdoutListeners: (() => void)[] = [];
let openedStdout: NodeJS.WriteStream | undefined;

/** Stdout, whose reader may go at any time. */
function stdout(): NodeJS.WriteStream {
  openedStdout ??= process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      environment.stderr(`hawser: Can't write to stdout: ${error.message}`);
      process.exit(1);
    }
    for (const listener of stdoutListeners) listener();
  });
  return openedStdout;
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new Error('The current folder does not exist any more. Change to another one first.', { cause: error });
  }
}

let openedStderr: NodeJS.WriteStream | undefined;

/** Stderr. Its reader may go, or its disk be full: lines are lost then, because there is nowhere to report it. */
function stderr(): NodeJS.WriteStream {
  openedStderr ??= process.stderr.on('error', () => {});
  return openedStderr;
}

void main(process.argv.slice(2));

/** Each command loads only what it needs, when it needs it. */
async function main(args: readonly string[]): Promise<void> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    environment.stdout(environment.version);
    return;
  }
  keepCompiledCode();
  const { runCommandLine } = await import('./cli/command-line.ts');
  process.exitCode = await runCommandLine(args, environment);
}

/**
 * For a Node that the bundles were not compiled for: from 22 on it keeps compiled code in a folder. Not in the temporary
 * folder, where other users could write.
 */
function keepCompiledCode(): void {
  if (Number.parseInt(process.versions.node, 10) < 22) return;
  const { enableCompileCache } = process.getBuiltinModule('node:module') as CompileCache;
  enableCompileCache?.(join(stateFolder, 'compile-cache'));
}

interface CompileCache {
  readonly enableCompileCache?: (folder: string) => unknown;
}

/** Undefined if stdin or stdout is not a terminal. */
function terminal(): TerminalOptions | undefined {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY || env.TERM === 'dumb') return undefined;
  return {
    input: stdin,
    output: stdout,
    colours: colourDepthOf(env),
    background: backgroundOf(env),
    mouse: env.HAWSER_MOUSE === 'off' ? 'no' : 'yes',
  };
}
