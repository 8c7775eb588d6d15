import { hunksOf } from '@hawser/diffs/hunks';
import type { Note } from '../../proposal.ts';

/**
 * The lines of `newText`, from 0, that notes on `oldText` are about now, or what has come in their place; the first line for
 * notes on all of it.
 */
export function noteLines(notes: readonly Note[], oldText: string, newText: string): readonly number[] {
  const hunks = hunksOf(oldText, newText);
  return notes.map(({ lines }) => {
    if (lines === undefined || lines.side === 'old') return 0;
    const last = lines.first + Math.max(1, lines.count) - 1;
    const before = hunks.findLast(({ oldLines }) => oldLines.first <= last);
    if (before === undefined) return last;
    const { oldLines, newLines } = before;
    const isReplaced = last < oldLines.first + oldLines.count;
    const moved = last + newLines.first + newLines.count - oldLines.first - oldLines.count;
    return isReplaced ? newLines.first + Math.max(0, newLines.count - 1) : moved;
  });
}
