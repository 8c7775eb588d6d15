import { type FSWatcher, watch } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/** More folders than this are not watched. */
const MAX_FOLDERS = 256;

/**
 * Tells when files may have changed on disk. It watches their folders, because a file that is replaced by a rename is
 * another file. It may tell too often, and of nothing at all where folders cannot be watched.
 */
export class FileWatch {
  readonly #folders = new Map<string, WatchedFolder>();
  readonly #placeOf = new Map<string, { readonly folder: string; readonly name: string }>();
  readonly #onChange: (path: string) => void;
  readonly #onProblem: (problem: Error) => void;
  #isClosed = false;

  constructor(onChange: (path: string) => void, onProblem: (problem: Error) => void) {
    this.#onChange = onChange;
    this.#onProblem = onProblem;
  }

  /** Once this has resolved, no change is missed. */
  async add(path: string): Promise<void> {
    const real = await realpath(path).catch(() => path);
    if (this.#isClosed || this.#placeOf.has(path)) return;
    const [folder, name] = [dirname(real), basename(real)];
    const watched = this.#folders.get(folder) ?? this.#watchFolder(folder);
    if (watched === undefined) return;
    this.#placeOf.set(path, { folder, name });
    watched.files.set(path, name);
  }

  remove(path: string): void {
    const place = this.#placeOf.get(path);
    if (place === undefined) return;
    this.#placeOf.delete(path);
    const watched = this.#folders.get(place.folder);
    watched?.files.delete(path);
    if (watched?.files.size === 0) this.#forget(place.folder);
  }

  close(): void {
    this.#isClosed = true;
    for (const folder of [...this.#folders.keys()]) this.#forget(folder);
    this.#placeOf.clear();
  }

  #watchFolder(folder: string): WatchedFolder | undefined {
    const files = new Map<string, string>();
    if (this.#folders.size >= MAX_FOLDERS) {
      this.#onProblem(new Error(`Not watching ${folder}: there are ${MAX_FOLDERS} folders already`));
      return undefined;
    }
    try {
      const watcher = watch(folder, { persistent: false }, (_event, changed) => {
        for (const [path, name] of files) if (changed === null || changed === name) this.#onChange(path);
      });
      watcher.on('error', (error) => {
        this.#forget(folder);
        this.#onProblem(new Error(`No longer watching ${folder}`, { cause: error }));
      });
      const watched = { watcher, files };
      this.#folders.set(folder, watched);
      return watched;
    } catch (error) {
      this.#onProblem(new Error(`Cannot watch ${folder}`, { cause: error }));
      return undefined;
    }
  }

  #forget(folder: string): void {
    this.#folders.get(folder)?.watcher.close();
    this.#folders.delete(folder);
  }
}

interface WatchedFolder {
  readonly watcher: FSWatcher;
  /** Paths as they were added, with their names in the folder. */
  readonly files: Map<string, string>;
}
