import { keepEqual } from './keep-equal.ts';
import { lineIds } from './line-ids.ts';
import { type Lines, linesOf } from './lines.ts';
import { matchLines } from './match-lines.ts';

/** One stretch of lines that changes; between two of them at least one line stays as it is. */
export interface Hunk {
  readonly oldLines: LineRange;
  readonly newLines: LineRange;
  /** Where `oldText` begins in the old text, in UTF-16 code units. */
  readonly oldOffset: number;
  /** Exactly what is replaced, line ends included; empty when lines are only added. */
  readonly oldText: string;
  readonly newText: string;
}

export interface LineRange {
  /** Counts from 0. */
  readonly first: number;
  readonly count: number;
}

/** What changes between two texts, from top to bottom. */
export function hunksOf(oldText: string, newText: string): readonly Hunk[] {
  if (oldText === newText) return [];
  const [oldLines, newLines] = [linesOf(oldText), linesOf(newText)];
  const before = sameLinesBefore(oldText, oldLines, newText, newLines);
  const after = sameLinesAfter(oldText, oldLines, newText, newLines, before);
  const oldPart = { text: oldText, lines: oldLines, from: before, to: oldLines.count - after };
  const newPart = { text: newText, lines: newLines, from: before, to: newLines.count - after };
  const ids = lineIds(oldPart, newPart);
  const matches = matchLines(ids.old, ids.new, ids.count);
  keepEqual(oldPart, newPart, matches);

  const hunks: Hunk[] = [];
  let [oldLine, newLine] = [0, 0];
  for (let line = 0; line <= ids.old.length; line += 1) {
    const match = line === ids.old.length ? ids.new.length : (matches[line] ?? -1);
    if (match === -1) continue;
    if (line > oldLine || match > newLine) {
      const oldRange = { first: before + oldLine, count: line - oldLine };
      const newRange = { first: before + newLine, count: match - newLine };
      hunks.push({
        oldLines: oldRange,
        newLines: newRange,
        oldOffset: oldLines.starts[oldRange.first] ?? 0,
        oldText: textOf(oldText, oldLines, oldRange),
        newText: textOf(newText, newLines, newRange),
      });
    }
    [oldLine, newLine] = [line + 1, match + 1];
  }
  return hunks;
}

/**
 * The old text with the hunks at the accepted indexes, and nothing else, changed. Throws when a hunk does not belong to
 * the text.
 */
export function applyHunks(oldText: string, hunks: readonly Hunk[], accepted: ReadonlySet<number>): string {
  for (const index of accepted) {
    if (hunks[index] === undefined) throw new RangeError(`There is no hunk ${index}: there are ${hunks.length}`);
  }
  const pieces: string[] = [];
  let at = 0;
  for (const [index, hunk] of hunks.entries()) {
    if (hunk.oldOffset < at || !oldText.startsWith(hunk.oldText, hunk.oldOffset)) {
      throw new Error(`Hunk ${index} does not belong to this text`);
    }
    if (!accepted.has(index)) continue;
    pieces.push(oldText.slice(at, hunk.oldOffset), hunk.newText);
    at = hunk.oldOffset + hunk.oldText.length;
  }
  return pieces.join('') + oldText.slice(at);
}

function textOf(text: string, { starts }: Lines, { first, count }: LineRange): string {
  return text.slice(starts[first], starts[first + count]);
}

function sameLinesBefore(oldText: string, oldLines: Lines, newText: string, newLines: Lines): number {
  const same = commonLength(
    Math.min(oldText.length, newText.length),
    (from, to) => oldText.slice(from, to) === newText.slice(from, to),
  );
  const most = Math.min(oldLines.count, newLines.count);
  let count = 0;
  while (count < most) {
    const end = oldLines.starts[count + 1];
    if (end === undefined || end > same || end !== newLines.starts[count + 1]) break;
    count += 1;
  }
  return count;
}

function sameLinesAfter(oldText: string, oldLines: Lines, newText: string, newLines: Lines, before: number): number {
  const [oldEnd, newEnd] = [oldText.length, newText.length];
  const same = commonLength(
    Math.min(oldEnd, newEnd),
    (from, to) => oldText.slice(oldEnd - to, oldEnd - from) === newText.slice(newEnd - to, newEnd - from),
  );
  const most = Math.min(oldLines.count, newLines.count) - before;
  let count = 0;
  while (count < most) {
    const length = oldEnd - (oldLines.starts[oldLines.count - count - 1] ?? 0);
    if (length > same || length !== newEnd - (newLines.starts[newLines.count - count - 1] ?? 0)) break;
    count += 1;
  }
  return count;
}

/** Comparing slices compares memory, many times faster than character by character. */
function commonLength(longest: number, isSame: (from: number, to: number) => boolean): number {
  let [same, step] = [0, 1 << 16];
  while (step > 0) {
    const to = Math.min(same + step, longest);
    if (isSame(same, to)) same = to;
    else step >>= 1;
    if (same === longest) break;
  }
  return same;
}
