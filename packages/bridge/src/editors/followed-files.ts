import { FileWatch } from './file-watch.ts';

/** Changes within this time are reported together. */
const QUIET_MS = 30;

/** Reports which files of a changing set may have changed. */
export class FollowedFiles {
  readonly #watch: FileWatch;
  readonly #onChange: (paths: readonly string[]) => Promise<void>;
  readonly #changed = new Set<string>();
  #paths: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;
  #isReporting = false;

  /** While `onChange` has not resolved, what changes is kept for the next call. It must not reject. */
  constructor(onChange: (paths: readonly string[]) => Promise<void>, onProblem: (problem: Error) => void) {
    this.#watch = new FileWatch((path) => this.#change(path), onProblem);
    this.#onChange = onChange;
  }

  /** Replaces the set of files. */
  set(paths: Iterable<string>): void {
    const before = this.#paths;
    this.#paths = new Set(paths);
    for (const path of before) if (!this.#paths.has(path)) this.#watch.remove(path);
    for (const path of this.#paths) {
      // A change from before the watch began is not missed.
      if (!before.has(path)) void this.#watch.add(path).then(() => this.#change(path));
    }
  }

  close(): void {
    this.#watch.close();
    this.#paths = new Set();
    this.#changed.clear();
    clearTimeout(this.#timer);
  }

  #change(path: string): void {
    if (!this.#paths.has(path)) return;
    this.#changed.add(path);
    if (!this.#isReporting) this.#timer ??= setTimeout(() => void this.#report(), QUIET_MS).unref();
  }

  async #report(): Promise<void> {
    this.#timer = undefined;
    this.#isReporting = true;
    while (this.#changed.size > 0) {
      const changed = [...this.#changed].filter((path) => this.#paths.has(path));
      this.#changed.clear();
      if (changed.length > 0) await this.#onChange(changed);
    }
    this.#isReporting = false;
  }
}
