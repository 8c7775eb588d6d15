import { BREAKER_LOSSES, BREAKER_WINDOW_MS, Breaker } from './breaker.ts';
import type { Engine, Evaluator, Loss, Operation, Outcome, PerformOptions, StartOptions } from './evaluator.ts';
import { SessionProblem } from './session-problem.ts';

/** A call of a session. */
export interface Call {
  readonly operation: Operation;
  /** Milliseconds; the session's own limit when absent, no limit when 0. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: PerformOptions['onOutput'];
}

/** What became of a call that reached the Lisp. */
export interface Answer {
  readonly session: string;
  readonly engine: string;
  readonly outcome: Outcome;
  /** What the caller has to know of the session besides: that it is a fresh one, and why. */
  readonly notes: readonly string[];
}

/** What a session is told from outside; read anew for each call. */
export interface SessionSettings {
  readonly start: StartOptions;
  readonly limits: PerformOptions['limits'];
  /** Milliseconds a call may take when it does not say. 0: no limit. */
  readonly timeout: number;
  /** Milliseconds without a call after which the Lisp is ended. 0: never. */
  readonly idle: number;
  /** How many calls may wait in one session. */
  readonly maxWaiting: number;
}

export type SessionState = 'none' | 'starting' | 'idle' | 'busy' | 'debugging';

interface Job extends Call {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
  /** Stops listening for the caller's cancel. */
  readonly forgetCancel: () => void;
}

/** One Lisp from its start to its end. */
interface Life {
  readonly ready: Promise<Evaluator>;
  evaluator: Evaluator | undefined;
  /** Rejects when it is ended on purpose, with what `endedBy` is from then on. */
  readonly ended: Promise<never>;
  readonly end: (problem: SessionProblem) => void;
  endedBy: SessionProblem | undefined;
}

/**
 * One named session: a Lisp that is started when first needed, and a queue before it. It outlives its Lisps; when one
 * is lost the next call gets a fresh one and is told so.
 */
export class Session {
  readonly name: string;
  readonly #engine: Engine;
  readonly #settings: () => SessionSettings;
  readonly #now: () => number;
  readonly #breaker: Breaker;
  readonly #queue: Job[] = [];
  #life: Life | undefined;
  #working = false;
  #performing = false;
  #debugging = false;
  #package: string | undefined;
  #news: string | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #calls = 0;
  #lastUsed: number;

  constructor(name: string, engine: Engine, settings: () => SessionSettings, now: () => number) {
    this.name = name;
    this.#engine = engine;
    this.#settings = settings;
    this.#now = now;
    this.#breaker = new Breaker(now);
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

  /** Whether forgetting it would forget losses that still count. */
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

  /** Performs the call after those that came before it. A cancelled one that has not begun never does. */
  perform(call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { signal } = call;
      if (signal?.aborted) return reject(signal.reason);
      const { maxWaiting } = this.#settings();
      if (this.#queue.length >= maxWaiting) {
        return reject(
          new SessionProblem(
            `${maxWaiting} calls are waiting in session ${this.name} already: wait for their answers, interrupt what runs, or use another session.`,
          ),
        );
      }
      const cancelled = () => {
        this.#queue.splice(this.#queue.indexOf(job), 1);
        reject(signal?.reason);
      };
      const job: Job = {
        ...call,
        resolve,
        reject,
        forgetCancel: () => signal?.removeEventListener('abort', cancelled),
      };
      signal?.addEventListener('abort', cancelled, { once: true });
      this.#queue.push(job);
      if (!this.#working) void this.#work();
    });
  }

  /** Starts the Lisp if there is none, and waits for it. */
  async start(signal?: AbortSignal): Promise<Evaluator> {
    this.#insistOnStarting();
    const life = this.#life ?? this.#begin();
    const evaluator = await firstOf(life, signal);
    this.#armIdleTimer();
    return evaluator;
  }

  /** The time without a call counts from now, and to another limit. */
  idleChanged(): void {
    this.#armIdleTimer();
  }

  /** Interrupts the call that runs now. */
  interrupt(): 'interrupted' | 'nothing-runs' {
    if (!this.#performing || this.#life?.evaluator === undefined) return 'nothing-runs';
    this.#life.evaluator.interrupt();
    return 'interrupted';
  }

  /**
   * Ends the Lisp. The call that runs is answered with the loss, those that wait are refused with the given words.
   * Safe to call twice.
   */
  async end(why: string): Promise<void> {
    const problem = new SessionProblem(why);
    for (const job of this.#queue.splice(0)) {
      job.forgetCancel();
      job.reject(problem);
    }
    const life = this.#life;
    if (life === undefined) return;
    this.#forgetLife();
    life.endedBy = problem;
    life.end(problem);
    const evaluator = await life.ready.catch(() => undefined);
    await evaluator?.close();
  }

  /** As `end`, and what it knew will not be mentioned again: the caller knows. */
  async endKnowingly(why: string): Promise<void> {
    const ending = this.end(why);
    this.#news = undefined;
    await ending;
  }

  async #work(): Promise<void> {
    this.#working = true;
    clearTimeout(this.#idleTimer);
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      job.forgetCancel();
      this.#calls += 1;
      try {
        job.resolve(await this.#performOne(job));
      } catch (error) {
        job.reject(error);
      }
      this.#lastUsed = this.#now();
    }
    this.#working = false;
    this.#armIdleTimer();
  }

  async #performOne(call: Call): Promise<Answer> {
    const { operation, signal, onOutput, timeout } = call;
    if (operation.kind === 'debug' && !this.#debugging) {
      throw new SessionProblem(
        `No error is open in session ${this.name}: call evaluate-lisp with on-error "break" first.`,
      );
    }
    if (this.#life === undefined) this.#insistOnStarting();
    const life = this.#life ?? this.#begin();
    const evaluator = await firstOf(life, signal);
    if (life.endedBy !== undefined) throw life.endedBy;
    // Lost as soon as it had started.
    if (this.#life !== life) return this.#performOne(call);
    const settings = this.#settings();
    // Taken now: should this call lose the Lisp, that is news for the next one.
    const news = this.#news;
    this.#news = undefined;
    this.#performing = true;
    try {
      const outcome = await evaluator.perform(operation, {
        timeout: timeout ?? settings.timeout,
        limits: settings.limits,
        ...(signal !== undefined && { signal }),
        ...(onOutput !== undefined && { onOutput }),
      });
      this.#note(life, outcome);
      return { session: this.name, engine: evaluator.engine, outcome, notes: news === undefined ? [] : [news] };
    } catch (error) {
      this.#news ??= news;
      // What was to go on with a restart has been cut off, and the debugger was left for it.
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

  #insistOnStarting(): void {
    const missing = this.#engine.missing();
    if (missing !== undefined) throw new SessionProblem(missing);
    const until = this.#breaker.openUntil;
    if (until === undefined) return;
    const seconds = Math.ceil((until - this.#now()) / 1000);
    throw new SessionProblem(
      `Session ${this.name} was lost ${BREAKER_LOSSES} times within ${BREAKER_WINDOW_MS / 1000} seconds, so it is not started again before ${new Date(until).toISOString()} (in ${seconds} s): find out what ends the Lisp, or use another session.`,
    );
  }

  #begin(): Life {
    let end: Life['end'] = () => {};
    const ended = new Promise<never>((_resolve, reject) => {
      end = reject;
    });
    const ready = this.#engine.start(this.#settings().start).catch((error: unknown) => {
      throw new SessionProblem(`The Lisp could not be started: ${error instanceof Error ? error.message : error}`);
    });
    const life: Life = { ready, evaluator: undefined, ended, end, endedBy: undefined };
    this.#life = life;
    this.#package = undefined;
    ended.catch(() => {});
    ready.then(
      (evaluator) => {
        life.evaluator = evaluator;
        void evaluator.lost.then((loss) => this.#lost(life, loss));
      },
      () => this.#life === life && this.#forgetLife(),
    );
    return life;
  }

  /** A Lisp that is no longer ours was ended on purpose. */
  #lost(life: Life, loss: Loss): void {
    if (this.#life !== life) return;
    this.#forgetLife();
    if (loss.kind !== 'closed') this.#breaker.lost();
    this.#news = `The Lisp that session ${this.name} had before was lost (${sentence(loss.message)}) and this is a fresh one: nothing the old one knew is left.`;
  }

  #forgetLife(): void {
    this.#life = undefined;
    this.#debugging = false;
    clearTimeout(this.#idleTimer);
  }

  #armIdleTimer(): void {
    const { idle } = this.#settings();
    clearTimeout(this.#idleTimer);
    if (idle === 0 || this.#life === undefined || this.#working) return;
    this.#idleTimer = setTimeout(() => this.#endIdle(idle), idle);
    this.#idleTimer.unref();
  }

  #endIdle(idle: number): void {
    void this.end('');
    this.#news = `Session ${this.name} had ended after ${inWords(idle)} without a call and this is a fresh one: nothing the old one knew is left.`;
  }
}

/** The Lisp when it has started, unless the caller gives up or the session is ended before. */
function firstOf({ ready, ended, evaluator }: Life, signal: AbortSignal | undefined): Promise<Evaluator> {
  if (evaluator !== undefined) return Promise.resolve(evaluator);
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

/** Fit to stand in brackets. */
function sentence(text: string): string {
  return text.replace(/\.$/, '');
}

function inWords(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 100) / 10;
  return seconds >= 120 ? `${Math.round(seconds / 60)} minutes` : `${seconds} seconds`;
}
