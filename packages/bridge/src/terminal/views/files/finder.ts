import fuzzysort from 'fuzzysort';
import type { FolderFiles } from '../../../control/calls.ts';

export interface FoundFile {
  readonly path: string;
  /** Relative to the workspace. */
  readonly name: string;
  /** Which characters of the name match, as indexes. */
  readonly matched: readonly number[];
}

interface Candidate {
  readonly path: string;
  readonly name: ReturnType<typeof fuzzysort.prepare>;
}

const MAX_FOUND = 500;
/** Worse matches only confuse. */
const THRESHOLD = 0.2;
/** This many names are prepared before other work gets its turn. */
const CHUNK = 2000;

/** Finds files by a few characters of their names. */
export class Finder {
  #candidates: readonly Candidate[] = [];
  #isCut = false;

  get count(): number {
    return this.#candidates.length;
  }

  /** There are more files than were listed. */
  get isCut(): boolean {
    return this.#isCut;
  }

  async setFiles(folders: readonly FolderFiles[]): Promise<void> {
    const candidates: Candidate[] = [];
    for (const { folder, files } of folders) {
      // With several folders, their last names come first.
      const prefix = folders.length > 1 ? `${folder.slice(folder.lastIndexOf('/') + 1)}/` : '';
      for (const [index, file] of files.entries()) {
        candidates.push({ path: `${folder}/${file}`, name: fuzzysort.prepare(prefix + file) });
        if (index % CHUNK === CHUNK - 1) await new Promise(setImmediate);
      }
    }
    this.#candidates = candidates;
    this.#isCut = folders.some(({ isCut }) => isCut);
  }

  /** The best matches first; without a query, every file. */
  find(query: string): readonly FoundFile[] {
    if (query.trim() === '') {
      return this.#candidates.map(({ path, name }) => ({ path, name: name.target, matched: [] }));
    }
    const options = { key: 'name', limit: MAX_FOUND, threshold: THRESHOLD } as const;
    return fuzzysort.go(query.trim(), this.#candidates, options).map(({ obj, target, indexes }) => ({
      path: obj.path,
      name: target,
      matched: indexes,
    }));
  }
}
