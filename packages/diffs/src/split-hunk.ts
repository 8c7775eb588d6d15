import type { Hunk } from './hunks.ts';
import { type Lines, linesOf } from './lines.ts';

/**
 * The hunk in two, of which each can be applied without the other. The first has the first `lines` lines of both sides.
 * Undefined if one of them would be empty, or if a line without a line end would have another one after it.
 */
export function splitHunk(hunk: Hunk, lines: number): readonly [Hunk, Hunk] | undefined {
  const [oldLines, newLines] = [linesOf(hunk.oldText), linesOf(hunk.newText)];
  if (lines <= 0 || lines >= Math.max(oldLines.count, newLines.count)) return undefined;
  const [oldCount, newCount] = [Math.min(lines, oldLines.count), Math.min(lines, newLines.count)];
  const [oldCut, newCut] = [offsetOf(oldLines, oldCount), offsetOf(newLines, newCount)];
  const first: Hunk = {
    oldLines: { first: hunk.oldLines.first, count: oldCount },
    newLines: { first: hunk.newLines.first, count: newCount },
    oldOffset: hunk.oldOffset,
    oldText: hunk.oldText.slice(0, oldCut),
    newText: hunk.newText.slice(0, newCut),
  };
  const second: Hunk = {
    oldLines: { first: hunk.oldLines.first + oldCount, count: oldLines.count - oldCount },
    newLines: { first: hunk.newLines.first + newCount, count: newLines.count - newCount },
    oldOffset: hunk.oldOffset + oldCut,
    oldText: hunk.oldText.slice(oldCut),
    newText: hunk.newText.slice(newCut),
  };
  return [first.oldText, first.newText].every(isComplete) ? [first, second] : undefined;
}

function offsetOf({ starts }: Lines, line: number): number {
  return starts[line] ?? 0;
}

function isComplete(text: string): boolean {
  return text === '' || /[\r\n]$/.test(text);
}
