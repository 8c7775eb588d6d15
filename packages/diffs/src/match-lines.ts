import { LineCounter } from './line-counter.ts';
import { StepMatcher } from './step-matcher.ts';

/**
 * For each old line the new line that it became, or -1. Lines are numbers, equal for equal lines; matches never cross.
 *
 * Lines that are unique on both sides are matched first (patience), which reads well and costs n log n; what lies
 * between them is matched step by step (Myers) within a budget. Past the budget lines stay unmatched: the answer is then
 * coarser, never wrong.
 */
export function matchLines(oldLines: Int32Array, newLines: Int32Array, idCount: number): Int32Array {
  const matches = new Int32Array(oldLines.length).fill(-1);
  const counter = new LineCounter(idCount, Math.max(oldLines.length, newLines.length));
  const stepper = new StepMatcher(counter);
  const gaps: Gap[] = [];

  /** Matches what is the same at both ends and leaves the rest for later. */
  const enterGap = (oldStart: number, oldEnd: number, newStart: number, newEnd: number, depth: number): void => {
    let oldFrom = oldStart;
    let newFrom = newStart;
    while (oldFrom < oldEnd && newFrom < newEnd && oldLines[oldFrom] === newLines[newFrom])
      matches[oldFrom++] = newFrom++;
    let oldTo = oldEnd;
    let newTo = newEnd;
    while (oldFrom < oldTo && newFrom < newTo && oldLines[oldTo - 1] === newLines[newTo - 1])
      matches[--oldTo] = --newTo;
    // One line that became another: by far the most frequent gap has nothing to match.
    if (oldTo - oldFrom === 1 && newTo - newFrom === 1) return;
    if (oldFrom < oldTo && newFrom < newTo) gaps.push({ oldFrom, oldTo, newFrom, newTo, depth });
  };

  enterGap(0, oldLines.length, 0, newLines.length, 0);
  for (let gap = gaps.pop(); gap !== undefined; gap = gaps.pop()) {
    const { oldFrom, oldTo, newFrom, newTo, depth } = gap;
    const oldSlice = oldLines.subarray(oldFrom, oldTo);
    const newSlice = newLines.subarray(newFrom, newTo);
    const anchors = depth < DEEPEST ? counter.anchors(oldSlice, newSlice) : undefined;
    if (anchors === undefined || anchors.oldCount === 0) {
      stepper.match(oldSlice, newSlice, (oldLine, newLine) => {
        matches[oldFrom + oldLine] = newFrom + newLine;
      });
      continue;
    }
    let oldStart = oldFrom;
    let newStart = newFrom;
    for (let at = 0; at < anchors.oldCount; at += 1) {
      const oldAnchor = oldFrom + (anchors.old[at] ?? 0);
      const newAnchor = newFrom + (anchors.new[at] ?? 0);
      matches[oldAnchor] = newAnchor;
      // Mostly an anchor follows the one before it.
      if (oldAnchor > oldStart && newAnchor > newStart) enterGap(oldStart, oldAnchor, newStart, newAnchor, depth + 1);
      oldStart = oldAnchor + 1;
      newStart = newAnchor + 1;
    }
    enterGap(oldStart, oldTo, newStart, newTo, depth + 1);
  }
  return matches;
}

/** Each level looks at every line of its gaps once more. */
const DEEPEST = 8;

interface Gap {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
  readonly depth: number;
}
