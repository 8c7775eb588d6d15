import { asError } from '@hawser/unknown-values/thrown';
import type { Diagnostic, LanguageProgram } from '../../../editor.ts';
import { runCheck } from '../check-command.ts';
import type { Command } from '../run-command.ts';
import { type CheckedFile, type DiagnosticsSource, untilAborted } from './diagnostics-source.ts';
import type { FoundProgram } from './find-programs.ts';
import type { CheckerRow } from './program-table.ts';

export interface CheckerOptions {
  readonly program: FoundProgram & { readonly row: CheckerRow };
  /** The diagnostics of these files have changed. */
  readonly onChange: (paths: readonly string[]) => void;
  /** Default 60 000. */
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
}

const TIMEOUT_MS = 60_000;
const MAX_FILES = 1000;

/** Runs a checker on a file, or on its folder, when something has changed since its last run; one run at a time. */
export class Checker implements DiagnosticsSource {
  readonly known = new Map<string, readonly Diagnostic[]>();
  readonly #options: CheckerOptions;
  readonly #closing = new AbortController();
  /** The generation of the last run, by file; by '' for the whole folder. */
  readonly #checked = new Map<string, number>();
  #last: Promise<void> = Promise.resolve();
  #isRunning = false;
  #hasRun = false;
  #problem: Error | undefined;

  constructor(options: CheckerOptions) {
    this.#options = options;
  }

  status(): LanguageProgram {
    const { row, path, folder, version } = this.#options.program;
    const state = this.#isRunning
      ? 'running'
      : this.#problem !== undefined
        ? 'failed'
        : this.#hasRun
          ? 'idle'
          : 'not started';
    return {
      name: row.command.filter((word) => word !== '{file}').join(' '),
      version,
      kind: 'checker',
      path,
      folder,
      languages: row.languages,
      state,
      ...(state === 'failed' && { problem: this.#problem?.message ?? '' }),
    };
  }

  async diagnose({ path, generation }: CheckedFile, signal: AbortSignal): Promise<void> {
    const file = this.#options.program.row.command.includes('{file}') ? path : undefined;
    const key = file ?? '';
    const turn = this.#last.then(async () => {
      if (this.#checked.get(key) === generation || this.#closing.signal.aborted) return;
      if (this.#checked.size >= MAX_FILES) this.#checked.clear();
      this.#checked.set(key, generation);
      await this.run(file);
    });
    this.#last = turn.catch(() => undefined);
    await untilAborted(turn, signal);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The editor was closed'));
    await this.#last;
  }

  /** Checks a file; without one the whole folder. Rejects if that fails, unless it was closed meanwhile. */
  async run(file: string | undefined): Promise<void> {
    const { program, timeoutMs = TIMEOUT_MS, maxOutputBytes } = this.#options;
    const { row, folder } = program;
    const { signal } = this.#closing;
    const [, ...args] = row.command.map((word) => (word === '{file}' ? (file ?? word) : word));
    const command: Command = [program.path, ...args];
    this.#isRunning = true;
    try {
      const found = await runCheck({ command, matcher: row.matcher, folder, signal, timeoutMs, maxOutputBytes });
      this.#problem = undefined;
      this.#hasRun = true;
      this.#replace(new Map(found.map((each) => [each.path, each.diagnostics])), file);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#problem = asError(error);
      throw this.#problem;
    } finally {
      this.#isRunning = false;
    }
  }

  /** With a path, only what is known of that file. */
  #replace(fresh: ReadonlyMap<string, readonly Diagnostic[]>, only: string | undefined): void {
    const paths = only === undefined ? new Set([...this.known.keys(), ...fresh.keys()]) : [only];
    const changed: string[] = [];
    for (const path of paths) {
      const [before, after] = [this.known.get(path) ?? [], fresh.get(path) ?? []];
      if (JSON.stringify(before) === JSON.stringify(after)) continue;
      changed.push(path);
      if (after.length === 0) this.known.delete(path);
      else this.known.set(path, after);
    }
    if (changed.length > 0) this.#options.onChange(changed);
  }
}
