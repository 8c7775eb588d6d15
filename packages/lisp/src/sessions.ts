import type { Answer, Call } from './call-queue.ts';
import type { Engine, Evaluator, StartOptions, TextLimits } from './evaluator.ts';
import { Session, type SessionSettings } from './session.ts';
import { SessionProblem } from './session-problem.ts';
import type { Transcript } from './transcript.ts';

export const DEFAULT_SESSION = 'default';

/** Limits that can be changed while the server runs. Times in milliseconds; 0 is no limit. */
export interface Limits {
  readonly maxSessions: number;
  readonly idle: number;
  /** How long a call may take, and how long one that loads or tests a system may take. */
  readonly timeout: number;
  readonly loadTimeout: number;
  /** Applies to Lisps started later. */
  readonly heapMegabytes: number;
  readonly text: TextLimits;
}

export const DEFAULT_LIMITS: Limits = {
  maxSessions: 8,
  idle: 15 * 60_000,
  timeout: 30_000,
  loadTimeout: 600_000,
  heapMegabytes: 512,
  text: { output: 100_000, value: 20_000 },
};

export interface SessionsOptions {
  /** `maxSessions` and `heapMegabytes` can't be raised later. */
  readonly limits?: Partial<Limits>;
  /** How every Lisp is started. */
  readonly start?: Omit<StartOptions, 'heapMegabytes'>;
  /** A sentence about each Lisp for the first answer it gives, such as which files it has loaded. */
  readonly startNote?: (evaluator: Evaluator) => string | undefined;
  /** How much may wait in one session: the texts of its calls. Default 8 MiB. */
  readonly maxWaitingBytes?: number;
  /** Milliseconds of the wall clock. */
  readonly now?: () => number;
}

export type SessionDescription = Session['description'];

const MAX_WAITING_BYTES = 8 * 1024 * 1024;
const NAME = /^[\w.:@-]{1,64}$/;

/** The named sessions of a server. Each has one queue and one Lisp. */
export class Sessions {
  readonly #engine: Engine;
  readonly #options: SessionsOptions;
  readonly #now: () => number;
  readonly #sessions = new Map<string, Session>();
  readonly #ceilings: Limits;
  #projects: readonly string[];
  #limits: Limits;
  #settings: SessionSettings;
  #closed = false;

  constructor(engine: Engine, options: SessionsOptions = {}) {
    this.#engine = engine;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#ceilings = this.#limits;
    this.#projects = options.start?.projects ?? [];
    this.#settings = this.#settingsOf(this.#limits);
  }

  get limits(): Limits {
    return this.#limits;
  }

  /** Throws a SessionProblem and changes nothing if a limit would be raised above what the server was started with. */
  configure(change: Partial<Limits>): Limits {
    const { maxSessions, heapMegabytes } = this.#ceilings;
    if ((change.maxSessions ?? 0) > maxSessions) {
      throw new SessionProblem(
        `At most ${maxSessions} sessions are allowed. Only the user can raise it: --max-sessions.`,
      );
    }
    if ((change.heapMegabytes ?? 0) > heapMegabytes) {
      throw new SessionProblem(`At most ${heapMegabytes} MB of heap are allowed. Only the user can raise it: --heap.`);
    }
    this.#limits = { ...this.#limits, ...change };
    this.#settings = this.#settingsOf(this.#limits);
    if (change.idle !== undefined) for (const session of this.#sessions.values()) session.idleChanged();
    return this.#limits;
  }

  /** Adds folders whose systems ASDF finds in every session, from its next call on. */
  addProjects(folders: readonly string[]): void {
    const added = folders.filter((folder) => !this.#projects.includes(folder));
    if (added.length === 0) return;
    this.#projects = [...this.#projects, ...added];
    this.#settings = this.#settingsOf(this.#limits);
  }

  /** Whether definitions outlive the Lisp of a session. */
  get keepsDefinitions(): boolean {
    return this.#engine.keepsDefinitions === true;
  }

  /** The transcript of a session that exists. */
  transcript(name: string): Transcript | undefined {
    return this.#sessions.get(name)?.transcript;
  }

  /** Why no Lisp can be started, and what to do about it. */
  missing(): string | undefined {
    return this.#engine.missing();
  }

  /**
   * Performs a call in a session, which is made if it does not exist. Rejects with a SessionProblem when the call can't
   * be served, and with the signal's reason when it is cancelled.
   */
  perform(name: string, call: Call): Promise<Answer> {
    return this.#obtain(name).perform(call);
  }

  /** Replaces the Lisp of a session, also while it is busy. */
  async reset(name: string, signal?: AbortSignal): Promise<{ readonly engine: string; readonly hadLisp: boolean }> {
    const session = this.#obtain(name);
    const hadLisp = session.state !== 'none';
    const ending = session.endSilently(`Session ${name} was reset, so this call did not run.`);
    const { engine } = await session.start(signal);
    await ending;
    return { engine, hadLisp };
  }

  /** Ends a session. It is remembered only for losses that still count. */
  async close(name: string): Promise<void> {
    const session = this.#find(name);
    if (!session.remembersLosses) this.#sessions.delete(name);
    await session.endSilently(`Session ${name} was closed, so this call did not run.`);
  }

  /** Interrupts what runs: something has failed in the server, and a call may wait for it in vain. */
  serverFailed(why: string): void {
    const note = `The server failed while the call ran (${why}), so the call was interrupted.`;
    for (const session of this.#sessions.values()) session.interrupt(note);
  }

  interrupt(name: string): 'interrupted' | 'nothing-runs' {
    return this.#find(name).interrupt();
  }

  list(): SessionDescription[] {
    return [...this.#sessions.values()].map(({ description }) => description).filter(({ state }) => state !== 'none');
  }

  /** Ends every Lisp and rejects later calls. Safe to call twice. */
  async closeAll(): Promise<void> {
    this.#closed = true;
    const why = 'The server is ending, so this call did not run.';
    await Promise.all([...this.#sessions.values()].map((session) => session.end(why)));
  }

  #obtain(name: string): Session {
    if (this.#closed) throw new SessionProblem('The server is ending.');
    const known = this.#sessions.get(name);
    if (known !== undefined) return known;
    if (!NAME.test(name)) {
      throw new SessionProblem(
        `Not a session name: ${JSON.stringify(name.slice(0, 80))}. Use 1 to 64 letters, digits or . _ - : @`,
      );
    }
    const missing = this.#engine.missing();
    if (missing !== undefined) throw new SessionProblem(missing);
    this.#makeRoom();
    const session = new Session(name, this.#engine, () => this.#settings, this.#now);
    this.#sessions.set(name, session);
    return session;
  }

  /** Removes sessions without a Lisp, those that remember losses last. */
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
      `Session limit reached (${this.#sessions.size}: ${[...this.#sessions.keys()].join(', ')}). Use one of them, or close one with close-session.`,
    );
  }

  #find(name: string): Session {
    const session = this.#sessions.get(name);
    if (session !== undefined && !session.empty) return session;
    const names = this.list().map((description) => description.name);
    throw new SessionProblem(
      `There is no session ${JSON.stringify(name.slice(0, 80))}. ${names.length === 0 ? 'No session is running' : `Running: ${names.join(', ')}`}.`,
    );
  }

  #settingsOf({ idle, heapMegabytes, text, ...timeouts }: Limits): SessionSettings {
    const { start, startNote, maxWaitingBytes = MAX_WAITING_BYTES } = this.#options;
    const projects = this.#projects;
    return {
      start: { ...start, projects, heapMegabytes },
      startNote,
      limits: text,
      ...timeouts,
      idle,
      maxWaitingBytes,
    };
  }
}
