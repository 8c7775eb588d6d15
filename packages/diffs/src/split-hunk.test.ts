import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyHunks, hunksOf } from './hunks.ts';
import { splitHunk } from './split-hunk.ts';

function split(oldText: string, newText: string, lines: number) {
  const [hunk] = hunksOf(oldText, newText);
  if (hunk === undefined) throw new Error('no hunk');
  return splitHunk(hunk, lines);
}

describe('splitHunk', () => {
  it('each part can be applied without the other', () => {
    const [oldText, newText] = ['a\nb\nz\n', 'A\nB\nC\nz\n'];
    const parts = split(oldText, newText, 1) ?? [];
    const applied = (...accepted: number[]) => applyHunks(oldText, parts, new Set(accepted));
    expect([applied(0), applied(1), applied(0, 1), applied()]).toEqual(['A\nb\nz\n', 'a\nB\nC\nz\n', newText, oldText]);
  });

  it('added lines alone, and removed lines alone, are split where asked', () => {
    expect(split('', 'a\nb\nc\n', 2)?.map(({ newText }) => newText)).toEqual(['a\nb\n', 'c\n']);
    expect(split('a\nb\nc\n', '', 1)?.map(({ oldText }) => oldText)).toEqual(['a\n', 'b\nc\n']);
  });

  it('does not split off nothing, nor a line that has no line end', () => {
    expect([split('a\n', 'A\n', 1), split('a\n', 'A\nB\n', 0), split('a\n', 'A\nB\n', 2)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(split('a', 'a\nb\n', 1)).toBeUndefined();
    expect(split('a\nb\n', 'A', 1)).toBeUndefined();
  });

  it('whatever is split, both parts make the new text, none of them the old one, and no two lines become one', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd'))
      .chain((lines) => fc.constantFrom('', '\n').map((end) => lines.join('\n') + end));
    fc.assert(
      fc.property(text, text, fc.nat({ max: 6 }), (oldText, newText, lines) => {
        for (const [index, hunk] of hunksOf(oldText, newText).entries()) {
          const parts = splitHunk(hunk, lines);
          if (parts === undefined) continue;
          const hunks = hunksOf(oldText, newText).flatMap((each, at) => (at === index ? parts : [each]));
          expect(applyHunks(oldText, hunks, new Set(hunks.keys()))).toBe(newText);
          expect(applyHunks(oldText, hunks, new Set())).toBe(oldText);
          for (const only of hunks.keys()) expect(applyHunks(oldText, hunks, new Set([only]))).not.toMatch(/[a-d]{2}/);
        }
      }),
    );
  });
});
