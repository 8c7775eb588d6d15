import type { Operation, Outcome, PerformOptions } from './evaluator.ts';
import { SessionProblem } from './session-problem.ts';

/** A call of a session. */
export interface Call {
  readonly operation: Operation;
  /** Milliseconds; the session's own limit when absent, no limit when 0. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onOutput?: PerformOptions['onOutput'];
  readonly onProgress?: PerformOptions['onProgress'];
  /** Characters kept of each output stream; the session's own limit when absent. */
  readonly maxOutput?: number | undefined;
}

/** The result of a call that reached the Lisp. */
export interface Answer {
  readonly session: string;
  readonly engine: string;
  /** Whether a Lisp that replaces a lost one finds its definitions. */
  readonly keepsDefinitions: boolean;
  readonly outcome: Outcome;
  /** What else the caller should know about the session, for example that it has a fresh Lisp. */
  readonly notes: readonly string[];
}

/** A call whose turn has come. */
export interface Job {
  readonly call: Call;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

interface WaitingJob extends Job {
  /** What it takes to keep it. */
  readonly bytes: number;
  /** Removes the listener for the caller's cancel. */
  readonly forgetCancel: () => void;
}

/** About what a call takes besides its text. */
const CALL_BYTES = 1000;

/** The calls of a session in the order they came. */
export class CallQueue {
  readonly #session: string;
  #jobs: WaitingJob[] = [];
  #bytes = 0;

  constructor(session: string) {
    this.#session = session;
  }

  get length(): number {
    return this.#jobs.length;
  }

  /**
   * Settles when the call has run. With a limit it has to wait: it is rejected if more than that would wait, and leaves
   * the queue when it is cancelled.
   */
  add(call: Call, maxBytes: number | undefined): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { signal } = call;
      if (signal?.aborted) return reject(signal.reason);
      const bytes = maxBytes === undefined ? 0 : CALL_BYTES + JSON.stringify(call.operation).length;
      if (maxBytes !== undefined && this.#bytes + bytes > maxBytes) {
        return reject(
          new SessionProblem(
            `Too much waits in session ${this.#session}: more than ${maxBytes} bytes. Wait for answers, call interrupt, or use another session.`,
          ),
        );
      }
      const cancelled = () => {
        this.#jobs.splice(this.#jobs.indexOf(job), 1);
        this.#bytes -= bytes;
        reject(signal?.reason);
      };
      const forgetCancel = () => signal?.removeEventListener('abort', cancelled);
      const job = { call, resolve, reject, bytes, forgetCancel };
      this.#jobs.push(job);
      this.#bytes += bytes;
      if (maxBytes !== undefined) signal?.addEventListener('abort', cancelled, { once: true });
    });
  }

  /** Takes the first call out. */
  next(): Job | undefined {
    const job = this.#jobs.shift();
    job?.forgetCancel();
    this.#bytes -= job?.bytes ?? 0;
    return job;
  }

  rejectAll(problem: SessionProblem): void {
    for (let job = this.next(); job !== undefined; job = this.next()) job.reject(problem);
  }
}
