import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editedTexts, subsetOf } from '../../../testing/texts.ts';
import { acceptHunks, hunksOfChange } from './accept.ts';
import { applyHunks } from './hunks.ts';

describe('acceptHunks', () => {
  it('accepts the hunks that are named, and none is a rejection', () => {
    const change = { oldText: 'a\nb\nc\n', newText: 'A\nb\nC\n' };
    expect(acceptHunks(change, new Set([1]))).toEqual({ kind: 'accepted', text: 'a\nb\nC\n' });
    expect(acceptHunks(change, new Set([0, 1]))).toEqual({ kind: 'accepted', text: 'A\nb\nC\n' });
    expect(acceptHunks(change, new Set())).toEqual({ kind: 'rejected' });
    expect(() => acceptHunks(change, new Set([2]))).toThrow('There is no hunk 2: there are 2');
  });

  it('a new file is one hunk', () => {
    const change = { oldText: undefined, newText: 'a\nb' };
    expect(hunksOfChange(change)).toHaveLength(1);
    expect(acceptHunks(change, new Set([0]))).toEqual({ kind: 'accepted', text: 'a\nb' });
  });

  it('some hunks give the text of those hunks', () => {
    fc.assert(
      fc.property(editedTexts, fc.infiniteStream(fc.boolean()), ([oldText, newText], coins) => {
        const hunks = hunksOfChange({ oldText, newText });
        const accepted = subsetOf(hunks, coins);
        const text = applyHunks(oldText, hunks, accepted);
        const expected = accepted.size === 0 ? { kind: 'rejected' } : { kind: 'accepted', text };
        expect(acceptHunks({ oldText, newText }, accepted)).toEqual(expected);
      }),
    );
  });
});
