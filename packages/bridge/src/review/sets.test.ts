import { expect, it } from 'vitest';
import { User } from '../../testing/user.ts';
import type { FileWrite } from './applier.ts';
import type { ProposedChange } from './proposal.ts';
import { ReviewQueue, type ReviewQueueOptions } from './queue.ts';

const changes: ProposedChange[] = ['a', 'b', 'c'].map((name) => ({
  path: `/w/${name}.ts`,
  title: `${name}.ts`,
  oldText: `${name}\n`,
  newText: `${name}2\n`,
  agent: 'an agent',
}));
const accepted = { kind: 'accepted' } as const;
const rejected = { kind: 'rejected' } as const;

function proposed(options: ReviewQueueOptions = {}) {
  const applied: (readonly FileWrite[])[] = [];
  const applier = {
    apply: async (writes: readonly FileWrite[]) => {
      applied.push(writes);
      return writes.map(({ text = '' }) => ({ accepted: text, saved: text }));
    },
  };
  const queue = new ReviewQueue({ applier, ...options });
  const user = new User();
  queue.attach(user);
  const [owner, request] = [{}, new AbortController()];
  const outcomes = queue.proposeSet(changes, { title: 'Rename', owner, signal: request.signal, writer: 'bridge' });
  outcomes.catch(() => {});
  const shown = async () => {
    while (user.shown.length < changes.length) await user.next();
    return user.shown;
  };
  return { queue, user, owner, request, outcomes, shown, applied };
}

it('the members of a set are shown in order, each with the title and its place', async () => {
  const { shown } = proposed();
  const members = (await shown()).map(({ proposal }) => proposal);
  expect(members.map(({ path }) => path)).toEqual(['/w/a.ts', '/w/b.ts', '/w/c.ts']);
  const [{ set }] = members as [(typeof members)[0]];
  expect(members.map((member) => member.set)).toEqual(
    [0, 1, 2].map((index) => ({ id: set?.id, title: 'Rename', index, size: 3 })),
  );
});

it('nothing is written before all members are decided, then what was accepted, at once', async () => {
  const { outcomes, shown, queue, applied } = proposed();
  const [a, b, c] = await shown();
  expect(await c?.decide({ kind: 'accepted', text: 'mine\n' })).toEqual({ kind: 'waiting', decided: 1, size: 3 });
  expect(c?.review.proposal.progress).toEqual({ kind: 'decided', decision: 'accepted', by: 'user' });
  expect(await a?.decide(accepted)).toEqual({ kind: 'waiting', decided: 2, size: 3 });
  expect([applied.length, queue.list().length, c?.signal.aborted]).toEqual([0, 3, false]);
  expect(await b?.decide(rejected)).toEqual({ kind: 'decided', outcome: { kind: 'rejected', by: 'user' } });
  expect(applied).toEqual([
    [
      { path: '/w/a.ts', expected: 'a\n', text: 'a2\n', lineEnds: 'kept' },
      { path: '/w/c.ts', expected: 'c\n', text: 'mine\n', lineEnds: 'kept' },
    ],
  ]);
  const written = { accepted: 'mine\n', saved: 'mine\n' };
  expect(await outcomes).toMatchObject([
    { kind: 'accepted', text: 'a2\n' },
    { kind: 'rejected' },
    { kind: 'accepted', text: 'mine\n', written },
  ]);
  expect(c?.signal.reason.outcome).toEqual({ kind: 'accepted', text: 'changed', writer: 'bridge', by: 'user' });
});

it('a decision on a member can be replaced until all are decided', async () => {
  const { outcomes, shown, applied } = proposed();
  const [a, b, c] = await shown();
  await a?.decide(accepted);
  expect(await a?.decide(rejected)).toEqual({ kind: 'waiting', decided: 1, size: 3 });
  await b?.decide(rejected);
  await c?.decide(rejected);
  expect((await outcomes).map(({ kind }) => kind)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(applied).toEqual([]);
});

it('a member whose file changes is undecided again', async () => {
  const { shown, queue } = proposed();
  const [a, b, c] = await shown();
  await a?.decide(accepted);
  queue.refresh(a?.proposal.id ?? '', 'other\n');
  expect(a?.review.proposal).not.toHaveProperty('progress');
  await b?.decide(rejected);
  expect(await c?.decide(rejected)).toMatchObject({ kind: 'waiting', decided: 2 });
});

it('a cancelled request withdraws all members, what was accepted too, and the user’s text is kept', async () => {
  const kept: string[] = [];
  const { outcomes, shown, request, applied } = proposed({
    kept: { keep: (path, text) => `/kept${path}:${kept.push(text)}`, release: () => {} },
  });
  const [a, b] = await shown();
  await a?.decide({ kind: 'accepted', text: 'mine\n' });
  await b?.decide(accepted);
  request.abort();
  const reason = 'its request was cancelled';
  expect(await outcomes).toEqual([
    { kind: 'withdrawn', reason: `${reason}; your version is kept in /kept/w/a.ts:1` },
    { kind: 'withdrawn', reason },
    { kind: 'withdrawn', reason },
  ]);
  expect([applied, kept]).toEqual([[], ['mine\n']]);
});

it('asking for changes of one member ends the set, and the agent gets the notes on all of it', async () => {
  const { outcomes, shown, applied } = proposed();
  const [a, b] = await shown();
  await a?.decide({ kind: 'rejected', notes: [{ text: 'not here' }] });
  await b?.decide({ kind: 'changesRequested', notes: [{ text: 'use another name' }] });
  expect(await outcomes).toMatchObject([
    { kind: 'changesRequested', notes: [{ text: 'not here' }] },
    { kind: 'changesRequested', notes: [{ text: 'use another name' }] },
    { kind: 'changesRequested', notes: [] },
  ]);
  expect(applied).toEqual([]);
});

it('an owner that has gone withdraws all members', async () => {
  const { outcomes, shown, queue, owner } = proposed();
  await shown();
  queue.removeOwner(owner, 'the agent disconnected');
  expect((await outcomes).map(({ kind }) => kind)).toEqual(['withdrawn', 'withdrawn', 'withdrawn']);
});

it('a set that does not fit into the queue is refused, and none of it stays open', async () => {
  const { outcomes, queue } = proposed({ maxOpen: 2 });
  await expect(outcomes).rejects.toThrow('0 proposals of all agents are open');
  expect(queue.list()).toEqual([]);
});
