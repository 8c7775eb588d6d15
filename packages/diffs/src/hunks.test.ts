import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, editedTexts, subsetOf } from '../testing/texts.ts';
import { applyHunks, type Hunk, hunksOf } from './hunks.ts';
import { linesOf } from './lines.ts';

const all = (hunks: readonly Hunk[]) => new Set(hunks.keys());
const none: ReadonlySet<number> = new Set();

describe('hunksOf', () => {
  it('gives line ranges of both sides and the exact texts', () => {
    expect(hunksOf('a\nb\nc\nd\n', 'a\nB\nc\nd\ne\n')).toEqual([
      {
        oldLines: { first: 1, count: 1 },
        newLines: { first: 1, count: 1 },
        oldOffset: 2,
        oldText: 'b\n',
        newText: 'B\n',
      },
      {
        oldLines: { first: 4, count: 0 },
        newLines: { first: 4, count: 1 },
        oldOffset: 8,
        oldText: '',
        newText: 'e\n',
      },
    ]);
  });

  it.each([
    ['equal texts have no hunks', 'a\nb', 'a\nb', []],
    ['a file that is made', '', 'a\nb\n', [['', 'a\nb\n']]],
    ['a file that is emptied', 'a\nb\n', '', [['a\nb\n', '']]],
    ['a final line end that is added', 'a\nb', 'a\nb\n', [['b', 'b\n']]],
    ['a final line end that is taken away', 'a\nb\n', 'a\nb', [['b\n', 'b']]],
    ['a line end that changes', 'a\r\nb\n', 'a\nb\n', [['a\r\n', 'a\n']]],
    ['a lone CR that becomes CRLF', 'a\rb', 'a\r\nb', [['a\r', 'a\r\n']]],
    ['a lone CR ends a line', 'a\rb\rc', 'a\rX\rc', [['b\r', 'X\r']]],
    ['a CR at the end of the common part', 'a\r', 'a\r\n', [['a\r', 'a\r\n']]],
    ['a function among similar ones', 'f {\n}\n\nh {\n}\n', 'f {\n}\n\ng {\n}\n\nh {\n}\n', [['', 'g {\n}\n\n']]],
    ['lines that differ in the upper bytes of characters alone', 'x\nA\ny\n', 'x\nŁ\ny\n', [['A\n', 'Ł\n']]],
    [
      'a moved line',
      'a\nb\nc\nd\n',
      'b\nc\nd\na\n',
      [
        ['a\n', ''],
        ['', 'a\n'],
      ],
    ],
  ])('%s', (_, oldText, newText, expected) => {
    expect(hunksOf(oldText, newText).map((hunk) => [hunk.oldText, hunk.newText])).toEqual(expected);
  });

  it('ranges and texts say the same, and at least one line stays between two hunks', () => {
    fc.assert(
      fc.property(editedTexts, ([oldText, newText]) => {
        let [oldEnd, newEnd] = [-1, -1];
        for (const hunk of hunksOf(oldText, newText)) {
          expect(linesOf(hunk.oldText).count).toBe(hunk.oldLines.count);
          expect(linesOf(hunk.newText).count).toBe(hunk.newLines.count);
          expect(oldText.startsWith(hunk.oldText, hunk.oldOffset)).toBe(true);
          expect(linesOf(oldText.slice(0, hunk.oldOffset)).count).toBe(hunk.oldLines.first);
          expect(hunk.oldLines.first - oldEnd).toBe(hunk.newLines.first - newEnd);
          expect(hunk.oldLines.first).toBeGreaterThan(oldEnd);
          expect(hunk.oldText).not.toBe(hunk.newText);
          oldEnd = hunk.oldLines.first + hunk.oldLines.count;
          newEnd = hunk.newLines.first + hunk.newLines.count;
        }
      }),
    );
  });

  it('texts that are too different to compare in full still give exactly the new text', () => {
    const random = (seed: number) => {
      let state = seed;
      const lines = Array.from({ length: 20_000 }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
        return `${(state >>> 16) % 9}\n`;
      });
      return lines.join('');
    };
    const [oldText, newText] = [random(1), random(2)];
    const hunks = hunksOf(oldText, newText);
    expect(hunks.length).toBeGreaterThan(10);
    expect(applyHunks(oldText, hunks, all(hunks))).toBe(newText);
    expect(applyHunks(oldText, hunks, none)).toBe(oldText);
  });
});

describe('applyHunks', () => {
  it('all hunks give exactly the new text, none exactly the old', () => {
    fc.assert(
      fc.property(fc.oneof(editedTexts, fc.tuple(anyText, anyText)), ([oldText, newText]) => {
        const hunks = hunksOf(oldText, newText);
        expect(applyHunks(oldText, hunks, all(hunks))).toBe(newText);
        expect(applyHunks(oldText, hunks, none)).toBe(oldText);
      }),
      { numRuns: 500 },
    );
  });

  it('any subset changes the lines of its hunks and no others', () => {
    fc.assert(
      fc.property(editedTexts, fc.infiniteStream(fc.boolean()), ([oldText, newText], coins) => {
        const hunks = hunksOf(oldText, newText);
        const accepted = subsetOf(hunks, coins);
        const oldLines = linesOf(oldText);
        const expected: string[] = [];
        let line = 0;
        for (const [index, hunk] of hunks.entries()) {
          expected.push(oldText.slice(oldLines.starts[line], oldLines.starts[hunk.oldLines.first]));
          expected.push(accepted.has(index) ? hunk.newText : hunk.oldText);
          line = hunk.oldLines.first + hunk.oldLines.count;
        }
        expected.push(oldText.slice(oldLines.starts[line]));
        expect(applyHunks(oldText, hunks, accepted)).toBe(expected.join(''));
      }),
    );
  });

  it('the hunks that were left out, moved to where they are now, make the new text', () => {
    fc.assert(
      fc.property(editedTexts, fc.infiniteStream(fc.boolean()), ([oldText, newText], coins) => {
        const hunks = hunksOf(oldText, newText);
        const accepted = subsetOf(hunks, coins);
        const between = applyHunks(oldText, hunks, accepted);
        let shift = 0;
        const rest: Hunk[] = [];
        for (const [index, hunk] of hunks.entries()) {
          if (accepted.has(index)) shift += hunk.newText.length - hunk.oldText.length;
          else rest.push({ ...hunk, oldOffset: hunk.oldOffset + shift });
        }
        expect(applyHunks(between, rest, all(rest))).toBe(newText);
        const compared = hunksOf(between, newText);
        expect(applyHunks(between, compared, all(compared))).toBe(newText);
      }),
    );
  });

  it('a hunk that does not exist is refused', () => {
    expect(() => applyHunks('a\n', hunksOf('a\n', 'b\n'), new Set([1]))).toThrow('There is no hunk 1: there are 1');
  });

  it('hunks of another text are refused', () => {
    expect(() => applyHunks('x\n', hunksOf('a\n', 'b\n'), new Set([0]))).toThrow('Hunk 0 does not belong to this text');
  });
});
