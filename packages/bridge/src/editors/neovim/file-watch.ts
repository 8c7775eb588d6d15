import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Several writes of one file within this time are one change. */
const QUIET_MS = 30;
/** More folders than this are not watched. */
const MAX_FOLDERS = 256;

/** Says when one of a changing set of files may hold something else. Folders are watched: files get replaced. */
export class FileWatch {
  readonly #folders = new Map<string, FSWatcher>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #onChange: (path: string) => void;
  #paths: ReadonlySet<string> = new Set();

  constructor(onChange: (path: string) => void) {
    this.#onChange = onChange;
  }

  /** From now on, these and no others. Absolute paths without links. */
  set(paths: Iterable<string>): void {
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
  }

  close(): void {
    this.set([]);
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        for (const path of this.#paths) {
          if (dirname(path) === folder && (name === null || basename(path) === name)) this.#changed(path);
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

  #changed(path: string): void {
    if (this.#timers.has(path)) return;
    const timer = setTimeout(() => {
      this.#timers.delete(path);
      if (this.#paths.has(path)) this.#onChange(path);
    }, QUIET_MS);
    timer.unref();
    this.#timers.set(path, timer);
  }
}
