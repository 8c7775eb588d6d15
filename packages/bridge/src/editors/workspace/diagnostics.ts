import type { FileDiagnostics, LanguageProgram } from '../../editor.ts';
import { Checker } from './language-servers/checker.ts';
import { checkMatcher, type ProblemMatcher } from './problem-matchers.ts';
import type { Command } from './run-command.ts';

/** The user's own check of the whole workspace, such as `tsc --noEmit`. */
export interface DiagnosticsCommand {
  readonly command: Command;
  readonly matcher: ProblemMatcher;
  /** Where it runs; the first workspace folder by default. */
  readonly folder?: string;
  /** Default 120 000. */
  readonly timeoutMs?: number;
  /** Default 16 MiB. */
  readonly maxOutputBytes?: number;
}

export interface DiagnosticsOptions extends DiagnosticsCommand {
  readonly folder: string;
  /** The diagnostics of these files have changed. */
  readonly onChange: (paths: readonly string[]) => void;
  /** A run failed; what was known before still stands. */
  readonly onProblem: (problem: Error) => void;
  /** How long changes are collected before the command runs. Default 300. */
  readonly delayMs?: number;
}

/** Runs the command when something may have changed, never twice at once, and answers from what it said last. */
export class Diagnostics {
  readonly #options: DiagnosticsOptions;
  readonly #checker: Checker;
  #timer: NodeJS.Timeout | undefined;
  #run: Promise<void> | undefined;
  #isStale = false;
  #lastEnd = 0;
  #isClosed = false;

  constructor(options: DiagnosticsOptions) {
    const { command, matcher, folder } = options;
    checkMatcher(matcher);
    this.#options = options;
    const row = { kind: 'checker', command, matcher, languages: [], group: '' } as const;
    const program = { row, path: command[0], folder, version: undefined };
    this.#checker = new Checker({ timeoutMs: 120_000, ...options, program });
    this.refresh();
  }

  /** Answers at once. What is no longer fresh is looked at again for the next question. */
  of(path?: string): readonly FileDiagnostics[] {
    if (performance.now() - this.#lastEnd > FRESH_MS && this.#run === undefined) this.refresh();
    const { known } = this.#checker;
    if (path !== undefined) return [{ path, diagnostics: known.get(path) ?? [] }];
    return [...known].map(([file, diagnostics]) => ({ path: file, diagnostics }));
  }

  status(): LanguageProgram {
    return this.#checker.status();
  }

  refresh(): void {
    if (this.#isClosed) return;
    if (this.#run !== undefined) this.#isStale = true;
    else this.#timer ??= setTimeout(() => this.#begin(), this.#options.delayMs ?? 300);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isClosed = true;
    await this.#checker.close();
    await this.#run;
  }

  #begin(): void {
    this.#timer = undefined;
    this.#run = this.#checker
      .run(undefined)
      .catch((error: unknown) => this.#options.onProblem(new Error('Checking failed', { cause: error })))
      .finally(() => {
        this.#run = undefined;
        this.#lastEnd = performance.now();
        if (!this.#isStale) return;
        this.#isStale = false;
        this.refresh();
      });
  }
}

/** An agent asks before and after each of its edits, also of files that are not open. */
const FRESH_MS = 5000;
