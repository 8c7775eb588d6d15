import { watch as nodeWatch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** More folders than this are not watched. */
const MAX_FOLDERS = 256;
/** How long to wait before watching again after an error; doubled after each failure, up to the maximum. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

export interface FileWatchOptions {
  /** Watches a folder; throws if that fails. Default `fs.watch`. */
  readonly watch?: WatchFolder;
  /** Milliseconds until the first new attempt after an error. */
  readonly retryMs?: number;
}

export type WatchFolder = (folder: string, changed: (name: string | null) => void) => FolderWatcher;

export interface FolderWatcher {
  close(): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * Reports files that may have changed on disk. It watches their folders, because a file that is replaced by a rename is
 * another file. It may report too often. After an error, or when the folder was deleted, it watches the folder again as
 * soon as that works, and reports its files then.
 */
export class FileWatch {
  readonly #folders = new Map<string, WatchedFolder>();
  /** The real folder of each file that is watched. */
  readonly #folderOf = new Map<string, string>();
  readonly #wanted = new Set<string>();
  readonly #onChange: (path: string) => void;
  readonly #onProblem: (problem: Error) => void;
  readonly #watch: WatchFolder;
  readonly #retryMs: number;

  constructor(
    onChange: (path: string) => void,
    onProblem: (problem: Error) => void,
    { watch = watchFolder, retryMs = RETRY_MS }: FileWatchOptions = {},
  ) {
    this.#onChange = onChange;
    this.#onProblem = onProblem;
    this.#watch = watch;
    this.#retryMs = retryMs;
  }

  /** Once this has resolved, no change is missed. */
  async add(path: string): Promise<void> {
    this.#wanted.add(path);
    const real = await realpath(path).catch(() => path);
    // It may have been removed, or the watch closed, in the meantime.
    if (!this.#wanted.has(path) || this.#folderOf.has(path)) return;
    const [folder, name] = [dirname(real), basename(real)];
    const watched = this.#folders.get(folder) ?? this.#addFolder(folder);
    if (watched === undefined) return;
    this.#folderOf.set(path, folder);
    watched.files.set(path, name);
  }

  remove(path: string): void {
    this.#wanted.delete(path);
    const folder = this.#folderOf.get(path);
    if (folder === undefined) return;
    this.#folderOf.delete(path);
    const watched = this.#folders.get(folder);
    watched?.files.delete(path);
    if (watched?.files.size === 0) this.#removeFolder(folder);
  }

  close(): void {
    for (const path of [...this.#wanted]) this.remove(path);
  }

  #addFolder(folder: string): WatchedFolder | undefined {
    if (this.#folders.size >= MAX_FOLDERS) {
      this.#onProblem(new Error(`Not watching ${folder}: ${MAX_FOLDERS} folders are watched already`));
      return undefined;
    }
    const watched: WatchedFolder = { files: new Map(), watcher: undefined, retryMs: this.#retryMs };
    this.#folders.set(folder, watched);
    const problem = this.#start(folder, watched);
    if (problem !== undefined) this.#lose(folder, watched, new Error(`Cannot watch ${folder}`, { cause: problem }));
    return watched;
  }

  /** Returns the error if the folder can't be watched. */
  #start(folder: string, watched: WatchedFolder): unknown {
    try {
      const watcher = this.#watch(folder, (changed) => {
        if (watched.watcher === watcher) this.#changed(folder, watched, changed);
      });
      watcher.on('error', (error) => {
        if (watched.watcher !== watcher) return;
        this.#lose(folder, watched, new Error(`No longer watching ${folder}`, { cause: error }));
      });
      watched.watcher = watcher;
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #changed(folder: string, watched: WatchedFolder, changed: string | null): void {
    for (const [path, name] of watched.files) if (changed === null || changed === name) this.#onChange(path);
    // The folder itself was moved or deleted. Its watcher stays silent from then on, also when the folder comes back.
    if (changed === basename(folder)) this.#restart(folder, watched);
  }

  #lose(folder: string, watched: WatchedFolder, problem: Error): void {
    watched.watcher?.close();
    watched.watcher = undefined;
    this.#onProblem(problem);
    this.#restartLater(folder, watched);
  }

  #restartLater(folder: string, watched: WatchedFolder): void {
    watched.retry = setTimeout(() => this.#restart(folder, watched), watched.retryMs).unref();
    watched.retryMs = Math.min(2 * watched.retryMs, MAX_RETRY_MS);
  }

  #restart(folder: string, watched: WatchedFolder): void {
    watched.watcher?.close();
    watched.watcher = undefined;
    if (this.#start(folder, watched) !== undefined) {
      this.#restartLater(folder, watched);
      return;
    }
    watched.retryMs = this.#retryMs;
    // Changes since the last watcher ended were not seen.
    for (const path of [...watched.files.keys()]) this.#onChange(path);
  }

  #removeFolder(folder: string): void {
    const watched = this.#folders.get(folder);
    this.#folders.delete(folder);
    clearTimeout(watched?.retry);
    watched?.watcher?.close();
  }
}

interface WatchedFolder {
  /** Paths as they were added, with their names in the folder. */
  readonly files: Map<string, string>;
  /** Undefined after an error, until watching works again. */
  watcher: FolderWatcher | undefined;
  retryMs: number;
  retry?: NodeJS.Timeout;
}

function watchFolder(folder: string, changed: (name: string | null) => void): FolderWatcher {
  return nodeWatch(folder, { persistent: false }, (_event, name) => changed(name));
}
