import { hunksOf } from '@hawser/diffs/hunks';
import type { PreviousRound } from '../../proposal.ts';

/** A note of the round before, at a line of the text that is proposed now, from 1; at the first line without one. */
export interface EarlierNote {
  readonly text: string;
  readonly line: number;
}

/** The notes of a round where their lines are now, or what has come in their place. */
export function earlierNotes({ round, notes, newText }: PreviousRound, text: string): readonly EarlierNote[] {
  const hunks = hunksOf(newText, text);
  return notes.map(({ text: said, lines }) => {
    const words = `round ${round}: ${said}`;
    if (lines === undefined || lines.side === 'old') return { text: words, line: 1 };
    const last = lines.first + Math.max(1, lines.count) - 1;
    const before = hunks.findLast(({ oldLines }) => oldLines.first <= last);
    if (before === undefined) return { text: words, line: last + 1 };
    const { oldLines, newLines } = before;
    const isReplaced = last < oldLines.first + oldLines.count;
    const moved = last + newLines.first + newLines.count - oldLines.first - oldLines.count;
    return { text: words, line: 1 + (isReplaced ? newLines.first + Math.max(0, newLines.count - 1) : moved) };
  });
}
