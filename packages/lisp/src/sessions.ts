import type { Engine, StartOptions, TextLimits } from './evaluator.ts';
import { type Answer, type Call, Session, type SessionSettings } from './session.ts';
import { SessionProblem } from './session-problem.ts';

export const DEFAULT_SESSION = 'default';

/** What may be changed while the server runs; times in milliseconds, 0 for no limit. */
export interface Limits {
  readonly maxSessions: number;
  readonly idle: number;
  readonly timeout: number;
  /** Of Lisps started from then on. */
  readonly heapMegabytes: number;
  readonly text: TextLimits;
}

export const DEFAULT_LIMITS: Limits = {
  maxSessions: 8,
  idle: 15 * 60_000,
  timeout: 30_000,
  heapMegabytes: 512,
  text: { output: 100_000, value: 20_000 },
};

export interface SessionsOptions {
  readonly limits?: Partial<Limits>;
  /** What protects the machine and cannot be raised later; these are limits from the start. */
  readonly ceilings?: Partial<Pick<Limits, 'maxSessions' | 'heapMegabytes'>>;
  /** How every Lisp is started; the heap is a limit. */
  readonly start?: Omit<StartOptions, 'heapMegabytes'>;
  /** How many calls may wait in one session. Default 100. */
  readonly maxWaiting?: number;
  /** Milliseconds of the wall clock. */
  readonly now?: () => number;
}

export type SessionDescription = Session['description'];

const NAME = /^[\w.:@-]{1,64}$/;

/** The named sessions of a server: one queue and one Lisp each, side by side. */
export class Sessions {
  readonly #engine: Engine;
  readonly #options: SessionsOptions;
  readonly #now: () => number;
  readonly #sessions = new Map<string, Session>();
  #limits: Limits;
  #settings: SessionSettings;
  #closed = false;

  constructor(engine: Engine, options: SessionsOptions = {}) {
    this.#engine = engine;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits, ...options.ceilings };
    this.#settings = this.#settingsOf(this.#limits);
  }

  get limits(): Limits {
    return this.#limits;
  }

  /** Throws a SessionProblem, and changes nothing, when a ceiling is in the way. */
  configure(change: Partial<Limits>): Limits {
    const { maxSessions = Infinity, heapMegabytes = Infinity } = this.#options.ceilings ?? {};
    const why = 'whoever started the server has set that.';
    if ((change.maxSessions ?? 0) > maxSessions) {
      throw new SessionProblem(`There may be ${maxSessions} sessions at most: ${why}`);
    }
    if ((change.heapMegabytes ?? 0) > heapMegabytes) {
      throw new SessionProblem(`The heap of a Lisp may be ${heapMegabytes} MB at most: ${why}`);
    }
    this.#limits = { ...this.#limits, ...change };
    this.#settings = this.#settingsOf(this.#limits);
    if (change.idle !== undefined) for (const session of this.#sessions.values()) session.idleChanged();
    return this.#limits;
  }

  /** Why no Lisp can be started, and what to do about it. */
  missing(): string | undefined {
    return this.#engine.missing();
  }

  /**
   * Performs a call in a session, which is made if there is none of that name. Rejects with a SessionProblem when it
   * cannot be served, and with the signal's reason when it is cancelled.
   */
  perform(name: string, call: Call): Promise<Answer> {
    return this.#obtain(name).perform(call);
  }

  /** Gives the session a new Lisp, whatever the old one is doing. */
  async reset(name: string, signal?: AbortSignal): Promise<{ readonly engine: string; readonly hadLisp: boolean }> {
    const session = this.#obtain(name);
    const hadLisp = session.state !== 'none';
    const ending = session.endKnowingly(`Session ${name} was reset before this ran, so it did not run.`);
    const { engine } = await session.start(signal);
    await ending;
    return { engine, hadLisp };
  }

  /** Ends a session and forgets it, but for losses that still count. */
  async close(name: string): Promise<void> {
    const session = this.#find(name);
    if (!session.remembersLosses) this.#sessions.delete(name);
    await session.endKnowingly(`Session ${name} was closed before this ran, so it did not run.`);
  }

  interrupt(name: string): 'interrupted' | 'nothing-runs' {
    return this.#find(name).interrupt();
  }

  list(): SessionDescription[] {
    return [...this.#sessions.values()].map(({ description }) => description).filter(({ state }) => state !== 'none');
  }

  /** Ends every Lisp; what comes later is refused. Safe to call twice. */
  async closeAll(): Promise<void> {
    this.#closed = true;
    const why = 'The server is ending, so this did not run.';
    await Promise.all([...this.#sessions.values()].map((session) => session.end(why)));
  }

  #obtain(name: string): Session {
    if (this.#closed) throw new SessionProblem('The server is ending.');
    const known = this.#sessions.get(name);
    if (known !== undefined) return known;
    if (!NAME.test(name)) {
      throw new SessionProblem(
        `A session's name has 1 to 64 letters, digits or . _ - : @, which ${JSON.stringify(name.slice(0, 80))} has not.`,
      );
    }
    const missing = this.#engine.missing();
    if (missing !== undefined) throw new SessionProblem(missing);
    this.#makeRoom();
    const session = new Session(name, this.#engine, () => this.#settings, this.#now);
    this.#sessions.set(name, session);
    return session;
  }

  /** Sessions without a Lisp are kept only for what they have to tell, and go first. */
  #makeRoom(): void {
    const { maxSessions } = this.#limits;
    const empty = [...this.#sessions.values()].filter((session) => session.empty);
    empty.sort((a, b) => Number(a.remembersLosses) - Number(b.remembersLosses));
    for (const { name } of empty) {
      if (this.#sessions.size < maxSessions) return;
      this.#sessions.delete(name);
    }
    if (this.#sessions.size < maxSessions) return;
    throw new SessionProblem(
      `There are ${this.#sessions.size} sessions already (${[...this.#sessions.keys()].join(', ')}), which is the maximum: use one of them, or end one with close-session.`,
    );
  }

  #find(name: string): Session {
    const session = this.#sessions.get(name);
    if (session !== undefined && !session.empty) return session;
    const names = this.list().map((description) => description.name);
    throw new SessionProblem(
      `There is no session ${JSON.stringify(name.slice(0, 80))}; ${names.length === 0 ? 'none is running' : `running are: ${names.join(', ')}`}.`,
    );
  }

  #settingsOf({ idle, timeout, heapMegabytes, text }: Limits): SessionSettings {
    const { start, maxWaiting = 100 } = this.#options;
    return { start: { ...start, heapMegabytes }, limits: text, timeout, idle, maxWaiting };
  }
}
