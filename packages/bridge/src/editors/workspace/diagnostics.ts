import { asError } from '@hawser/unknown-values/thrown';
import type { FileDiagnostics, LanguageProgram } from '../../editor.ts';
import { runCheck } from './check-command.ts';
import { checkMatcher, type ProblemMatcher } from './problem-matchers.ts';
import type { Command } from './run-command.ts';

/** The user's own check of the whole workspace, such as `tsc --noEmit`. */
export interface DiagnosticsCommand {
  readonly command: Command;
  readonly matcher: ProblemMatcher;
  /** Where it runs; the first workspace folder by default. */
  readonly folder?: string;
  /** How long changes are collected before it runs. Default 300. */
  readonly delayMs?: number;
  /** Default 120 000. */
  readonly timeoutMs?: number;
  /** Default 16 MiB. */
  readonly maxOutputBytes?: number;
}

export interface DiagnosticsOptions extends DiagnosticsCommand {
  readonly folder: string;
  /** Of these files there are other diagnostics now. */
  readonly onChange: (paths: readonly string[]) => void;
  /** A run failed; what was known before still stands. */
  readonly onProblem: (problem: Error) => void;
}

/** Runs the command when something may have changed, never twice at once, and answers from what it said last. */
export class Diagnostics {
  readonly #options: DiagnosticsOptions;
  readonly #closing = new AbortController();
  #known = new Map<string, FileDiagnostics>();
  #timer: NodeJS.Timeout | undefined;
  #run: Promise<void> | undefined;
  #isStale = false;
  #problem: Error | undefined;
  #lastEnd = 0;

  constructor(options: DiagnosticsOptions) {
    checkMatcher(options.matcher);
    this.#options = options;
    this.refresh();
  }

  /** Answers at once. What is no longer fresh is looked at again for the next question. */
  of(path?: string): readonly FileDiagnostics[] {
    if (performance.now() - this.#lastEnd > FRESH_MS && this.#run === undefined) this.refresh();
    if (path === undefined) return [...this.#known.values()];
    return [this.#known.get(path) ?? { path, diagnostics: [] }];
  }

  status(): LanguageProgram {
    const { command, folder } = this.#options;
    const state =
      this.#run !== undefined ? 'running' : this.#problem ? 'failed' : this.#lastEnd > 0 ? 'idle' : 'not started';
    const problem = state === 'failed' ? { problem: this.#problem?.message ?? '' } : {};
    const name = command.join(' ');
    return { name, version: undefined, kind: 'checker', path: command[0], folder, languages: [], state, ...problem };
  }

  refresh(): void {
    if (this.#closing.signal.aborted) return;
    if (this.#run !== undefined) this.#isStale = true;
    else this.#timer ??= setTimeout(() => this.#begin(), this.#options.delayMs ?? 300);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort(new Error('The editor was closed'));
    await this.#run;
  }

  #begin(): void {
    this.#timer = undefined;
    this.#run = this.#check()
      .then(() => {
        this.#problem = undefined;
      })
      .catch((error: unknown) => {
        this.#problem = asError(error);
        if (!this.#closing.signal.aborted) this.#options.onProblem(new Error('Checking failed', { cause: error }));
      })
      .finally(() => {
        this.#run = undefined;
        this.#lastEnd = performance.now();
        if (!this.#isStale) return;
        this.#isStale = false;
        this.refresh();
      });
  }

  async #check(): Promise<void> {
    const problems = await runCheck({ ...this.#options, signal: this.#closing.signal });
    this.#replace(new Map(problems.map((file) => [file.path, file])));
  }

  #replace(fresh: Map<string, FileDiagnostics>): void {
    const known = this.#known;
    this.#known = fresh;
    const paths = new Set([...known.keys(), ...fresh.keys()]);
    const changed = [...paths].filter((path) => JSON.stringify(known.get(path)) !== JSON.stringify(fresh.get(path)));
    if (changed.length > 0) this.#options.onChange(changed);
  }
}

/** An agent asks before and after each of its edits, also of files that are not open. */
const FRESH_MS = 5000;
