import type { Hunk } from '../../hunks/hunks.ts';

/** `[oldStart, oldCount, newStart, newCount]`, lines from 1. A start with the count 0 is the line before which they are. */
export type WireHunk = readonly [number, number, number, number];

/** Hunks by the lines of Neovim, for which only `\n` ends a line. */
export function wireHunks(oldText: string, newText: string, hunks: readonly Hunk[]): readonly WireHunk[] {
  if (!LONE_RETURN.test(oldText) && !LONE_RETURN.test(newText)) {
    return hunks.map(({ oldLines, newLines }) => [
      oldLines.first + 1,
      oldLines.count,
      newLines.first + 1,
      newLines.count,
    ]);
  }
  let grown = 0;
  return hunks.map(({ oldOffset, oldText: before, newText: after }) => {
    const newOffset = oldOffset + grown;
    grown += after.length - before.length;
    return [...linesAt(oldText, oldOffset, before.length), ...linesAt(newText, newOffset, after.length)] as const;
  });
}

const LONE_RETURN = /\r(?!\n)/;

/** The lines that a part of a text is in: the first one, from 1, and how many. */
function linesAt(text: string, offset: number, length: number): readonly [number, number] {
  const start = text.slice(0, offset).split('\n').length;
  if (length === 0) return [start, 0];
  const part = text.slice(offset, offset + length);
  return [start, part.split('\n').length - (part.endsWith('\n') ? 1 : 0)];
}
