import { FileWatch } from '../file-watch.ts';

/** What changes within this time is told together. */
const QUIET_MS = 30;

/** Says which of a changing set of files may hold something else. */
export class FollowedFiles {
  readonly #watch: FileWatch;
  readonly #onChange: (paths: readonly string[]) => void;
  readonly #changed = new Set<string>();
  #paths: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;

  constructor(onChange: (paths: readonly string[]) => void, onProblem: (problem: Error) => void) {
    this.#watch = new FileWatch((path) => this.#change(path), onProblem);
    this.#onChange = onChange;
  }

  /** From now on, these and no others. */
  set(paths: Iterable<string>): void {
    const before = this.#paths;
    this.#paths = new Set(paths);
    for (const path of before) if (!this.#paths.has(path)) this.#watch.remove(path);
    for (const path of this.#paths) {
      // What was written before it was watched is not missed.
      if (!before.has(path)) void this.#watch.add(path).then(() => this.#change(path));
    }
  }

  close(): void {
    this.#watch.close();
    clearTimeout(this.#timer);
  }

  #change(path: string): void {
    this.#changed.add(path);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const changed = [...this.#changed].filter((each) => this.#paths.has(each));
      this.#changed.clear();
      if (changed.length > 0) this.#onChange(changed);
    }, QUIET_MS).unref();
  }
}
