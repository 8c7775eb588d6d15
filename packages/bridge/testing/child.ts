import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';

export interface Child {
  readonly pid: number;
  /** The next line that it prints. */
  line(): Promise<string>;
  /** Resolves when it has ended, by whatever reason. */
  readonly ended: Promise<unknown>;
  /** Ends it and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  readonly process: ChildProcess;
}

export interface ChildOptions {
  readonly folder: string;
  /** The command that runs Node, such as `unshare --pid`. */
  readonly run?: readonly string[];
}

/** A real process that runs a TypeScript program, which imports from `src/discovery` with `./`. */
export async function startChild(program: string, { folder, run = [] }: ChildOptions): Promise<Child> {
  const outfile = join(folder, `child-${Math.random().toString(36).slice(2)}.mjs`);
  const resolveDir = join(import.meta.dirname, '..', 'src', 'discovery');
  const stdin = { contents: program, resolveDir, loader: 'ts' as const };
  await build({
    stdin,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@hawser/source'],
    logLevel: 'silent',
  });
  const [command = process.execPath, ...args] = [...run, process.execPath, outfile];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  if (child.pid === undefined) throw new Error('The child has not started');
  return {
    pid: child.pid,
    ended: exited,
    process: child,
    async line() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('The child has ended');
      return value;
    },
    async end(signal) {
      child.kill(signal);
      await exited;
    },
  };
}
