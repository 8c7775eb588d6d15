import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** What changes within this time is told together. */
const QUIET_MS = 30;
/** More folders than this are not watched. */
const MAX_FOLDERS = 256;

/** Says when one of a changing set of files may hold something else. Folders are watched: files get replaced. */
export class FileWatch {
  readonly #folders = new Map<string, FSWatcher>();
  readonly #changed = new Set<string>();
  readonly #onChange: (paths: readonly string[]) => void;
  #paths: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;

  constructor(onChange: (paths: readonly string[]) => void) {
    this.#onChange = onChange;
  }

  /** From now on, these and no others. Absolute paths without links. */
  set(paths: Iterable<string>): void {
    const before = this.#paths;
    this.#paths = new Set(paths);
    const wanted = new Set([...this.#paths].map((path) => dirname(path)));
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) {
      if (!this.#folders.has(folder) && this.#folders.size < MAX_FOLDERS) this.#watch(folder);
    }
    // What was written before it was watched is not missed.
    for (const path of this.#paths) if (!before.has(path)) this.#change(path);
  }

  close(): void {
    this.set([]);
    clearTimeout(this.#timer);
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        for (const path of this.#paths) {
          if (dirname(path) === folder && (name === null || basename(path) === name)) this.#change(path);
        }
      });
      watcher.on('error', () => {
        watcher.close();
        this.#folders.delete(folder);
      });
      this.#folders.set(folder, watcher);
    } catch {
      // A folder that cannot be watched: its buffers stay as they are until Neovim looks itself.
    }
  }

  #change(path: string): void {
    this.#changed.add(path);
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const changed = [...this.#changed].filter((each) => this.#paths.has(each));
      this.#changed.clear();
      if (changed.length > 0) this.#onChange(changed);
    }, QUIET_MS);
    this.#timer.unref();
  }
}
