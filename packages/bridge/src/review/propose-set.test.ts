import { expect, it } from 'vitest';
import { User } from '../../testing/user.ts';
import type { ProposedChange } from './proposal.ts';
import { proposeSet } from './propose-set.ts';
import { ReviewQueue } from './queue.ts';

const changes: ProposedChange[] = ['a', 'b', 'c'].map((name) => ({
  path: `/w/${name}.ts`,
  title: `${name}.ts`,
  oldText: `${name}\n`,
  newText: `${name}2\n`,
  agent: 'an agent',
}));

function proposed(maxOpen = 10) {
  const queue = new ReviewQueue({ maxOpen });
  const user = new User();
  queue.attach(user);
  const [owner, request] = [{}, new AbortController()];
  const outcomes = proposeSet(queue, changes, { title: 'Rename', owner, signal: request.signal });
  outcomes.catch(() => {});
  const shown = async () => {
    while (user.shown.length < changes.length) await user.next();
    return user.shown;
  };
  return { queue, user, owner, request, outcomes, shown };
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

it('a set resolves when all of its members are decided, each by itself and in any order', async () => {
  const { outcomes, shown, queue } = proposed();
  const [a, b, c] = await shown();
  let hasEnded = false;
  void outcomes.then(() => {
    hasEnded = true;
  });
  await c?.decide({ kind: 'accepted', text: 'mine\n' });
  await a?.decide({ kind: 'accepted', text: 'a2\n' });
  expect([hasEnded, queue.list().length]).toEqual([false, 1]);
  await b?.decide({ kind: 'rejected' });
  expect(await outcomes).toMatchObject([
    { kind: 'accepted', text: 'a2\n' },
    { kind: 'rejected' },
    { kind: 'accepted', text: 'mine\n' },
  ]);
});

it('a cancelled request withdraws the members that are open', async () => {
  const { outcomes, shown, request } = proposed();
  const [a, b] = await shown();
  await a?.decide({ kind: 'rejected' });
  request.abort();
  expect((await outcomes).map(({ kind }) => kind)).toEqual(['rejected', 'withdrawn', 'withdrawn']);
  expect(b?.signal.aborted).toBe(true);
});

it('an owner that has gone withdraws all members', async () => {
  const { outcomes, shown, queue, owner } = proposed();
  await shown();
  queue.removeOwner(owner, 'the agent disconnected');
  expect((await outcomes).map(({ kind }) => kind)).toEqual(['withdrawn', 'withdrawn', 'withdrawn']);
});

it('a set that does not fit into the queue is refused, and none of it stays open', async () => {
  const { outcomes, queue } = proposed(2);
  await expect(outcomes).rejects.toThrow('2 proposals are open already');
  expect(queue.list()).toEqual([]);
});
