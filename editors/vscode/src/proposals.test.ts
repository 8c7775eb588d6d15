import type { WireProposal } from '@hawser/editor-protocol';
import { describe, expect, it } from 'vitest';
import { OpenProposal, Proposals } from './proposals.ts';

const wire = (more: Partial<WireProposal> = {}): WireProposal => ({
  id: 'a',
  revision: 0,
  uri: 'file:///p/a.txt',
  title: 'a.txt',
  agent: 'an agent',
  effect: 'edit',
  base: 'original',
  turn: 0,
  noteDelivery: 'words',
  isNewFile: false,
  lineEnd: '\n',
  hasBom: false,
  oldText: 'one\ntwo\n',
  newText: 'ONE\ntwo\n',
  hunks: [[0, 1, 0, 1]],
  ...more,
});

describe('a proposal', () => {
  it('that was not edited is accepted without a text', () => {
    expect(new OpenProposal(wire()).decision('accepted')).toEqual({ kind: 'accepted' });
  });

  it('is accepted as it was edited, with the notes', () => {
    const proposal = new OpenProposal(wire());
    proposal.edit('1\ntwo\n');
    proposal.notes = [{ text: 'shorter', lines: { side: 'new', first: 0, count: 1 } }];
    expect(proposal.hunks).toBeUndefined();
    expect(proposal.decision('accepted', [{ text: 'thanks' }])).toEqual({
      kind: 'accepted',
      text: '1\ntwo\n',
      notes: [{ text: 'shorter', lines: { side: 'new', first: 0, count: 1 } }, { text: 'thanks' }],
    });
    proposal.edit('ONE\ntwo\n');
    expect([proposal.isEdited, proposal.hunks]).toEqual([false, [[0, 1, 0, 1]]]);
  });

  it('with both kinds of line ends is not edited by an editor that has one kind, and keeps both', () => {
    const proposal = new OpenProposal(wire({ oldText: 'a\r\nb\nc\n', newText: 'A\r\nb\nc\n' }));
    proposal.edit('A\nb\nc\n');
    expect(proposal.decision('accepted')).toEqual({ kind: 'accepted' });
    proposal.edit('A\nb\nC\n');
    expect(proposal.decision('accepted')).toEqual({ kind: 'accepted', text: 'A\r\nb\nC\n' });
  });

  it('keeps what was edited when a new revision comes, until it is merged', () => {
    const proposal = new OpenProposal(wire());
    proposal.edit('ONE\ntwo!\n');
    proposal.update(wire({ revision: 1, newText: 'zero\nONE\ntwo\n' }));
    expect([proposal.text, proposal.isBehind]).toEqual(['ONE\ntwo!\n', true]);
    expect(proposal.draft.before).toBe('ONE\ntwo\n');
    proposal.merge('zero\nONE\ntwo!\n');
    expect([proposal.text, proposal.isBehind, proposal.hasConflict]).toEqual(['zero\nONE\ntwo!\n', false, false]);
    proposal.update(wire({ revision: 2, newText: 'other\n' }));
    proposal.merge(undefined);
    expect([proposal.text, proposal.isBehind, proposal.hasConflict]).toEqual(['zero\nONE\ntwo!\n', false, true]);
  });

  it('comes back with the draft of an earlier window', () => {
    const first = new OpenProposal(wire());
    first.edit('mine\n');
    const second = new OpenProposal(wire({ revision: 1, newText: 'ONE\ntwo\nthree\n' }), first.draft);
    expect([second.text, second.isBehind]).toEqual(['mine\n', true]);
    expect(new OpenProposal(wire(), first.draft).isBehind).toBe(false);
  });
});

describe('the queue', () => {
  const set = (index: number) => ({ id: 's', title: 'rename', index, size: 2 });

  it('has the members of a set together, and knows when all are there', () => {
    const queue = new Proposals();
    const [one, two] = [new OpenProposal(wire({ id: '1', set: set(0) })), new OpenProposal(wire({ id: '2' }))];
    const three = new OpenProposal(wire({ id: '3', set: set(1) }));
    queue.add(one);
    queue.add(two);
    expect(queue.wholeSet(one)).toBeUndefined();
    queue.add(three);
    expect(queue.wholeSet(three)).toEqual([one, three]);
    expect(queue.groups().map(({ members }) => members.map(({ id }) => id))).toEqual([['1', '3'], ['2']]);
  });

  it('is gone through around its end', () => {
    const queue = new Proposals();
    for (const id of ['1', '2', '3']) queue.add(new OpenProposal(wire({ id })));
    expect(queue.beside('3', 1)?.id).toBe('1');
    expect(queue.beside('1', -1)?.id).toBe('3');
    expect(queue.beside(undefined, 1)?.id).toBe('1');
    expect(new Proposals().beside('1', 1)).toBeUndefined();
  });
});
