import type { LineCounter } from './line-counter.ts';

/**
 * Matches slices by Myers' algorithm. Where they differ a lot, it goes as far as a bounded number of edits reaches, keeps
 * that, and begins again from there. One budget of steps holds for all slices of a comparison.
 */
export class StepMatcher {
  readonly #counter: LineCounter;
  /**
   * Row by row, one per number of edits: entry i of row n tells how far the diagonal x - y = 2i - n gets with n edits,
   * as x, or NOWHERE.
   */
  readonly #reach = new Int32Array(rowStart(MAX_EDITS + 1));
  #budget = MAX_STEPS;

  constructor(counter: LineCounter) {
    this.#counter = counter;
  }

  match(oldLines: Int32Array, newLines: Int32Array, onMatch: (oldLine: number, newLine: number) => void): void {
    // A line that the other side lacks can match nothing, and would only cost steps.
    const places = this.#counter.shared(oldLines, newLines);
    if (places.oldCount === 0) return;
    const oldIds = places.old.subarray(0, places.oldCount).map((line) => oldLines[line] ?? 0);
    const newIds = places.new.subarray(0, places.newCount).map((line) => newLines[line] ?? 0);
    let [oldFrom, newFrom] = [0, 0];
    while (oldFrom < oldIds.length && newFrom < newIds.length && this.#budget > 0) {
      const [oldRest, newRest] = [oldIds.subarray(oldFrom), newIds.subarray(newFrom)];
      const furthest = this.#explore(oldRest, newRest);
      this.#walkBack(oldRest, newRest, furthest, (x, y) => {
        onMatch(places.old[oldFrom + x] ?? 0, places.new[newFrom + y] ?? 0);
      });
      oldFrom += furthest.x;
      newFrom += furthest.x - furthest.diagonal;
    }
  }

  /** The end of the path that gets furthest. It is never the start. */
  #explore(oldIds: Int32Array, newIds: Int32Array): PathEnd {
    const reach = this.#reach;
    const [oldCount, newCount] = [oldIds.length, newIds.length];
    let [atEdits, atDiagonal, atX] = [0, 0, 0];
    let furthestSum = -1;
    let budget = this.#budget;
    for (let edits = 0; edits <= MAX_EDITS; edits += 1) {
      const row = rowStart(edits);
      const rowBefore = rowStart(edits - 1);
      for (let i = 0; i <= edits; i += 1) {
        const diagonal = 2 * i - edits;
        // As in #deleted and #inserted, whose calls would take most of the time.
        let start = edits === 0 ? 0 : NOWHERE;
        if (i > 0) {
          const x = reach[rowBefore + i - 1] ?? NOWHERE;
          if (x !== NOWHERE && x !== oldCount) start = x + 1;
        }
        if (i < edits) {
          const x = reach[rowBefore + i] ?? NOWHERE;
          if (x > start && x - diagonal <= newCount) start = x;
        }
        let x = start;
        if (x !== NOWHERE) {
          while (x < oldCount && x - diagonal < newCount && oldIds[x] === newIds[x - diagonal]) x += 1;
          if (2 * x - diagonal > furthestSum) {
            furthestSum = 2 * x - diagonal;
            [atEdits, atDiagonal, atX] = [edits, diagonal, x];
          }
        }
        reach[row + i] = x;
        budget -= 1 + x - start;
      }
      if (furthestSum === oldCount + newCount || budget <= 0) break;
    }
    this.#budget = budget;
    return { edits: atEdits, diagonal: atDiagonal, x: atX };
  }

  /** Where a diagonal begins when the last edit took an old line away, NOWHERE if it cannot have. */
  #deleted(edits: number, i: number, oldCount: number): number {
    if (i === 0) return NOWHERE;
    const x = this.#reach[rowStart(edits - 1) + i - 1] ?? NOWHERE;
    return x === NOWHERE || x === oldCount ? NOWHERE : x + 1;
  }

  /** The same when it put a new line in. */
  #inserted(edits: number, i: number, newCount: number): number {
    if (i === edits) return NOWHERE;
    const x = this.#reach[rowStart(edits - 1) + i] ?? NOWHERE;
    return x - (2 * i - edits) > newCount ? NOWHERE : x;
  }

  #walkBack(oldIds: Int32Array, newIds: Int32Array, end: PathEnd, onMatch: (x: number, y: number) => void): void {
    let i = (end.diagonal + end.edits) >> 1;
    for (let edits = end.edits; edits >= 0; edits -= 1) {
      const deleted = edits === 0 ? 0 : this.#deleted(edits, i, oldIds.length);
      const inserted = edits === 0 ? 0 : this.#inserted(edits, i, newIds.length);
      const start = Math.max(deleted, inserted);
      const diagonal = 2 * i - edits;
      for (let x = (this.#reach[rowStart(edits) + i] ?? 0) - 1; x >= start; x -= 1) onMatch(x, x - diagonal);
      if (deleted > inserted) i -= 1;
    }
  }
}

const MAX_STEPS = 1_000_000;
const MAX_EDITS = 256;
const NOWHERE = -1;

interface PathEnd {
  readonly edits: number;
  readonly diagonal: number;
  readonly x: number;
}

function rowStart(edits: number): number {
  return (edits * (edits + 1)) / 2;
}
