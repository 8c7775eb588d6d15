import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineCounter } from './line-counter.ts';
import { StepMatcher } from './step-matcher.ts';

const ids = fc.array(fc.nat(5), { maxLength: 60 });

describe('StepMatcher', () => {
  it('matches equal lines in order, and as many as can be', () => {
    fc.assert(
      fc.property(ids, ids, (oldIds, newIds) => {
        const matches: [number, number][] = [];
        const matcher = new StepMatcher(new LineCounter(6, 60));
        matcher.match(Int32Array.from(oldIds), Int32Array.from(newIds), (oldLine, newLine) => {
          expect(newIds[newLine]).toBe(oldIds[oldLine]);
          matches.push([oldLine, newLine]);
        });
        matches.sort(([left], [right]) => left - right);
        expect(matches.every(([, newLine], at) => at === 0 || newLine > (matches[at - 1]?.[1] ?? -1))).toBe(true);
        expect(matches).toHaveLength(longestCommon(oldIds, newIds));
      }),
      { numRuns: 500 },
    );
  });

  it('past its number of edits it goes on with what it has', () => {
    const count = 5000;
    const oldIds = Int32Array.from({ length: count }, (_, line) => line % 2);
    const newIds = Int32Array.from({ length: count }, (_, line) => (line % 5 === 0 ? 1 : 0));
    let matched = 0;
    new StepMatcher(new LineCounter(2, count)).match(oldIds, newIds, () => {
      matched += 1;
    });
    expect(matched).toBeGreaterThan(count / 2);
  });
});

function longestCommon(left: readonly number[], right: readonly number[]): number {
  let previous: number[] = new Array(right.length + 1).fill(0);
  for (const id of left) {
    const row = [0];
    for (const [at, other] of right.entries()) {
      row.push(id === other ? (previous[at] ?? 0) + 1 : Math.max(previous[at + 1] ?? 0, row[at] ?? 0));
    }
    previous = row;
  }
  return previous.at(-1) ?? 0;
}
