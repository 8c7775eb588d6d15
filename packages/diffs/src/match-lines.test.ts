import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchLines } from './match-lines.ts';

const ids = fc.array(fc.nat(5), { maxLength: 40 });

describe('matchLines', () => {
  it('matches equal lines only, and no two matches cross', () => {
    fc.assert(
      fc.property(ids, ids, (oldIds, newIds) => {
        let last = -1;
        for (const [oldLine, newLine] of matchLines(Int32Array.from(oldIds), Int32Array.from(newIds), 6).entries()) {
          if (newLine === -1) continue;
          expect(newIds[newLine]).toBe(oldIds[oldLine]);
          expect(newLine).toBeGreaterThan(last);
          last = newLine;
        }
      }),
      { numRuns: 500 },
    );
  });
});
