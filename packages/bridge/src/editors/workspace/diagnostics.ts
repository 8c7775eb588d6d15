import type { FileDiagnostics } from '../../editor.ts';
import { isTemporaryFile } from '../../temporary-files.ts';
import { checkMatcher, type ProblemMatcher, problemsIn } from './problem-matchers.ts';
import { type Command, runCommand } from './run-command.ts';

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
      .catch((error: unknown) => {
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
    const { command, matcher, folder, timeoutMs = 120_000, maxOutputBytes = 16 * 1024 * 1024 } = this.#options;
    const { signal } = this.#closing;
    const output = await runCommand(command, { folder, signal, timeoutMs, maxOutputBytes });
    const said = { stdout: output.stdout.toString('utf8'), stderr: output.stderr.toString('utf8') };
    const problems = problemsIn(said, matcher, folder);
    // Finding problems is a reason to exit with an error, finding none is not.
    if (problems.length === 0 && output.exitCode !== 0) {
      const tail = (said.stderr.trim() || said.stdout.trim()).slice(-1000);
      throw new Error(
        `${command[0]} ended with exit code ${output.exitCode ?? 'unknown'} and named no problem: ${tail}`,
      );
    }
    // Some checkers look at the copies that a formatter works on.
    const lasting = problems.filter(({ path }) => !isTemporaryFile(path));
    this.#replace(new Map(lasting.map((file) => [file.path, file])));
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
