import { messageOf } from '@hawser/unknown-values/thrown';
import type { Evaluator, Loss, Operation, Outcome, PerformOptions } from '../../evaluator.ts';
import { lossOf } from './loss.ts';
import { OutputText } from './output-text.ts';
import { withoutRuntimeRemarks } from './runtime-remarks.ts';
import { encodeInterrupt, encodePerform, type WorkerMessage } from './wire.ts';
import type { WorkerChannel, WorkerEnd, WorkerListener } from './worker-channel.ts';

/** How long an interrupted operation may take to end before the Lisp is killed. */
const GRACE_MS = 1000;
/** An interrupt can arrive before the operation has begun, or while a cleanup form runs, so it is repeated. */
const REPEAT_INTERRUPT_MS = 100;
/** Characters kept of what is written past Lisp's streams while no operation runs. */
const MAX_IDLE_OUTPUT = 10_000;
const LEAK_NOTICE_MS = 100;

type Ended = Extract<WorkerMessage, { kind: 'outcome' }>;

interface Running {
  readonly id: number;
  readonly stdout: OutputText;
  readonly stderr: OutputText;
  readonly options: PerformOptions;
  readonly startedAt: number;
  readonly settle: (end: Ended | 'lost') => void;
  interruption?: Interruption;
  /** Why a listener of the operation failed; it is not called again. */
  listenerFailure?: string;
}

interface Interruption {
  readonly why: 'timeout' | 'request' | 'signal';
  readonly repeat: NodeJS.Timeout;
  readonly giveUp: NodeJS.Timeout;
}

/** An evaluator whose Lisp runs our worker. */
export class WorkerEvaluator implements Evaluator {
  readonly lost: Promise<Loss>;
  swankPort: number | undefined;
  readonly #channel: WorkerChannel;
  readonly #started: Promise<string>;
  #engine = '';
  #loss: Loss | undefined;
  /** Why the process is being ended, if that was decided here. */
  #verdict: Loss | undefined;
  #lastId = 0;
  #lastPackage = 'COMMON-LISP-USER';
  #running: Running | undefined;
  #leaked = { stdout: '', stderr: '' };
  /** The end of what the process wrote to descriptor 2: it says why the process died. */
  #lastWords = '';
  #resolveStarted!: (engine: string) => void;
  #rejectStarted!: (error: Error) => void;
  #resolveLost!: (loss: Loss) => void;

  constructor(open: (listener: WorkerListener) => WorkerChannel) {
    this.lost = new Promise((resolve) => {
      this.#resolveLost = resolve;
    });
    this.#started = new Promise((resolve, reject) => {
      this.#resolveStarted = resolve;
      this.#rejectStarted = reject;
    });
    this.#started.catch(() => undefined);
    this.#channel = open({
      message: (message) => this.#receive(message),
      leaked: (stream, text) => this.#leak(stream, text),
      ended: (end) => this.#ended(end),
    });
  }

  get engine(): string {
    return this.#engine;
  }

  /** Resolves when the worker is ready; rejects when it ends before, or takes too long. */
  async started(timeout: number): Promise<void> {
    const timer = setTimeout(() => {
      this.#verdict ??= { kind: 'timeout', message: `The Lisp did not start within ${timeout} ms.` };
      this.#channel.kill();
    }, timeout);
    try {
      await this.#started;
    } finally {
      clearTimeout(timer);
    }
  }

  interrupt(): void {
    if (this.#running !== undefined) this.#interrupt(this.#running, 'request');
  }

  async close(): Promise<void> {
    this.#verdict ??= { kind: 'closed', message: 'The Lisp was closed.' };
    this.#channel.kill();
    await this.lost;
  }

  async perform(operation: Operation, options: PerformOptions): Promise<Outcome> {
    if (options.signal?.aborted) throw options.signal.reason;
    if (this.#running !== undefined) throw new Error('The evaluator performs another operation.');
    if (this.#loss !== undefined) return lostOutcome(this.#loss, this.#lastPackage);
    const id = ++this.#lastId;
    const stdout = new OutputText(options.limits.output);
    const stderr = new OutputText(options.limits.output);
    stdout.append(this.#leaked.stdout);
    stderr.append(this.#leaked.stderr);
    this.#leaked.stdout = '';
    this.#leaked.stderr = '';
    this.#lastWords = '';

    const command = encodePerform(id, operation, options.limits);
    let settle: Running['settle'] = () => {};
    const ended = new Promise<Ended | 'lost'>((resolve) => {
      settle = resolve;
    });
    const running: Running = { id, stdout, stderr, options, startedAt: Date.now(), settle };
    const aborted = () => this.#interrupt(running, 'signal');
    this.#running = running;
    options.signal?.addEventListener('abort', aborted, { once: true });
    const deadline =
      options.timeout > 0 ? setTimeout(() => this.#interrupt(running, 'timeout'), options.timeout) : undefined;
    this.#channel.send(command);
    const end = await ended;
    this.#running = undefined;
    clearTimeout(deadline);
    clearTimeout(running.interruption?.giveUp);
    clearInterval(running.interruption?.repeat);
    options.signal?.removeEventListener('abort', aborted);
    const why = running.interruption?.why;
    if (why === 'signal') throw options.signal?.reason;
    return this.#outcome(end, running, why);
  }

  #outcome(end: Ended | 'lost', running: Running, why: 'timeout' | 'request' | undefined): Outcome {
    const { stdout, stderr } = running;
    if (end === 'lost') {
      const loss = this.#loss ?? { kind: 'crashed', message: 'The Lisp is gone.' };
      const realMs = Date.now() - running.startedAt;
      return {
        ...lostOutcome(loss, this.#lastPackage),
        stdout: stdout.toString(),
        stderr: stderr.toString(),
        interrupted: why,
        timing: { realMs, runMs: 0 },
      };
    }
    const { outcome } = end;
    const { ok, values, findings, total, calls, callCount, tests, error, debugging, interrupted } = outcome;
    const { warnings = [], warningCount } = outcome;
    const { listenerFailure } = running;
    const { realUs, runMs, bytesConsed } = outcome.timing;
    stdout.append(outcome.stdout ?? '');
    stderr.append(outcome.stderr ?? '');
    stdout.drop(outcome.droppedStdout ?? 0);
    stderr.drop(outcome.droppedStderr ?? 0);
    this.#lastPackage = outcome.package;
    return {
      ok,
      call: running.id,
      package: outcome.package,
      values,
      stdout: stdout.toString(),
      stderr: withoutRuntimeRemarks(stderr.toString()),
      warnings: listenerFailure === undefined ? warnings : [...warnings, listenerFailure],
      warningCount,
      findings,
      total,
      calls,
      callCount,
      tests,
      error,
      debugging,
      interrupted: interrupted ? (why ?? 'request') : undefined,
      timing: { realMs: realUs / 1000, runMs, bytesConsed },
    };
  }

  #interrupt(running: Running, why: Interruption['why']): void {
    if (running.interruption !== undefined || this.#running !== running) return;
    const ask = () => this.#channel.sendAtOnce(encodeInterrupt(running.id));
    const giveUp = () => {
      const ran = why === 'timeout' ? `ran longer than ${running.options.timeout / 1000} s and ` : '';
      const message = `The code ${ran}did not stop within ${GRACE_MS / 1000} s of the interrupt.`;
      this.#verdict ??= { kind: 'timeout', message };
      this.#channel.kill();
    };
    running.interruption = {
      why,
      repeat: setInterval(ask, REPEAT_INTERRUPT_MS),
      giveUp: setTimeout(giveUp, GRACE_MS),
    };
    ask();
  }

  #receive(message: WorkerMessage): void {
    const running = this.#running;
    switch (message.kind) {
      case 'hello':
        this.#engine = message.engine;
        // Earlier output is about the worker, not about evaluated code.
        this.#leaked = { stdout: '', stderr: '' };
        this.#resolveStarted(message.engine);
        return;
      case 'output':
        if (running === undefined) return;
        running[message.stream].append(message.text);
        notify(running, () => running.options.onOutput?.(message.stream, message.text));
        return;
      case 'progress':
        if (running?.id === message.id) notify(running, () => running.options.onProgress?.(message.text));
        return;
      case 'outcome':
        if (running?.id !== message.id) return;
        // Output that was written before the outcome is read in this turn of the event loop at the latest.
        if (message.outcome.leaks === true) setImmediate(() => running.settle(message));
        else running.settle(message);
        return;
    }
  }

  #leak(stream: 'stdout' | 'stderr', text: string): void {
    if (stream === 'stderr') this.#lastWords = (this.#lastWords + text).slice(-4000);
    const running = this.#running;
    if (running === undefined) {
      this.#leaked[stream] = (this.#leaked[stream] + text).slice(0, MAX_IDLE_OUTPUT);
      return;
    }
    running[stream].append(text);
    this.#notice(running, stream, text);
  }

  readonly #noticed = { stdout: '', stderr: '' };
  #noticeTimer: NodeJS.Timeout | undefined;

  /** Passes leaked output on a few times a second at most. */
  #notice(running: Running, stream: 'stdout' | 'stderr', text: string): void {
    const { onOutput, limits } = running.options;
    if (onOutput === undefined) return;
    this.#noticed[stream] = (this.#noticed[stream] + text).slice(0, limits.output);
    this.#noticeTimer ??= setTimeout(() => {
      this.#noticeTimer = undefined;
      for (const name of ['stdout', 'stderr'] as const) {
        const pending = this.#noticed[name];
        this.#noticed[name] = '';
        if (pending !== '' && this.#running === running) notify(running, () => onOutput(name, pending));
      }
    }, LEAK_NOTICE_MS).unref();
  }

  #ended(end: WorkerEnd): void {
    const loss = this.#verdict ?? lossOf(end, this.#lastWords);
    this.#loss = loss;
    this.#rejectStarted(new Error(loss.message));
    this.#resolveLost(loss);
    this.#running?.settle('lost');
  }
}

/** Calls a listener. One that throws must not cost the Lisp: the outcome says so, and it is not called again. */
function notify(running: Running, listener: () => void): void {
  if (running.listenerFailure !== undefined) return;
  try {
    listener();
  } catch (error) {
    running.listenerFailure = `The listener for output failed: ${messageOf(error)}`;
  }
}

function lostOutcome(lost: Loss, lastPackage: string): Outcome {
  return {
    ok: false,
    package: lastPackage,
    values: [],
    stdout: '',
    stderr: '',
    warnings: [],
    lost,
    timing: { realMs: 0, runMs: 0 },
  };
}
