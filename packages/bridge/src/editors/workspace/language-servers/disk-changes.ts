import { stat } from 'node:fs/promises';
import { languageIdOf } from '../../languages.ts';
import { surveyFiles } from './workspace-files.ts';

export interface DiskChange {
  readonly path: string;
  readonly type: 'created' | 'changed' | 'deleted';
}

const MAX_FILES = 20_000;
/** Stats at once; more would keep other file access waiting. */
const BATCH = 64;

/**
 * Finds files that have changed since the last look, by their time and size. Watching a whole workspace takes a watch per
 * folder; a look is cheap enough to take one before each question to a language server.
 */
export class DiskChanges {
  readonly #folders: () => readonly string[];
  readonly #onChange: (changes: readonly DiskChange[]) => Promise<void>;
  #known: Map<string, string> | undefined;
  #looking: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #generation = 0;

  constructor(folders: () => readonly string[], onChange: (changes: readonly DiskChange[]) => Promise<void>) {
    this.#folders = folders;
    this.#onChange = onChange;
  }

  /** Counts the looks that found a change. */
  get generation(): number {
    return this.#generation;
  }

  /** Resolves when what changed before this call was found and passed on. The first look finds nothing. */
  look(): Promise<void> {
    if (this.#looking === undefined) {
      this.#looking = this.#find().finally(() => {
        this.#looking = undefined;
      });
      return this.#looking;
    }
    // The look under way may have passed a file already.
    this.#next ??= this.#looking
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.look();
      });
    return this.#next;
  }

  async #find(): Promise<void> {
    const fresh = new Map<string, string>();
    for (const folder of this.#folders()) {
      const { files } = await surveyFiles(folder, MAX_FILES);
      const known = files.filter((path) => languageIdOf(path) !== 'plaintext');
      for (let start = 0; start < known.length; start += BATCH) {
        await Promise.all(
          known.slice(start, start + BATCH).map(async (path) => {
            const found = await stat(path).catch(() => undefined);
            if (found !== undefined) fresh.set(path, `${found.mtimeMs} ${found.size}`);
          }),
        );
      }
    }
    const before = this.#known;
    this.#known = fresh;
    if (before === undefined) return;
    const changes: DiskChange[] = [];
    for (const [path, stamp] of fresh) {
      if (before.get(path) === stamp) continue;
      changes.push({ path, type: before.has(path) ? 'changed' : 'created' });
    }
    for (const path of before.keys()) if (!fresh.has(path)) changes.push({ path, type: 'deleted' });
    if (changes.length === 0) return;
    this.#generation += 1;
    await this.#onChange(changes);
  }
}
