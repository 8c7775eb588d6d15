import type { Hunk } from './hunks.ts';

/** `[oldLine, oldCount, newLine, newCount]`, lines from 0. One with the count 0 is the line before which they are. */
export type LineFeedHunk = readonly [number, number, number, number];

/** Hunks by lines that only `\n` ends, as editors count them. */
export function lineFeedHunks(oldText: string, newText: string, hunks: readonly Hunk[]): readonly LineFeedHunk[] {
  if (!LONE_RETURN.test(oldText) && !LONE_RETURN.test(newText)) {
    return hunks.map(({ oldLines, newLines }) => [oldLines.first, oldLines.count, newLines.first, newLines.count]);
  }
  let grown = 0;
  return hunks.map(({ oldOffset, oldText: before, newText: after }) => {
    const newOffset = oldOffset + grown;
    grown += after.length - before.length;
    return [...linesAt(oldText, oldOffset, before.length), ...linesAt(newText, newOffset, after.length)] as const;
  });
}

const LONE_RETURN = /\r(?!\n)/;

/** The lines that a part of a text is in: the first one, from 0, and how many. */
function linesAt(text: string, offset: number, length: number): readonly [number, number] {
  const start = text.slice(0, offset).split('\n').length - 1;
  if (length === 0) return [start, 0];
  const part = text.slice(offset, offset + length);
  return [start, part.split('\n').length - (part.endsWith('\n') ? 1 : 0)];
}
