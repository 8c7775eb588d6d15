import { describe, expect, it } from 'vitest';
import { Desk, type DeskEvent } from './desk.ts';
import type { Proposal } from './editor.ts';

const OLD = 'a\nb\nc\nd\ne\n';
const NEW = 'A\nb\nc\nd\nE\n';

function proposal(id: string): Proposal {
  return { id, path: `/w/${id}`, title: id, oldText: OLD, newText: NEW, from: 'an agent' };
}

function setUp() {
  const desk = new Desk();
  const events: DeskEvent[] = [];
  desk.subscribe((event) => events.push(event));
  const request = new AbortController();
  const put = (id: string) => desk.review(proposal(id), { signal: request.signal });
  return { desk, events, request, put };
}

describe('Desk', () => {
  it.each([
    ['all of it', { kind: 'all' as const }, { kind: 'accepted', text: NEW }, { kind: 'accepted', how: 'whole' }],
    ['none of it', { kind: 'none' as const }, { kind: 'rejected' }, { kind: 'rejected' }],
    [
      'some hunks',
      { kind: 'some' as const, accepted: new Set([1]) },
      { kind: 'accepted', text: 'a\nb\nc\nd\nE\n' },
      { kind: 'accepted', how: 'changed' },
    ],
    [
      'an edited text',
      { kind: 'edited' as const, text: 'mine' },
      { kind: 'accepted', text: 'mine' },
      { kind: 'accepted', how: 'changed' },
    ],
    ['an edit that undoes it', { kind: 'edited' as const, text: OLD }, { kind: 'rejected' }, { kind: 'rejected' }],
  ])('a choice of %s becomes the decision', async (_what, choice, decision, ending) => {
    const { desk, events, put } = setUp();
    const decided = put('one');
    expect(desk.list().map(({ id }) => id)).toEqual(['one']);
    expect(desk.decide('one', choice)).toEqual({ kind: 'decided', ending });
    expect(await decided).toEqual(decision);
    expect(desk.list()).toEqual([]);
    expect(events).toEqual([
      { kind: 'came', proposal: proposal('one') },
      { kind: 'went', id: 'one', ending },
    ]);
  });

  it('is decided once; whoever comes later is told how', async () => {
    const { desk, put } = setUp();
    const decided = put('one');
    desk.decide('one', { kind: 'none' });
    expect(desk.decide('one', { kind: 'all' })).toEqual({ kind: 'ended', ending: { kind: 'rejected' } });
    expect(await decided).toEqual({ kind: 'rejected' });
    expect(desk.decide('other', { kind: 'all' })).toEqual({ kind: 'unknown' });
  });

  it('a proposal whose request ends is withdrawn, and rejects with the reason', async () => {
    const { desk, events, request, put } = setUp();
    const decided = put('one');
    request.abort(new Error('the agent left'));
    await expect(decided).rejects.toThrow('the agent left');
    const ending = { kind: 'withdrawn', why: 'the agent left' };
    expect(events.at(-1)).toEqual({ kind: 'went', id: 'one', ending });
    expect(desk.decide('one', { kind: 'all' })).toEqual({ kind: 'ended', ending });
  });

  it('a decided proposal is not withdrawn when its request ends later', async () => {
    const { desk, events, request, put } = setUp();
    const decided = put('one');
    desk.decide('one', { kind: 'all' });
    request.abort(new Error('the agent left'));
    await decided;
    expect(events).toHaveLength(2);
  });

  it('hunks that there are not leave it open', () => {
    const { desk, put } = setUp();
    void put('one');
    expect(() => desk.decide('one', { kind: 'some', accepted: new Set([2]) })).toThrow(
      'There is no hunk 2: there are 2',
    );
    expect(desk.list()).toHaveLength(1);
  });

  it('finds ids by their beginning, open ones first', () => {
    const { desk, put } = setUp();
    for (const id of ['abcd-1', 'abcd-2', 'abce-3']) void put(id);
    expect(desk.idsLike('abcd')).toEqual(['abcd-1', 'abcd-2']);
    desk.decide('abcd-1', { kind: 'none' });
    expect(desk.idsLike('abcd')).toEqual(['abcd-2']);
    expect(desk.idsLike('abcd-1')).toEqual(['abcd-1']);
    expect(desk.idsLike('nothing')).toEqual([]);
  });

  it('does not take more than a thousand at once', async () => {
    const { put } = setUp();
    for (let index = 0; index < 1000; index += 1) void put(`id ${index}`);
    await expect(put('one more')).rejects.toThrow('1000 proposals wait for a decision already');
  });
});
