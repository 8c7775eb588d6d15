import { messageOf } from '@hawser/unknown-values/thrown';
import { BREAKER_LOSSES, BREAKER_WINDOW_MS, Breaker } from './breaker.ts';
import { type Answer, type Call, CallQueue } from './call-queue.ts';
import type { Engine, Evaluator, Loss, Outcome, PerformOptions, StartOptions } from './evaluator.ts';
import { SessionProblem } from './session-problem.ts';
import { Transcript } from './transcript.ts';

/** The settings of a session. Read for each call. */
export interface SessionSettings {
  readonly start: StartOptions;
  readonly limits: PerformOptions['limits'];
  readonly startNote: ((evaluator: Evaluator) => string | undefined) | undefined;
  /** Milliseconds a call may take unless it has its own timeout. 0: no limit. */
  readonly timeout: number;
  /** The same for calls that load or test a system. */
  readonly loadTimeout: number;
  /** Milliseconds without a call after which the Lisp is ended. 0: never. */
  readonly idle: number;
  /** How much may wait in one session: the texts of its calls. */
  readonly maxWaitingBytes: number;
}

export type SessionState = 'none' | 'starting' | 'idle' | 'busy' | 'debugging';

/** One Lisp from its start to its end. */
interface Life {
  readonly ready: Promise<Evaluator>;
  evaluator: Evaluator | undefined;
  /** The folders that ASDF was given. */
  projects: readonly string[];
  /** Rejects with `endedBy` when the Lisp is ended on purpose. */
  readonly ended: Promise<never>;
  readonly end: (problem: SessionProblem) => void;
  endedBy: SessionProblem | undefined;
}

/**
 * One named session: a queue of calls, and a Lisp that is started by the first one. The session outlives its Lisps:
 * when one is lost, the next call starts another, and its answer says so.
 */
export class Session {
  readonly name: string;
  readonly #engine: Engine;
  readonly #settings: () => SessionSettings;
  readonly #now: () => number;
  readonly #breaker: Breaker;
  readonly #queue: CallQueue;
  readonly transcript = new Transcript();
  #life: Life | undefined;
  #working = false;
  #performing = false;
  #debugging = false;
  #package: string | undefined;
  /** What the next answer has to say about the session. */
  #news: string[] = [];
  /** What the answer of the call that runs has to say about its interrupt. */
  #interruptNote: string | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #calls = 0;
  #lastUsed: number;

  constructor(name: string, engine: Engine, settings: () => SessionSettings, now: () => number) {
    this.name = name;
    this.#engine = engine;
    this.#settings = settings;
    this.#now = now;
    this.#breaker = new Breaker(now);
    this.#queue = new CallQueue(name);
    this.#lastUsed = now();
  }

  get state(): SessionState {
    if (this.#life === undefined) return 'none';
    if (this.#life.evaluator === undefined) return 'starting';
    if (this.#performing) return 'busy';
    return this.#debugging ? 'debugging' : 'idle';
  }

  /** Whether it holds nothing: no Lisp, no waiting call. */
  get empty(): boolean {
    return this.#life === undefined && !this.#working;
  }

  /** Whether it has losses that still count. */
  get remembersLosses(): boolean {
    return this.#breaker.remembers;
  }

  get description() {
    return {
      name: this.name,
      state: this.state,
      engine: this.#life?.evaluator?.engine,
      package: this.#life === undefined ? undefined : this.#package,
      waiting: this.#queue.length,
      calls: this.#calls,
      idleMs: this.#now() - this.#lastUsed,
    };
  }

  /** Performs calls in order, one at a time. A call that is cancelled while it waits never runs. */
  perform(call: Call): Promise<Answer> {
    const answered = this.#queue.add(call, this.#working ? this.#settings().maxWaitingBytes : undefined);
    if (!this.#working) void this.#work();
    return answered;
  }

  /** Starts the Lisp if there is none, and waits for it. */
  async start(signal?: AbortSignal): Promise<Evaluator> {
    this.#requireStart();
    const life = this.#life ?? this.#begin();
    const evaluator = await firstOf(life, signal);
    this.#restartIdleTimer();
    return evaluator;
  }

  /** Restarts the idle timer with the new limit. */
  idleChanged(): void {
    this.#restartIdleTimer();
  }

  /** Interrupts the call that runs now. Its answer has the note. */
  interrupt(note?: string): 'interrupted' | 'nothing-runs' {
    if (!this.#performing || this.#life?.evaluator === undefined) return 'nothing-runs';
    this.#interruptNote = note;
    this.#life.evaluator.interrupt();
    return 'interrupted';
  }

  /**
   * Ends the Lisp. The call that runs is answered with the loss; those that wait are rejected with the given message.
   * Safe to call twice.
   */
  async end(why: string): Promise<void> {
    const problem = new SessionProblem(why);
    this.#queue.rejectAll(problem);
    const life = this.#life;
    if (life === undefined) return;
    this.#forgetLife();
    life.endedBy = problem;
    life.end(problem);
    const evaluator = await life.ready.catch(() => undefined);
    await evaluator?.close();
  }

  /** Like `end`, but the next answer does not mention it: the caller asked for it. */
  async endSilently(why: string): Promise<void> {
    const ending = this.end(why);
    this.#news = [];
    await ending;
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (let job = this.#queue.next(); job !== undefined; job = this.#queue.next()) {
      this.#calls += 1;
      try {
        job.resolve(await this.#performOne(job.call));
      } catch (error) {
        job.reject(error);
      }
      this.#lastUsed = this.#now();
    }
    this.#working = false;
    this.#restartIdleTimer();
  }

  async #performOne(call: Call): Promise<Answer> {
    const { operation, signal, onOutput, onProgress, maxOutput } = call;
    if (operation.kind === 'debug' && !this.#debugging) {
      throw new SessionProblem(
        `No error is open in session ${this.name}. Call evaluate-lisp with on-error "break" first.`,
      );
    }
    if (this.#life === undefined) this.#requireStart();
    const life = this.#life ?? this.#begin();
    const evaluator = life.evaluator ?? (await firstOf(life, signal));
    if (life.endedBy !== undefined) throw life.endedBy;
    // Lost as soon as it had started.
    if (this.#life !== life) return this.#performOne(call);
    const settings = this.#settings();
    // Taken before the call runs: if it loses the Lisp, that is news for the next one.
    const news = this.#news;
    this.#news = [];
    this.#performing = true;
    this.#interruptNote = undefined;
    try {
      const before = await this.#setProjects(life, evaluator, settings, signal);
      // The call has not run yet.
      if (before.outcome?.lost !== undefined) {
        this.#lost(life, before.outcome.lost);
        return await this.#performOne(call);
      }
      const answer = { session: this.name, engine: evaluator.engine, keepsDefinitions: this.#keepsDefinitions };
      if (before.outcome?.interrupted === 'request') return { ...answer, outcome: before.outcome, notes: news };
      const outcome = await evaluator.perform(operation, {
        timeout: timeoutOf(call, settings),
        limits: maxOutput === undefined ? settings.limits : { ...settings.limits, output: maxOutput },
        ...(signal !== undefined && { signal }),
        ...(onOutput !== undefined && { onOutput }),
        ...(onProgress !== undefined && { onProgress }),
      });
      this.#note(life, outcome);
      return {
        ...answer,
        outcome: withOutputBefore(outcome, before.outcome),
        notes: [...news, before.note, this.#interruptNote].filter((note) => note !== undefined),
      };
    } catch (error) {
      this.#news = [...news, ...this.#news];
      // The restart left the debugger before it was interrupted.
      if (operation.kind === 'debug' && operation.action.do === 'restart') this.#debugging = false;
      throw error;
    } finally {
      this.#performing = false;
    }
  }

  #note(life: Life, outcome: Outcome): void {
    if (outcome.lost !== undefined) this.#lost(life, outcome.lost);
    else if (this.#life === life) {
      this.#package = outcome.package;
      this.#debugging = outcome.debugging === true;
    }
  }

  /** Gives ASDF the folders that were added. If that fails, the note says so, and the next call tries again. */
  async #setProjects(
    life: Life,
    evaluator: Evaluator,
    { start, limits, timeout }: SessionSettings,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly outcome?: Outcome; readonly note?: string }> {
    const folders = start.projects ?? [];
    if (life.projects === start.projects || folders.length === 0) return {};
    const options = { timeout, limits, ...(signal !== undefined && { signal }) };
    const outcome = await evaluator.perform({ kind: 'set-projects', folders }, options);
    if (outcome.ok) {
      life.projects = folders;
      return { outcome };
    }
    const why = outcome.error?.message ?? 'setting them was interrupted';
    return { outcome, note: `ASDF does not know the folders ${folders.join(', ')}: ${why}` };
  }

  #requireStart(): void {
    const missing = this.#engine.missing();
    if (missing !== undefined) throw new SessionProblem(missing);
    const until = this.#breaker.openUntil;
    if (until === undefined) return;
    const seconds = Math.ceil((until - this.#now()) / 1000);
    throw new SessionProblem(
      `Session ${this.name} was lost ${BREAKER_LOSSES} times within ${BREAKER_WINDOW_MS / 1000} seconds, so it is not started again before ${new Date(until).toISOString()} (in ${seconds} s). Find out what ends the Lisp, or use another session.`,
    );
  }

  #begin(): Life {
    let end: Life['end'] = () => {};
    const ended = new Promise<never>((_resolve, reject) => {
      end = reject;
    });
    const { start, startNote } = this.#settings();
    const ready = this.#engine.start(start).catch((error: unknown) => {
      throw new SessionProblem(`The Lisp could not be started: ${messageOf(error)}`);
    });
    const projects = start.projects ?? [];
    const life: Life = { ready, evaluator: undefined, projects, ended, end, endedBy: undefined };
    this.#life = life;
    this.#package = undefined;
    ended.catch(() => {});
    ready.then(
      (evaluator) => {
        life.evaluator = evaluator;
        const note = startNote?.(evaluator);
        if (note !== undefined) this.#news.push(note);
        void evaluator.lost.then((loss) => this.#lost(life, loss));
      },
      () => this.#life === life && this.#forgetLife(),
    );
    return life;
  }

  /** Does nothing for a Lisp that was ended on purpose. */
  #lost(life: Life, loss: Loss): void {
    if (this.#life !== life) return;
    this.#forgetLife();
    if (loss.kind !== 'closed') this.#breaker.lost();
    this.#news = [`The Lisp of session ${this.name} was lost (${sentence(loss.message)}). ${this.#aboutFreshLisp}`];
  }

  #forgetLife(): void {
    this.#life = undefined;
    this.#debugging = false;
    clearTimeout(this.#idleTimer);
  }

  get #keepsDefinitions(): boolean {
    return this.#engine.keepsDefinitions === true;
  }

  get #aboutFreshLisp(): string {
    return this.#keepsDefinitions ? 'Definitions are kept.' : 'This is a fresh one: all definitions are gone.';
  }

  #restartIdleTimer(): void {
    clearTimeout(this.#idleTimer);
    const { idle } = this.#settings();
    if (this.#life === undefined || idle === 0) return;
    // It must not keep the process alive.
    this.#idleTimer = setTimeout(() => this.#endIdle(idle), idle).unref();
  }

  #endIdle(idle: number): void {
    if (this.#working) return;
    void this.end('');
    this.#news = [
      `The Lisp of session ${this.name} was ended after ${inWords(idle)} without a call. ${this.#aboutFreshLisp}`,
    ];
  }
}

/** An outcome with the output of the operation before it, which took what was written since the last call. */
function withOutputBefore(outcome: Outcome, before: Outcome | undefined): Outcome {
  if (before === undefined || (before.stdout === '' && before.stderr === '')) return outcome;
  return {
    ...outcome,
    stdout: before.stdout + outcome.stdout,
    stderr: before.stderr + outcome.stderr,
  };
}

function timeoutOf({ operation, timeout }: Call, settings: SessionSettings): number {
  if (timeout !== undefined) return timeout;
  switch (operation.kind) {
    case 'load-file':
    case 'load-system':
    case 'test-system':
      return settings.loadTimeout;
    default:
      return settings.timeout;
  }
}

/** The Lisp when it has started, unless the caller cancels or the session is ended before. */
function firstOf({ ready, ended }: Life, signal: AbortSignal | undefined): Promise<Evaluator> {
  if (signal === undefined) return Promise.race([ready, ended]);
  return new Promise((resolve, reject) => {
    const cancelled = () => reject(signal.reason);
    if (signal.aborted) return cancelled();
    signal.addEventListener('abort', cancelled, { once: true });
    Promise.race([ready, ended])
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', cancelled));
  });
}

/** A sentence without its period. */
function sentence(text: string): string {
  return text.replace(/\.$/, '');
}

function inWords(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 100) / 10;
  return seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${seconds} seconds`;
}
