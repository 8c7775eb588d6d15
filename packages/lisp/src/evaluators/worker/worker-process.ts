import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { descendantsOf } from './descendants.ts';
import { MessageReader } from './message-reader.ts';
import { frame } from './wire.ts';
import type { WorkerChannel, WorkerEnd, WorkerListener } from './worker-channel.ts';

export interface WorkerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly environment: NodeJS.ProcessEnv;
  /**
   * Who makes the process group that is killed as one. Node can only make a new session, and Linux shares processor
   * time by session: on a busy machine each answer of a Lisp in its own session takes several times as long.
   */
  readonly group: 'made by the worker' | 'made here';
  /** The worker's Lisp, sent first on descriptor 3 to a program that loads it from there. */
  readonly source?: string;
}

/** How long descriptors that other processes may have inherited are read after the end. */
const LAST_WORDS_MS = 200;

/** A Lisp with a process group. Descriptor 3 carries operations and messages; descriptor 4 carries interrupts. */
export class WorkerProcess implements WorkerChannel {
  readonly #child: ChildProcess;
  readonly #listener: WorkerListener;
  readonly #wire: Duplex | undefined;
  readonly #control: Duplex | undefined;
  #end: WorkerEnd | undefined;
  #hasExited = false;
  #isReported = false;

  constructor(command: WorkerCommand, listener: WorkerListener) {
    this.#listener = listener;
    this.#child = spawn(command.program, command.args, {
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
      env: command.environment,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      detached: command.group === 'made here',
    });
    this.#child.once('error', (error) => this.#finish({ kind: 'unstarted', error }));
    this.#child.once('exit', (code, signal) => this.#exited(code, signal));
    this.#child.once('close', () => this.#report());
    this.#listenTo('stdout');
    this.#listenTo('stderr');
    const [wire, control] = this.#child.stdio.slice(3);
    if (wire instanceof Duplex && control instanceof Duplex) {
      this.#control = control;
      control.on('error', () => undefined);
      this.#wire = wire;
      wire.setEncoding('utf8');
      const reader = new MessageReader(listener.message, (error) => this.#breakOff(error));
      wire.on('data', (text: string) => reader.read(text));
      // The exit of the process is reported by another event.
      wire.on('error', () => undefined);
      if (command.source !== undefined) wire.write(frame(command.source));
    }
  }

  send(command: string): void {
    if (this.#end === undefined) this.#wire?.write(command);
  }

  sendAtOnce(command: string): void {
    if (this.#end === undefined) this.#control?.write(command);
  }

  kill(): void {
    const { pid } = this.#child;
    // After the exit the number may belong to another process; the group was killed then.
    if (pid === undefined || this.#hasExited) return;
    const descendants = descendantsOf(pid);
    // The group may not exist yet.
    if (!killed(-pid)) this.#child.kill('SIGKILL');
    descendants.forEach(killed);
  }

  #listenTo(stream: 'stdout' | 'stderr'): void {
    const decoder = new StringDecoder('utf8');
    const readable = this.#child[stream];
    readable?.on('error', () => undefined);
    readable?.on('data', (chunk: Buffer) => {
      const text = decoder.write(chunk);
      if (text !== '') this.#listener.leaked(stream, text);
    });
  }

  #breakOff(error: Error): void {
    this.#end ??= { kind: 'garbage', error };
    this.kill();
  }

  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    this.#hasExited = true;
    const { pid } = this.#child;
    // If the pid is in use again, the group had no members left.
    if (pid !== undefined && !isInUse(pid)) killed(-pid);
    this.#end ??= signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal };
    setTimeout(() => this.#report(), LAST_WORDS_MS).unref();
  }

  #finish(end: WorkerEnd): void {
    this.#end ??= end;
    this.#report();
  }

  #report(): void {
    if (this.#isReported || this.#end === undefined) return;
    this.#isReported = true;
    for (const stream of [this.#child.stdout, this.#child.stderr, this.#wire, this.#control]) stream?.destroy();
    this.#listener.ended(this.#end);
  }
}

function isInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
