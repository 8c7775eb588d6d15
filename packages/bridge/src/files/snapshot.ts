import { join, relative, sep } from 'node:path';
import { decode } from '../encoding.ts';
import { NoSuchFile, readRegularFile } from '../regular-file.ts';
import { git, namesIn } from './git.ts';
import { listFiles, SKIPPED } from './list-files.ts';

/** What the files of a folder contained at one moment. */
export interface Snapshot {
  textOf(path: string): Promise<FormerText>;
  /** The files that may have changed since, absolute. */
  candidates(signal: AbortSignal): Promise<readonly string[]>;
}

/** `unknown`: too large, not text, or there were too many files. */
export type FormerText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'no file' }
  | { readonly kind: 'unknown' };

export interface SnapshotOptions {
  readonly signal: AbortSignal;
  /** Of all texts that are kept in memory: those of files that git has not. Default 32 MiB. */
  readonly maxBytes?: number;
}

const MIB = 1024 * 1024;
const MAX_FILE_BYTES = 4 * MIB;

/** Files that git has as they are cost nothing; the texts of others are kept. */
export async function takeSnapshot(
  folder: string,
  { signal, maxBytes = 32 * MIB }: SnapshotOptions,
): Promise<Snapshot> {
  const index = await indexOf(folder, signal);
  const loose = index === undefined ? (await listFiles(folder, { signal })).files : await looseFiles(folder, signal);
  const kept = await readAll(folder, loose, maxBytes, signal);
  const nameOf = (path: string) => relative(folder, path).split(sep).join('/');
  return {
    textOf: async (path) => {
      const name = nameOf(path);
      const known = kept.get(name);
      if (known !== undefined) return known;
      const blob = index?.get(name);
      if (blob === undefined) return { kind: 'no file' };
      return textIn(await git(folder, ['cat-file', 'blob', blob], new AbortController().signal));
    },
    candidates: async (now) => {
      const after = await indexOf(folder, now);
      const looseNow =
        after === undefined ? (await listFiles(folder, { signal: now })).files : await looseFiles(folder, now);
      const staged = [...(after ?? [])].flatMap(([name, blob]) => (index?.get(name) === blob ? [] : [name]));
      const gone = [...(index ?? [])].flatMap(([name]) => (after?.has(name) === false ? [name] : []));
      const names = new Set([...kept.keys(), ...looseNow, ...staged, ...gone]);
      return [...names].sort().map((name) => join(folder, name));
    },
  };
}

/** Whether git has the file as it is now, so that a checkout or a commit explains it. */
export async function isAsInGit(folder: string, path: string, signal: AbortSignal): Promise<boolean> {
  const name = relative(folder, path);
  const [listed, hashed] = await Promise.all([
    git(folder, ['ls-files', '-s', '-z', '--', name], signal),
    git(folder, ['hash-object', '--', name], signal),
  ]);
  const [, blob] = namesIn(listed)[0]?.split(' ') ?? [];
  return blob !== undefined && blob === hashed?.toString('utf8').trim();
}

export async function isIgnored(folder: string, path: string, signal: AbortSignal): Promise<boolean> {
  return (await git(folder, ['check-ignore', '-q', '--', relative(folder, path)], signal)) !== undefined;
}

/** Which of these names, relative to the folder, git ignores; without git, those of packages. Git's own files are, too. */
export async function ignoredNames(folder: string, names: readonly string[]): Promise<ReadonlySet<string>> {
  const own = names.filter((name) => name.split('/').some((part) => SKIPPED.has(part) && part !== 'node_modules'));
  const asked = names.filter((name) => !own.includes(name));
  const { signal } = new AbortController();
  if ((await git(folder, ['rev-parse', '--git-dir'], signal)) === undefined) {
    return new Set([...own, ...asked.filter((name) => name.split('/').includes('node_modules'))]);
  }
  const input = asked.map((name) => `${name}\0`).join('');
  return new Set([...own, ...namesIn(await git(folder, ['check-ignore', '-z', '--stdin'], signal, { input }))]);
}

/** The blobs of tracked files, by name; undefined without git. */
async function indexOf(folder: string, signal: AbortSignal): Promise<ReadonlyMap<string, string> | undefined> {
  const output = await git(folder, ['ls-files', '-s', '-z'], signal);
  if (output === undefined) return undefined;
  // `100644 <blob> 0\t<name>`
  const entries = namesIn(output).map((line) => {
    const [head = '', name = ''] = line.split('\t');
    return [name, head.split(' ')[1] ?? ''] as const;
  });
  return new Map(entries);
}

/** The files that are not as they are in the index: changed, deleted, or untracked and not ignored. */
async function looseFiles(folder: string, signal: AbortSignal): Promise<readonly string[]> {
  const [changed, untracked] = await Promise.all([
    git(folder, ['diff-files', '-z', '--name-only', '--relative'], signal),
    git(folder, ['ls-files', '-z', '--others', '--exclude-standard'], signal),
  ]);
  return [...new Set([...namesIn(changed), ...namesIn(untracked)])];
}

async function readAll(
  folder: string,
  names: readonly string[],
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FormerText>> {
  const texts = new Map<string, FormerText>();
  let bytes = 0;
  for (const name of names) {
    signal.throwIfAborted();
    const found: FormerText = bytes > maxBytes ? { kind: 'unknown' } : await readText(join(folder, name));
    if (found.kind === 'text') bytes += found.text.length;
    texts.set(name, found);
  }
  return texts;
}

/** What a file contains now, as a snapshot has it. */
export async function readText(path: string): Promise<FormerText> {
  try {
    return textIn(await readRegularFile(path, MAX_FILE_BYTES));
  } catch (error) {
    return error instanceof NoSuchFile ? { kind: 'no file' } : { kind: 'unknown' };
  }
}

function textIn(bytes: Buffer | undefined): FormerText {
  if (bytes === undefined || bytes.length > MAX_FILE_BYTES || bytes.includes(0)) return { kind: 'unknown' };
  return { kind: 'text', text: decode(bytes).text };
}
