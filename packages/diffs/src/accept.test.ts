import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editedTexts, subsetOf } from '../testing/texts.ts';
import { acceptedText, hunksOfChange } from './accept.ts';
import { applyHunks } from './hunks.ts';

describe('acceptedText', () => {
  it('has the hunks that are named', () => {
    const change = { oldText: 'a\nb\nc\n', newText: 'A\nb\nC\n' };
    expect(acceptedText(change, [1])).toBe('a\nb\nC\n');
    expect(acceptedText(change, [0, 1])).toBe('A\nb\nC\n');
    expect(acceptedText(change, [])).toBe('a\nb\nc\n');
    expect(() => acceptedText(change, [2])).toThrow('There is no hunk 3; the change has 2');
  });

  it('a new file is one hunk', () => {
    const change = { oldText: undefined, newText: 'a\nb' };
    expect(hunksOfChange(change)).toHaveLength(1);
    expect(acceptedText(change, [0])).toBe('a\nb');
  });

  it('some hunks give the text of those hunks', () => {
    fc.assert(
      fc.property(editedTexts, fc.infiniteStream(fc.boolean()), ([oldText, newText], coins) => {
        const hunks = hunksOfChange({ oldText, newText });
        const accepted = subsetOf(hunks, coins);
        expect(acceptedText({ oldText, newText }, [...accepted])).toBe(applyHunks(oldText, hunks, accepted));
      }),
    );
  });
});
