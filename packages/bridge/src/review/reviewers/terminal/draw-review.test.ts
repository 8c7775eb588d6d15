import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReviewingView, textOf } from '../../../../testing/reviewing-view.ts';
import { type Dialect, paintRow } from '../../../terminal/paint.ts';
import { widthOf } from '../../../terminal/wrapping.ts';

const ACTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Writes plain words instead of control sequences, so that any control character left is one of the texts. */
const words: Dialect = {
  to: (row, column) => `{${row} ${column}}`,
  style: () => '{style}',
  plain: () => '{plain}',
  clearToEnd: () => '{clear}',
};

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\x1b', '[', '0', 'm', '\r', '\n', '\x9b', '\t', '漢', '\u202e', 'a', '\x07') }),
);
const anyProposal = fc.record({
  id: fc.uuid(),
  path: anyText,
  title: anyText,
  agent: anyText,
  oldText: fc.option(anyText, { nil: undefined }),
  newText: anyText,
  base: fc.constantFrom('original' as const, 'merged' as const, 'conflict' as const),
});
const KEYS = ['y', 'n', 'j', 'k', ' ', 'G', 'tab', 'right', 'left', 'u', 'enter', 'x', 'a', 'e', 'ended', 'refreshed'];

describe('the review view', () => {
  it('whatever files, names and agents hold, no control character of it reaches the terminal, and every row fits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyProposal, { minLength: 1, maxLength: 3 }),
        fc.array(fc.constantFrom(...KEYS)),
        fc.record({ columns: fc.integer({ min: 1, max: 120 }), rows: fc.integer({ min: 1, max: 40 }) }),
        anyText,
        async (proposals, keys, size, other) => {
          const user = new ReviewingView(size);
          const reviews = user.add(...proposals);
          user.editText = () => other;
          for (const key of keys) {
            const review = reviews.find(({ proposal }) => proposal.id === user.view.current?.id);
            if (key === 'ended') review?.end({ kind: 'withdrawn', reason: other });
            else if (key === 'refreshed') review?.refresh({ oldText: other });
            else user.press(key);
            if (key === 'a' || key === 'e') await user.settle();
            const rows = user.draw();
            expect(rows.length).toBeLessThanOrEqual(size.rows);
            for (const row of rows) {
              expect(paintRow(row, 0, words)).not.toMatch(ACTIVE);
              // Narrower ones cut at their edge: wrapping is off.
              if (size.columns >= 20) expect(widthOf(textOf(row))).toBeLessThanOrEqual(size.columns);
            }
          }
        },
      ),
      { numRuns: 300 },
    );
  }, 30_000);

  it('shows who proposes, which hunk, and the lines with their signs', () => {
    const user = new ReviewingView({ columns: 40, rows: 9 });
    const texts = { oldText: 'one\ntwo\n', newText: 'one\nTWO\x1b[2J' };
    user.add({ id: '1', path: '/w/a.ts', agent: 'claude-code', ...texts });
    expect(user.rows).toEqual([
      '/w/a.ts (proposed by claude-code)',
      'hunk 1 of 1, +1 -1',
      '     @@ -1,2 +1,2 @@',
      '      one',
      '>1 ? -two',
      '     +TWO^[[2J',
      '      \\ No newline at end of file',
    ]);
  });

  it('on the smallest screens the change itself is what is shown', () => {
    const user = new ReviewingView({ columns: 21, rows: 3 });
    user.add({ id: '1', path: '/w/a.ts', agent: 'claude-code', oldText: undefined, newText: 'one\ntwo\n' });
    expect(user.rows).toEqual(['     @@ -0,0 +1,2 @@', '>1 ? +one', '     +two']);
  });
});
