import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editedTexts, subsetOf } from '../../../testing/texts.ts';
import type { DiffDecision, Proposal } from '../../editor.ts';
import { decide, hunksOfChange } from './decide.ts';
import { applyHunks } from './hunks.ts';

const proposal: Proposal = {
  id: '1',
  path: '/project/a.ts',
  title: 'a.ts',
  oldText: 'a\nb\nc\n',
  newText: 'A\nb\nC\n',
  from: 'an agent',
};

describe('decide', () => {
  it.each([
    ['all of it', { kind: 'all' } as const, { kind: 'accepted', text: 'A\nb\nC\n' }],
    ['none of it', { kind: 'none' } as const, { kind: 'rejected' }],
    ['its second hunk', { kind: 'some', accepted: new Set([1]) } as const, { kind: 'accepted', text: 'a\nb\nC\n' }],
    ['no hunk', { kind: 'some', accepted: new Set<number>() } as const, { kind: 'rejected' }],
    ['edited text', { kind: 'edited', text: 'mine' } as const, { kind: 'accepted', text: 'mine' }],
    ['the old text, by editing', { kind: 'edited', text: 'a\nb\nc\n' } as const, { kind: 'rejected' }],
  ])('taking %s', (_, choice, expected) => {
    const decision: DiffDecision = decide(proposal, choice);
    expect(decision).toEqual(expected);
  });

  it('a new file is one hunk, and may be accepted although it is empty', () => {
    const change = { oldText: undefined, newText: 'a\nb' };
    expect(hunksOfChange(change)).toHaveLength(1);
    expect(decide(change, { kind: 'some', accepted: new Set([0]) })).toEqual({ kind: 'accepted', text: 'a\nb' });
    expect(decide({ oldText: undefined, newText: '' }, { kind: 'all' })).toEqual({ kind: 'accepted', text: '' });
    expect(decide(change, { kind: 'some', accepted: new Set() })).toEqual({ kind: 'rejected' });
    expect(decide(change, { kind: 'edited', text: '' })).toEqual({ kind: 'accepted', text: '' });
  });

  it('some hunks give the text of those hunks', () => {
    fc.assert(
      fc.property(editedTexts, fc.infiniteStream(fc.boolean()), ([oldText, newText], coins) => {
        const hunks = hunksOfChange({ oldText, newText });
        const accepted = subsetOf(hunks, coins);
        const decision = decide({ oldText, newText }, { kind: 'some', accepted });
        const text = applyHunks(oldText, hunks, accepted);
        expect(decision).toEqual(text === oldText ? { kind: 'rejected' } : { kind: 'accepted', text });
      }),
    );
  });
});
