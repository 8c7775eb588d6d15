import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { git, namesIn } from './git.ts';

export interface FileList {
  /** Relative to the folder, with slashes. */
  readonly files: readonly string[];
  /** There are more. */
  readonly isCut: boolean;
}

export interface ListOptions {
  readonly signal: AbortSignal;
  /** Default `MAX_FILES`. */
  readonly maxFiles?: number;
}

const MAX_FILES = 50_000;
/** A folder is listed without git for this long at most. */
const WALK_TIMEOUT_MS = 10_000;
/** What belongs to packages and version control. */
export const SKIPPED: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules']);

/** The files of a folder that git does not ignore; without git, all but those of packages and version control. */
export async function listFiles(folder: string, { signal, maxFiles = MAX_FILES }: ListOptions): Promise<FileList> {
  const known = await gitFiles(folder, signal);
  signal.throwIfAborted();
  // A folder that the repository around it ignores has files, too.
  const files = known === undefined || known.length === 0 ? await walk(folder, signal, maxFiles + 1) : known;
  return { files: files.slice(0, maxFiles), isCut: files.length > maxFiles };
}

/** Undefined if the folder is in no repository, or git can't list it. */
async function gitFiles(folder: string, signal: AbortSignal): Promise<string[] | undefined> {
  const output = await git(folder, ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], signal);
  return output === undefined ? undefined : [...new Set(namesIn(output))].sort();
}

/** Breadth first, so that what is cut is what lies deepest. Links to folders are not followed. */
async function walk(root: string, signal: AbortSignal, most: number): Promise<string[]> {
  const until = Date.now() + WALK_TIMEOUT_MS;
  const files: string[] = [];
  const folders = [''];
  for (let at = 0; at < folders.length && files.length < most && Date.now() < until; at += 1) {
    signal.throwIfAborted();
    const folder = folders[at] ?? '';
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(name);
      else if (entry.isFile() || entry.isSymbolicLink()) files.push(name);
    }
  }
  return files.sort();
}
