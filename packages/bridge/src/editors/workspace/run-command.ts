import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

export interface RunOptions {
  readonly folder: string;
  /** Stops the command; the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** For stdout and stderr together. */
  readonly maxOutputBytes: number;
  readonly input?: Buffer;
}

export interface CommandOutput {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** A program and its arguments. No shell is involved, so no file name can be mistaken for anything else. */
export type Command = readonly [program: string, ...args: string[]];

/**
 * Runs a command until it exits, with any exit code. Rejects if it can't be started, takes too long or writes too much;
 * the command and its children are killed then.
 */
export function runCommand(command: Command, options: RunOptions): Promise<CommandOutput> {
  const { folder, signal, timeoutMs, maxOutputBytes, input } = options;
  const [program] = command;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const child = spawnGroup(command, folder);
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    let bytes = 0;
    let failure: unknown;

    const stop = (reason: unknown) => {
      if (failure !== undefined) return;
      failure = reason;
      endGroup(child);
    };
    const stopped = () => stop(signal.reason);
    const timer = setTimeout(() => stop(new Error(`${program} took longer than ${timeoutMs} ms`)), timeoutMs);
    const collectIn = (chunks: Buffer[]) => (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) stop(new Error(`${program} wrote more than ${maxOutputBytes} bytes`));
      else chunks.push(chunk);
    };
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stopped);
      settle();
    };

    signal.addEventListener('abort', stopped, { once: true });
    child.stdout.on('data', collectIn(stdout));
    child.stderr.on('data', collectIn(stderr));
    // A command need not read all of its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error) => {
      finish(() => reject(new Error(`Cannot run ${program} in ${folder}: ${error.message}`, { cause: error })));
    });
    child.once('close', (code) => {
      const output = { exitCode: code ?? undefined, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) };
      finish(() => (failure === undefined ? resolve(output) : reject(failure)));
    });
  });
}

/** Starts a command in a process group of its own: programs such as npx only wait for the one that does the work. */
export function spawnGroup([program, ...args]: Command, folder: string): ChildProcessWithoutNullStreams {
  return spawn(program, args, { cwd: folder, detached: !isWindows, windowsHide: true, stdio: 'pipe' });
}

const isWindows = process.platform === 'win32';
const PATIENCE_MS = 500;

/** Ends a process and its children: SIGTERM first, SIGKILL after half a second. */
export function endGroup(child: ChildProcess): void {
  killGroup(child, 'SIGTERM');
  const timer = setTimeout(() => {
    killGroup(child, 'SIGKILL');
    // A process that left the group may hold these open for ever.
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, PATIENCE_MS);
  child.once('close', () => {
    clearTimeout(timer);
    killGroup(child, 'SIGKILL');
  });
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (isWindows) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // The group is empty.
  }
}
