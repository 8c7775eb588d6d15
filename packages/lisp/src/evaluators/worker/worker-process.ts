import { type ChildProcess, spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { descendantsOf } from './descendants.ts';
import { decodeMessage, frame, type WorkerMessage } from './wire.ts';

export interface WorkerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly environment: NodeJS.ProcessEnv;
  /**
   * Who makes the process group that ends as one. A new session is the only way from here, and Linux shares processors
   * out by session: on a busy machine each answer of a Lisp in a session of its own takes several times as long.
   */
  readonly group: 'made by the worker' | 'made here';
  /** The worker's Lisp, sent ahead on descriptor 3 to a program that is told to load it from there. */
  readonly source?: string;
}

export interface WorkerListener {
  message(message: WorkerMessage): void;
  /** What reached descriptor 1 or 2 of the process past Lisp's own streams. */
  leaked(stream: 'stdout' | 'stderr', text: string): void;
  /** The process is gone and nothing will be heard of it any more. Told once. */
  ended(end: WorkerEnd): void;
}

export type WorkerEnd =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'unstarted'; readonly error: Error }
  | { readonly kind: 'garbage'; readonly error: Error };

const LONGEST_LINE = 64 * 1024 * 1024;
/** How long descriptors that others may have inherited are listened to after the end. */
const LAST_WORDS_MS = 200;

/**
 * A Lisp with a process group. On descriptor 3 it takes operations and tells everything; on 4 it hears what
 * cannot wait for its turn.
 */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #listener: WorkerListener;
  readonly #wire: Duplex | undefined;
  readonly #control: Duplex | undefined;
  #pieces: string[] = [];
  #length = 0;
  #end: WorkerEnd | undefined;
  #told = false;

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
    this.#child.once('close', () => this.#tell());
    this.#listenTo('stdout');
    this.#listenTo('stderr');
    const [wire, control] = this.#child.stdio.slice(3);
    if (wire instanceof Duplex && control instanceof Duplex) {
      this.#control = control;
      control.on('error', () => undefined);
      this.#wire = wire;
      wire.setEncoding('utf8');
      wire.on('data', (text: string) => this.#receive(text));
      // Its end is the end of the process, which is heard of elsewhere.
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

  /** Ends the process, its group and whatever it has started, without asking. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    const descendants = descendantsOf(pid);
    // There may be nobody left in the group, or it is not yet made.
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

  #receive(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#pieces.push(text.slice(start, end));
      start = end + 1;
      this.#take(this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join(''));
      this.#pieces = [];
      this.#length = 0;
    }
    if (start === text.length) return;
    this.#pieces.push(text.slice(start));
    this.#length += text.length - start;
    if (this.#length > LONGEST_LINE) this.#breakOff(new Error('The Lisp worker sent an endless line'));
  }

  #take(line: string): void {
    if (this.#end !== undefined && this.#end.kind === 'garbage') return;
    try {
      this.#listener.message(decodeMessage(line));
    } catch (error) {
      this.#breakOff(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #breakOff(error: Error): void {
    this.#end ??= { kind: 'garbage', error };
    this.kill();
  }

  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    // What it has started and left behind in its group ends with it.
    this.kill();
    this.#end ??= signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal };
    setTimeout(() => this.#tell(), LAST_WORDS_MS).unref();
  }

  #finish(end: WorkerEnd): void {
    this.#end ??= end;
    this.#tell();
  }

  #tell(): void {
    if (this.#told || this.#end === undefined) return;
    this.#told = true;
    for (const stream of [this.#child.stdout, this.#child.stderr, this.#wire, this.#control]) stream?.destroy();
    this.#listener.ended(this.#end);
  }
}

function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
