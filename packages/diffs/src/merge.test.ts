import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editedTexts } from '../testing/texts.ts';
import { mergeTexts } from './merge.ts';

const BASE = 'a\nb\nc\nd\ne\n';

describe('mergeTexts', () => {
  it.each([
    ['changes in different lines', 'A\nb\nc\nd\ne\n', 'a\nb\nC\nd\ne\n', 'A\nb\nC\nd\ne\n'],
    ['a line added at the end and one at the start', `${BASE}f\n`, `0\n${BASE}`, `0\n${BASE}f\n`],
    ['the same change on both sides', 'A\nb\nc\nd\ne\n', 'A\nb\nc\nd\nE\n', 'A\nb\nc\nd\nE\n'],
    ['a side that changed nothing', BASE, 'x\n', 'x\n'],
  ])('merges %s', (_what, ours, theirs, merged) => {
    expect(mergeTexts({ base: BASE, ours, theirs })).toBe(merged);
    expect(mergeTexts({ base: BASE, ours: theirs, theirs: ours })).toBe(merged);
  });

  it.each([
    ['the same line', 'A\nb\nc\nd\ne\n', 'x\nb\nc\nd\ne\n'],
    ['adjacent lines', 'A\nb\nc\nd\ne\n', 'a\nB\nc\nd\ne\n'],
    ['lines added at one place', `x\n${BASE}`, `y\n${BASE}`],
  ])('does not merge changes of %s', (_what, ours, theirs) => {
    expect(mergeTexts({ base: BASE, ours, theirs })).toBeUndefined();
  });

  it('a deleted file merges with nothing, a new one only with the same text', () => {
    expect(mergeTexts({ base: BASE, ours: 'x', theirs: undefined })).toBeUndefined();
    expect(mergeTexts({ base: undefined, ours: 'x', theirs: 'y' })).toBeUndefined();
    expect(mergeTexts({ base: undefined, ours: 'x', theirs: 'x' })).toBe('x');
  });

  it('a side that changed nothing leaves the text of the other', () => {
    fc.assert(
      fc.property(editedTexts, ([base, ours]) => {
        expect(mergeTexts({ base, ours, theirs: base })).toBe(ours);
        expect(mergeTexts({ base, ours: base, theirs: ours })).toBe(ours);
      }),
    );
  });
});
