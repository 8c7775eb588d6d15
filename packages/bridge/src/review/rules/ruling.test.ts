import { describe, expect, it } from 'vitest';
import type { ProposedChange } from '../proposal.ts';
import { ReviewQueue } from '../queue.ts';
import type { OpenReview } from '../reviewer.ts';
import { parseRules } from './rules.ts';
import { Rulings } from './ruling.ts';

const RULES = 'refuse *.lock\naccept docs/**\nask secret/**\n';
const CHANGE: ProposedChange = { path: '/w/docs/a.md', title: 'a', agent: 'x', oldText: 'a\n', newText: 'b\n' };

function start(text: () => string = () => RULES) {
  const problems: string[] = [];
  const shown: OpenReview[] = [];
  const events: string[] = [];
  const rulings = new Rulings({
    rules: () => parseRules(text(), '/home/me'),
    folders: () => ['/w'],
    onProblem: ({ message }) => problems.push(message),
  });
  const written: unknown[] = [];
  const queue = new ReviewQueue({
    ruling: (proposal) => rulings.on(proposal),
    applier: {
      apply: async (writes) => {
        written.push(...writes.map(({ path, text }) => [path, text]));
        return writes.map(({ text = '' }) => ({ accepted: text, saved: text }));
      },
    },
  });
  queue.attach({ name: 'user', show: (review) => shown.push(review) });
  queue.subscribe(({ kind, ...event }) => {
    events.push(
      kind === 'removed' && 'outcome' in event
        ? `${event.outcome.kind} by ${'by' in event.outcome ? event.outcome.by : ''}`
        : kind,
    );
  });
  const options = { owner: {}, signal: new AbortController().signal };
  const propose = (change: Partial<ProposedChange> = {}) => queue.propose({ ...CHANGE, ...change }, options);
  return { problems, shown, events, rulings, queue, options, propose, written };
}

describe('a change that a rule is about', () => {
  it('is accepted without being shown, and its end names the rule', async () => {
    const { propose, shown, events, rulings } = start();
    expect(await propose()).toMatchObject({ kind: 'accepted', text: 'b\n' });
    expect([shown, events]).toEqual([[], ['added', 'accepted by rule accept docs/**']]);
    expect(rulings.last).toEqual({
      count: 1,
      path: '/w/docs/a.md',
      agent: 'x',
      decision: 'accepted',
      by: 'rule accept docs/**',
    });
  });

  it('is refused with the rule as the reason', async () => {
    const { propose, shown } = start();
    const outcome = await propose({ path: '/w/yarn.lock' });
    expect(outcome).toMatchObject({ kind: 'rejected', notes: [{ text: expect.stringContaining('"refuse *.lock"') }] });
    expect(shown).toEqual([]);
  });

  it('is written by the bridge if the agent does not', async () => {
    const { queue, options, written } = start();
    await queue.propose(CHANGE, { ...options, writer: 'bridge' });
    expect(written).toEqual([['/w/docs/a.md', 'b\n']]);
  });

  it.each([
    ['that no rule is about', { path: '/w/src/a.ts' }],
    ['that a rule asks about', { path: '/w/secret/a' }],
    ['outside of the workspace', { path: '/docs/a.md' }],
    ['that deletes the file', { newText: '', effect: 'delete' }],
    ['that moves the file', { oldPath: '/w/src/a.ts' }],
    ['that is a command', { path: '/w/docs', oldText: undefined, newText: 'rm -r .', effect: 'command' }],
    ['that was made unasked', { effect: 'noticed' }],
    ['that takes one back', { agent: 'hawser undo' }],
  ] as const)('is asked about if it is one %s', async (_what, change) => {
    const { propose, shown, rulings } = start();
    void propose(change);
    await new Promise((resolve) => setImmediate(resolve));
    expect([shown.length, rulings.last]).toEqual([1, undefined]);
  });
});

it('what was deleted unasked is not brought back by a rule that refuses', async () => {
  const { propose, shown } = start();
  void propose({ path: '/w/yarn.lock', effect: 'noticedDelete', newText: '' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(shown).toHaveLength(1);
});

it('of a set the user decides what no rule does, and sees what one has decided', async () => {
  const { queue, options, shown } = start();
  const changes = ['docs/a.md', 'yarn.lock', 'src/a.ts'].map((name) => ({ ...CHANGE, path: `/w/${name}` }));
  const outcomes = queue.proposeSet(changes, { ...options, title: 'All' });
  await new Promise((resolve) => setImmediate(resolve));
  const progress = () =>
    shown.map(({ proposal }) => (proposal.progress?.kind === 'decided' ? proposal.progress : undefined));
  expect(progress()).toEqual([
    { kind: 'decided', decision: 'accepted', by: 'rule accept docs/**' },
    { kind: 'decided', decision: 'rejected', by: 'rule refuse *.lock' },
    undefined,
  ]);
  // Its file changes: the rule decides anew.
  queue.refresh(shown[0]?.proposal.id ?? '', 'a\nmore\n');
  expect(progress()[0]).toBeUndefined();
  expect(shown[0]?.proposal.base).toBe('conflict');
  await shown[0]?.decide({ kind: 'rejected' }, 1);
  await shown[2]?.decide({ kind: 'accepted' }, 0);
  expect((await outcomes).map(({ kind }) => kind)).toEqual(['rejected', 'rejected', 'accepted']);
});

it('rules that can not be read decide nothing, and that is said once', async () => {
  let text = 'acept docs/';
  const { propose, shown, problems } = start(() => text);
  void propose();
  void propose({ path: '/w/docs/b.md' });
  await new Promise((resolve) => setImmediate(resolve));
  expect([shown.length, problems]).toEqual([2, ['No rule is followed: Line 1: "acept" is not accept, refuse or ask']]);
  text = RULES;
  expect(await propose({ path: '/w/docs/c.md' })).toMatchObject({ kind: 'accepted' });
});
