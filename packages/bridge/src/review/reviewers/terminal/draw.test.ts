import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openReview } from '../../../../testing/open-review.ts';
import { widthOf } from '../../../terminal/glyphs.ts';
import { type Dialect, paint, type Row } from '../../../terminal/paint.ts';
import { draw } from './draw.ts';
import { type BridgeStatus, View } from './view.ts';

const ACTIVE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Writes plain words instead of control sequences, so that any control character left is one of the texts. */
const words: Dialect = {
  toRow: (row) => `{row ${row}}`,
  style: () => '{style}',
  plain: () => '{plain}',
  clearToEnd: () => '{clear}',
};

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\x1b', '[', '0', 'm', '\r', '\n', '\x9b', '\t', '漢', '\u202e', 'a', '\x07') }),
);
const anyStatus: fc.Arbitrary<BridgeStatus> = fc.record({
  folders: fc.array(anyText),
  paused: fc.boolean(),
  agents: fc.array(
    fc.record({
      endpoints: fc.array(anyText),
      clients: fc.array(fc.record({ name: anyText, state: fc.constant('ready') })),
    }),
  ),
  shared: fc.oneof(fc.record({ kind: fc.constant('file'), path: anyText }), fc.constant({ kind: 'nothing' })),
  proposals: fc.nat(),
});
const anyProposal = fc.record({
  id: fc.uuid(),
  path: anyText,
  title: anyText,
  agent: anyText,
  oldText: fc.option(anyText, { nil: undefined }),
  newText: anyText,
  base: fc.constantFrom('original' as const, 'merged' as const, 'conflict' as const),
});
const anyKeys = fc.array(
  fc.constantFrom(
    'y',
    'n',
    'j',
    'k',
    ' ',
    'G',
    'tab',
    'right',
    'left',
    '?',
    'u',
    'enter',
    'q',
    'x',
    'a',
    'edit',
    'removed',
    'refreshed',
  ),
);

const text = (row: Row) => row.map((span) => span.text).join('');

describe('the view', () => {
  it('whatever files, names and agents hold, no control character of it reaches the terminal, and every row fits', () => {
    fc.assert(
      fc.property(
        anyStatus,
        fc.array(anyProposal, { minLength: 1, maxLength: 3 }),
        anyKeys,
        fc.record({ columns: fc.integer({ min: 1, max: 120 }), rows: fc.integer({ min: 1, max: 40 }) }),
        anyText,
        (status, proposals, keys, size, other) => {
          const view = new View({ run: () => {}, leaving: 'ask' });
          view.status = status;
          for (const proposal of proposals) view.added(openReview(proposal));
          for (const key of keys) {
            const id = view.current?.id ?? '';
            if (key === 'edit') view.edited(id, other);
            else if (key === 'removed') view.removed(id, { kind: 'withdrawn', reason: other });
            else if (key === 'refreshed') view.refreshed(id);
            else view.pressed(key);
            if (key === 'a') view.failed(other);
            const rows = draw(view, size);
            expect(rows).toHaveLength(size.rows);
            expect(paint(rows, words)).not.toMatch(ACTIVE);
            // Narrower ones cut at their edge: wrapping is off.
            if (size.columns >= 20)
              for (const row of rows) expect(widthOf(text(row))).toBeLessThanOrEqual(size.columns);
          }
        },
      ),
      { numRuns: 300 },
    );
  }, 30_000);

  it('shows who proposes, which hunk, and the lines with their signs', () => {
    const view = new View({ run: () => {}, leaving: 'at once' });
    const texts = { oldText: 'one\ntwo\n', newText: 'one\nTWO\x1b[2J' };
    view.added(openReview({ id: '1', path: '/w/a.ts', agent: 'claude-code', ...texts }));
    expect(draw(view, { columns: 40, rows: 11 }).map((row) => text(row).trimEnd())).toEqual([
      'hawser',
      '/w/a.ts (proposed by claude-code)',
      'hunk 1 of 1, +1 -1',
      '     @@ -1,2 +1,2 @@',
      '      one',
      '>1 ? -two',
      '     +TWO^[[2J',
      '      \\ No newline at end of file',
      '',
      '',
      'a accept  r reject  y/n hunk  e edit  ?…',
    ]);
  });

  it.each([
    ['ask', '  q            end the bridge, after asking'],
    ['at once', '  q            leave; what is not decided stays open'],
  ] as const)('the help fits 80 columns and says what q does (%s)', (leaving, line) => {
    const view = new View({ run: () => {}, leaving });
    view.pressed('?');
    const rows = draw(view, { columns: 80, rows: 24 }).map((row) => text(row).trimEnd());
    expect(rows).toContain(line);
    expect(rows.filter((row) => row.endsWith('…'))).toEqual([]);
  });

  it('on the smallest screens the change itself is what is shown', () => {
    const view = new View({ run: () => {}, leaving: 'at once' });
    const texts = { oldText: undefined, newText: 'one\ntwo\n' };
    view.added(openReview({ id: '1', path: '/w/a.ts', agent: 'claude-code', ...texts }));
    expect(draw(view, { columns: 21, rows: 3 }).map(text)).toEqual(['     @@ -0,0 +1,2 @@', '>1 ? +one', '     +two']);
  });
});
