import { widthOf } from '@hawser/terminal-text/wrapping';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReviewingView, textOf } from '../../../../testing/reviewing-view.ts';
import { type Dialect, paintRow } from '../../../terminal/paint.ts';

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
const KEYS = [
  'y',
  'n',
  'j',
  'k',
  ' ',
  'G',
  'tab',
  'right',
  'left',
  'u',
  'enter',
  'x',
  'a',
  'e',
  'ended',
  'refreshed',
  's',
  'U',
  '+',
  '-',
  'v',
  'c',
  'A',
  'R',
  '/',
  '.',
  ',',
];

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
  });

  it('shows who proposes, which hunk, and the lines with their numbers and signs', () => {
    const user = new ReviewingView({ columns: 80, rows: 9 });
    const texts = { oldText: 'one\ntwo\n', newText: 'one\nTWO\x1b[2J' };
    user.add({ id: '1', path: '/w/a.ts', agent: 'claude-code', ...texts });
    expect(user.rows).toEqual([
      '/w/a.ts (proposed by claude-code)',
      'hunk 1 of 1, +1 -1',
      '      1  1  one',
      '>1 ?  2    -two',
      '▌        2 +TWO^[[2J  \\ No newline at end of file',
    ]);
  });

  it('a change that was noticed says so, what to press, and how to be asked next time', () => {
    const user = new ReviewingView({ columns: 110, rows: 9 });
    const advice = 'Press Shift-Tab in it.';
    user.add(
      { id: 'a.ts', agent: 'claude-code', effect: 'noticed', advice },
      { id: 'b.ts', arrival: 1, effect: 'delete' },
    );
    expect(user.rows.slice(2, 5)).toEqual([
      '/w/a.ts (claude-code (probably) changed it without asking)',
      advice,
      'hunk 1 of 1, +1 -1',
    ]);
    // Nobody waits for an answer.
    expect(user.view.hints).toBe('a keep  r take back  y/n hunk  e edit');
    user.press('l');
    expect(user.rows).toContain('/w/b.ts (deletes the file, proposed by an agent)');
  });

  it('side by side, old lines stand beside new ones', () => {
    const user = new ReviewingView({ columns: 130, rows: 9 });
    user.add({ id: '1', path: '/w/a.ts', oldText: 'one\ntwo\nfive\n', newText: 'one\nTWO\nthree\nfive\n' });
    user.press('v');
    const half = (text: string) => text.padEnd(57);
    expect(user.rows.slice(2)).toEqual([
      `      1  ${half('one')}│  1  one`,
      `>1 ?  2 -${half('two')}│  2 +TWO`,
      `▌        ${half('')}│  3 +three`,
      `      3  ${half('five')}│  4  five`,
    ]);
    user.press('v');
    expect(user.rows.slice(2).some((row) => row.endsWith('>1 ?  2    -two'))).toBe(true);
  });

  it.each([
    [119, 'one column, without a list'],
    [120, 'one column beside a list'],
    [170, 'two columns beside a list'],
  ])('at %i columns it is %s', (columns, _) => {
    const user = new ReviewingView({ columns, rows: 9 });
    user.add({ id: '1', path: '/w/a.ts', agent: 'claude-code', oldText: 'one\ntwo\n', newText: 'one\nTWO\n' });
    const [agent = '', file = '', , change = ''] = user.rows;
    expect([agent.startsWith('claude-code '), file.startsWith('> M /w/a.ts ')]).toEqual(
      columns === 119 ? [false, false] : [true, true],
    );
    expect(change.includes('-two')).toBe(true);
    expect(change.includes('+TWO')).toBe(columns === 170);
  });

  it('the list beside the diff has every change under its agent or set, and says if there are more', () => {
    const user = new ReviewingView({ columns: 130, rows: 12 });
    const set = { id: 's', title: 'Rename it', size: 2 };
    user.add(
      { id: 'a.ts', arrival: 0 },
      { id: 'b.ts', arrival: 1, set: { ...set, index: 0 } },
      { id: 'c.ts', arrival: 2, set: { ...set, index: 1 }, oldText: undefined },
      { id: 'd.ts', arrival: 3, agent: 'another', base: 'conflict' },
    );
    const list = () => user.rows.map((row) => row.slice(0, 24).trimEnd()).filter((row) => row !== '');
    const all = ['an agent', '> M /w/a.ts', 'Rename it 0/2', '  M /w/b.ts', '  A /w/c.ts', 'another', '  ! /w/d.ts'];
    expect(list()).toEqual(all);
    user.view.mouse({ kind: 'click', row: 4, column: 5 });
    expect(user.view.current?.id).toBe('c.ts');
    user.press('y');
    expect(list()).toContain('> A /w/c.ts          1/1');
    user.size = { columns: 130, rows: 6 };
    expect(list()).toEqual([
      'Rename it 0/2',
      '  M /w/b.ts',
      '> A /w/c.ts          1/1',
      'another',
      '  ! /w/d.ts',
      '2 to 4 of 4',
    ]);
  });

  it('a bar at the edge shows which part of a long change is on the screen', () => {
    const user = new ReviewingView({ columns: 80, rows: 12 });
    const newText = Array.from({ length: 100 }, (_, index) => `line ${index}\n`).join('');
    user.add({ id: '1', oldText: undefined, newText });
    const bar = () =>
      user.rows
        .slice(2)
        .map((row) => row.at(79))
        .join('');
    expect(bar()).toBe('┃│││││││││');
    user.press('G');
    expect(bar()).toBe('│││││││││┃');
    user.press('g', ...Array(5).fill(' '));
    expect(bar()).toMatch(/^│+┃│+$/);
  });

  it('says which function a hunk is in, where that can’t be seen', () => {
    const user = new ReviewingView({ columns: 80, rows: 20 });
    const body = Array.from({ length: 12 }, (_, index) => `    step(${index});\n`).join('');
    const oldText = `class Cart {\n  add(item) {\n${body}  }\n}\n`;
    user.add({ id: '1', path: '/w/a.ts', oldText, newText: oldText.replace('step(10)', 'leap(10)') });
    expect(user.rows[1]).toBe('hunk 1 of 1, +1 -1, in add(item)');
    expect(user.rows[2]).toBe('            ⋯ 9 unchanged lines, + shows more  add(item)');
    user.press('+', '+');
    expect(user.rows.some((row) => row.includes('⋯'))).toBe(false);
  });

  it('on the smallest screens the change itself is what is shown', () => {
    const user = new ReviewingView({ columns: 21, rows: 3 });
    user.add({ id: '1', path: '/w/a.ts', agent: 'claude-code', oldText: undefined, newText: 'one\ntwo\nthree\n' });
    expect(user.rows).toEqual(['>1 ? +one', '▌    +two', '▌    +three']);
  });

  it('the list says how many changes there are if it does not show all, and the header counts what is decided', () => {
    const user = new ReviewingView({ columns: 80, rows: 20 });
    const lines = Array.from({ length: 40 }, (_, index) => `${index}\n`);
    const [oldText, newText] = [
      lines.join(''),
      lines.join('').replace('3\n', 'x\n').replace('20\n', 'y\n').replace('37\n', 'z\n'),
    ];
    user.add(...Array.from({ length: 15 }, (_, index) => ({ id: `c${index}`, arrival: index, oldText, newText })));
    expect(user.rows.slice(0, 8)).toEqual([
      '> 1/15 /w/c0 (an agent)',
      '  2/15 /w/c1 (an agent)',
      '  3/15 /w/c2 (an agent)',
      '  4/15 /w/c3 (an agent)',
      '  5/15 /w/c4 (an agent)',
      '  15 changes wait; 1 to 5 are listed',
      '/w/c0 (proposed by an agent, 0 of 15 decided)',
      'hunk 1 of 3, +3 -3',
    ]);
    user.press('n', 'y');
    expect(user.rows[7]).toBe('hunk 3 of 3, +3 -3, 1 accepted, 1 rejected, 1 undecided');
  });
});
