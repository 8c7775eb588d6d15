import type { ChildProcess } from 'node:child_process';
import type { Connection } from '../../jsonrpc/connection.ts';
import { ConnectionClosed } from '../../jsonrpc/errors.ts';
import type { ConnectionLimits } from '../../jsonrpc/limits.ts';
import { guard, reportError, reportOnStderr } from '../../jsonrpc/report-error.ts';
import { settlesWithin } from '../../jsonrpc/waiting.ts';
import { defaultEnvironment } from './default-environment.ts';
import { StreamConnection } from './stream-connection.ts';

export interface ConnectStdioOptions extends ConnectionLimits {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables for the server, besides those that every program needs (see `defaultEnvironment`). */
  readonly env?: Readonly<Record<string, string>>;
  /** Passes on all variables of this process, secrets included. Default false. */
  readonly inheritEnv?: boolean;
  readonly cwd?: string;
  /** Gets what the server writes to stderr, as it arrives. The end of it also appears in error messages. */
  readonly onStderr?: (text: string) => void;
  /** Gets what `onStderr` throws. Default: written to stderr. */
  readonly onError?: (error: Error) => void;
  /**
   * The process group of the server. Ctrl-C in a terminal ends all of the shared one, the server included; in a group of
   * its own the server goes on until the connection is closed. Default `shared`.
   */
  readonly processGroup?: 'shared' | 'own';
  /** Milliseconds for the server to exit after its stdin closed, and again after SIGTERM. Default 2000. */
  readonly exitTimeout?: number;
}

/** A connection to a server process. The process is not restarted; `exit` says how it ended. */
export interface ChildConnection extends Connection {
  readonly pid: number | undefined;
  readonly exit: Promise<ChildExit>;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why the command could not be started. */
  readonly error?: Error;
  /** The last few thousand characters it wrote to stderr. */
  readonly stderrTail: string;
}

const STDERR_TAIL_CHARS = 4096;

/** Starts a server and connects to its stdin and stdout. */
export function connectStdio(options: ConnectStdioOptions): ChildConnection {
  const example = "connectStdio({ command: 'node', args: ['server.mjs'] })";
  if (options.args !== undefined && !Array.isArray(options.args))
    throw new TypeError(`connectStdio: args must be an array of strings. Write ${example}`);
  if (typeof options.command !== 'string') throw new TypeError(`connectStdio: command is missing. Write ${example}`);
  const {
    command,
    args = [],
    env,
    inheritEnv = false,
    cwd,
    onStderr,
    onError = reportOnStderr,
    processGroup = 'shared',
    exitTimeout = 2000,
    ...limits
  } = options;
  // Not imported: loading it takes a tenth of the start of a server, which uses this entry and starts no process.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    detached: processGroup === 'own',
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...(inheritEnv ? process.env : defaultEnvironment()), ...env },
  });
  const exit = watchExit(child, onStderr, onError);
  const connection = new StreamConnection(child.stdout, child.stdin, {
    ...limits,
    inputEnd: 'over',
    release: async (reason) => {
      const endedBySelf = await endChild(child, exit, exitTimeout);
      const finished = await exit;
      // A process that had to be killed did not end the connection.
      return endedBySelf ? explain(command, finished, reason) : withStderr(reason.message, finished);
    },
  });
  void exit.then((finished) => connection.end(explain(command, finished, new ConnectionClosed('The server ended'))));
  return Object.assign(connection, { pid: child.pid, exit });
}

function watchExit(
  child: ChildProcess,
  onStderr: ((text: string) => void) | undefined,
  onError: (error: Error) => void,
): Promise<ChildExit> {
  let stderrTail = '';
  child.stderr?.on('error', () => {}); // `close` follows
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-STDERR_TAIL_CHARS);
    guard(
      () => onStderr?.(text),
      (thrown) => reportError(thrown, onError),
    );
  });
  return new Promise((resolve) => {
    // A signal that can't be sent is an error too, and there may be several.
    child.on('error', (error) => resolve({ code: null, signal: null, error, stderrTail }));
    // `close` rather than `exit`: by then all of stdout and stderr has been read.
    child.once('close', (code, signal) => resolve({ code, signal, stderrTail }));
  });
}

/** As the specification asks: close stdin, then SIGTERM, then SIGKILL, with time in between. False if it had to be killed. */
async function endChild(child: ChildProcess, exit: Promise<ChildExit>, timeout: number): Promise<boolean> {
  child.stdin?.end();
  if (await settlesWithin(timeout, exit)) return true;
  child.kill('SIGTERM');
  if (await settlesWithin(timeout, exit)) return false;
  child.kill('SIGKILL');
  // A grandchild may hold the pipes open for as long as it lives.
  child.stdout?.destroy();
  child.stderr?.destroy();
  return false;
}

function explain(command: string, finished: ChildExit, reason: Error): Error {
  const { code, signal, error } = finished;
  if (error !== undefined)
    return new ConnectionClosed(`Could not start ${command}: ${error.message}`, { cause: error });
  if (code === 0) return reason;
  return withStderr(`${command} ${signal === null ? `exited with code ${code}` : `was ended by ${signal}`}`, finished);
}

function withStderr(what: string, { stderrTail }: ChildExit): Error {
  const tail = stderrTail.trim();
  return new ConnectionClosed(tail === '' ? what : `${what}; the end of its stderr:\n${tail}`);
}
