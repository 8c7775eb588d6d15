import { applyHunks, type Hunk, hunksOf } from './hunks.ts';

export interface MergeTexts {
  /** What both sides started from; undefined means there was no file. */
  readonly base: string | undefined;
  readonly ours: string;
  /** Undefined if the file was deleted. */
  readonly theirs: string | undefined;
}

/** Larger texts are not merged: that would keep every agent waiting. */
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** As `mergeTexts`; undefined for large texts, too. */
export function mergeLimited(texts: MergeTexts): string | undefined {
  const { base = '', ours, theirs = '' } = texts;
  return Math.max(base.length, ours.length, theirs.length) > MAX_CHARACTERS ? undefined : mergeTexts(texts);
}

/** Both changes in one text; undefined if they touch the same or adjacent lines. */
export function mergeTexts({ base, ours, theirs }: MergeTexts): string | undefined {
  if (ours === theirs) return ours;
  if (base === undefined || theirs === undefined) return undefined;
  const [ourHunks, theirHunks] = [hunksOf(base, ours), hunksOf(base, theirs)];
  const onlyTheirs = theirHunks.filter((theirHunk) => !ourHunks.some((ourHunk) => isSame(ourHunk, theirHunk)));
  if (onlyTheirs.some((theirHunk) => ourHunks.some((ourHunk) => touch(ourHunk, theirHunk)))) return undefined;
  const all = [...ourHunks, ...onlyTheirs].sort((one, other) => one.oldOffset - other.oldOffset);
  return applyHunks(base, all, new Set(all.keys()));
}

function isSame(one: Hunk, other: Hunk): boolean {
  return one.oldOffset === other.oldOffset && one.oldText === other.oldText && one.newText === other.newText;
}

function touch({ oldLines: one }: Hunk, { oldLines: other }: Hunk): boolean {
  return one.first <= other.first + other.count && other.first <= one.first + one.count;
}
