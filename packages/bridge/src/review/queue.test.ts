import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { User } from '../../testing/user.ts';
import type { ReviewEvent } from './audience.ts';
import type { Decision, Outcome, ProposedChange } from './proposal.ts';
import { ReviewQueue } from './queue.ts';
import { type OpenReview, ReviewEnded } from './reviewer.ts';

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(async () => {
  await turn();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

const OLD = 'a\nb\nc\nd\ne\n';
const NEW = 'A\nb\nc\nd\nE\n';
const change: ProposedChange = { path: '/w/a.ts', title: 'a.ts', oldText: OLD, newText: NEW, agent: 'claude-code' };
const accepted: Decision = { kind: 'accepted', text: NEW };
const rejected: Decision = { kind: 'rejected' };

/** Lets pending microtasks and immediates run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface Proposed {
  readonly outcome: Promise<Outcome>;
  /** How the outcome settled, once for each time that it did. */
  readonly settled: string[];
  /** Undefined if it was never shown. */
  readonly review: () => OpenReview | undefined;
  readonly decide: (decision: Decision) => void;
  readonly cancel: () => void;
}

class Setup {
  readonly problems: Error[] = [];
  readonly queue = new ReviewQueue({ onProblem: (problem) => this.problems.push(problem) });
  readonly events: ReviewEvent[] = [];
  readonly #reviews = new Map<string, OpenReview>();
  #count = 0;

  constructor() {
    this.queue.attach({ name: 'test', show: (review) => void this.#reviews.set(review.proposal.path, review) });
    this.queue.subscribe((event) => this.events.push(event));
  }

  propose(owner: object = {}, name?: string, signal?: AbortSignal): Proposed {
    const request = new AbortController();
    this.#count += 1;
    const path = `/w/${this.#count}`;
    const outcome = this.queue.propose({ ...change, path }, { owner, name, signal: signal ?? request.signal });
    const settled: string[] = [];
    outcome.then(
      ({ kind }) => settled.push(kind),
      () => settled.push('failed'),
    );
    const review = () => this.#reviews.get(path);
    return {
      outcome,
      settled,
      review,
      decide: (decision) => void review()?.decide(decision, 0),
      cancel: () => request.abort(),
    };
  }

  async shown(owner: object = {}, name?: string, signal?: AbortSignal): Promise<Proposed & { opened: OpenReview }> {
    const proposed = this.propose(owner, name, signal);
    await turn();
    return { ...proposed, opened: proposed.review() as OpenReview };
  }
}

describe('a proposal', () => {
  it.each([
    ['accepted', accepted, { kind: 'accepted', text: NEW }, 'as proposed'],
    ['accepted without its text', { kind: 'accepted' }, { kind: 'accepted', text: NEW }, 'as proposed'],
    ['accepted in part', { kind: 'accepted', hunks: [1] }, { kind: 'accepted', text: 'a\nb\nc\nd\nE\n' }, 'changed'],
    ['accepted with another text', { kind: 'accepted', text: 'mine' }, { kind: 'accepted', text: 'mine' }, 'changed'],
    ['rejected', rejected, { kind: 'rejected' }, undefined],
    ['rejected if what is accepted changes nothing', { kind: 'accepted', text: OLD }, { kind: 'rejected' }, undefined],
    ['rejected if no hunk is accepted', { kind: 'accepted', hunks: [] }, { kind: 'rejected' }, undefined],
    ['returned for changes', { kind: 'changesRequested' }, { kind: 'changesRequested' }, undefined],
  ] as const)('is %s by one decision', async (_how, decision, outcome, text) => {
    const setup = new Setup();
    const { outcome: answer, opened } = await setup.shown();
    const { proposal } = opened;
    const writer = 'agent';
    const summary =
      text === undefined ? { kind: outcome.kind, by: 'test' } : { kind: 'accepted', text, writer, by: 'test' };
    expect(setup.queue.list()).toEqual([proposal]);
    expect(await opened.decide(decision, 0)).toEqual({ kind: 'decided', outcome: summary });
    const ended = { ...outcome, proposal, notes: [] };
    expect(await answer).toEqual(ended);
    expect(setup.queue.list()).toEqual([]);
    expect(opened.signal.reason).toBeInstanceOf(ReviewEnded);
    expect(opened.signal.reason.outcome).toEqual(summary);
    expect(setup.events).toEqual([
      { kind: 'added', proposal },
      { kind: 'removed', proposal, outcome: summary, ended },
    ]);
  });

  it('of which a hunk is accepted that it does not have stays open', async () => {
    const { queue, shown } = bound(new Setup());
    const { opened } = await shown();
    const reason = 'There is no hunk 3; the change has 2';
    expect(await opened.decide({ kind: 'accepted', hunks: [2] }, 0)).toEqual({ kind: 'failed', reason });
    expect(queue.list()).toHaveLength(1);
  });

  it('is decided once, and a late caller gets the outcome that won', async () => {
    const { queue, shown } = bound(new Setup());
    const { outcome, opened } = await shown();
    await opened.decide(rejected, 0);
    const { id } = opened.proposal;
    const ended = { kind: 'ended', outcome: { kind: 'rejected', by: 'test' } };
    expect(await queue.decide(id, accepted, 0, 'another')).toEqual(ended);
    expect(await outcome).toMatchObject(rejected);
    expect(await queue.decide('another', accepted, 0, 'another')).toEqual({ kind: 'unknown' });
  });

  it('is withdrawn by the name its owner gave it, and the signal carries the reason', async () => {
    const { queue, shown } = bound(new Setup());
    const owner = {};
    const { outcome, opened } = await shown(owner, 'a');
    expect(queue.withdraw({}, 'a', 'not yours')).toBe(false);
    expect(queue.withdraw(owner, 'a', 'the agent closed it')).toBe(true);
    expect(await outcome).toEqual({ kind: 'withdrawn', reason: 'the agent closed it', isClosedByAgent: true });
    expect(opened.signal.reason.message).toBe('Withdrawn: the agent closed it');
    expect(queue.withdraw(owner, 'a', 'again')).toBe(false);
  });

  it('is withdrawn when its request is cancelled, alone', async () => {
    const { queue, shown } = bound(new Setup());
    const owner = {};
    const first = await shown(owner, 'a');
    const second = await shown(owner, 'b');
    first.cancel();
    expect(await first.outcome).toMatchObject({ kind: 'withdrawn' });
    expect([first.opened.signal.aborted, second.opened.signal.aborted]).toEqual([true, false]);
    expect(queue.list()).toHaveLength(1);
  });

  it('is withdrawn by name while its file is still being read, and never shown', async () => {
    const [setup, owner] = [new Setup(), {}];
    let read: (loaded: ProposedChange) => void = () => {};
    const loading = new Promise<ProposedChange>((resolve) => {
      read = resolve;
    });
    const { signal } = new AbortController();
    const outcome = setup.queue.propose(loading, { owner, name: 'a', signal });
    expect(setup.queue.withdraw(owner, 'a', 'the agent closed it')).toBe(true);
    read(change);
    expect(await outcome).toMatchObject({ kind: 'withdrawn' });
    await turn();
    expect(setup.events).toEqual([]);
  });

  it('rejects if its file cannot be read, and is gone', async () => {
    const { queue, events } = new Setup();
    const { signal } = new AbortController();
    const outcome = queue.propose(Promise.reject(new Error('Denied')), { owner: {}, signal });
    await expect(outcome).rejects.toThrow('Denied');
    expect([queue.list(), events]).toEqual([[], []]);
  });

  it('of a cancelled request or a removed owner is never shown', async () => {
    const [setup, owner] = [new Setup(), {}];
    setup.queue.removeOwner(owner, 'the agent disconnected');
    for (const proposed of [setup.propose({}, 'a', AbortSignal.abort()), setup.propose(owner, 'a')]) {
      expect(await proposed.outcome).toMatchObject({ kind: 'withdrawn' });
      await turn();
      expect(proposed.review()).toBeUndefined();
    }
    const unread = setup.queue.propose(Promise.reject(new Error('No file')), { owner, signal: AbortSignal.abort() });
    expect(await unread).toMatchObject({ kind: 'withdrawn' });
  });

  it('replaces another of the same name and owner, and no one else’s', async () => {
    const { queue, shown } = bound(new Setup());
    const owner = {};
    const [first, foreign] = [await shown(owner, 'a'), await shown({}, 'a')];
    const second = await shown(owner, 'a');
    expect(await first.outcome).toEqual({ kind: 'withdrawn', reason: 'the agent replaced it' });
    expect(first.opened.signal.aborted).toBe(true);
    expect(queue.list()).toHaveLength(2);
    for (const each of [second, foreign]) {
      await each.opened.decide(rejected, 0);
      expect(await each.outcome).toMatchObject(rejected);
    }
  });

  it('without a name does not replace others without a name', async () => {
    const { queue, shown } = bound(new Setup());
    const owner = {};
    await shown(owner);
    await shown(owner);
    expect(queue.withdrawAll(owner, 'all')).toBe(2);
  });

  it('has the agent’s name, with a number when another agent of that name has proposed', async () => {
    const { queue, shown } = bound(new Setup());
    const [first, second, third] = [{}, {}, {}];
    for (const owner of [first, second, first]) await shown(owner);
    expect(queue.list().map(({ agent }) => agent)).toEqual(['claude-code', 'claude-code 2', 'claude-code']);
    queue.removeOwner(first, 'the agent disconnected');
    await shown(third);
    expect(queue.list().map(({ agent }) => agent)).toEqual(['claude-code 2', 'claude-code']);
  });

  it('leaves no listener on its request', async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners.add(args[1]);
      addEventListener.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners.delete(args[1]);
      removeEventListener.apply(signal, args);
    };
    const { opened } = await new Setup().shown({}, 'a', signal);
    expect(listeners.size).toBe(1);
    await opened.decide(accepted, 0);
    expect(listeners.size).toBe(0);
  });

  it('is found by the start of its id, open ones first', async () => {
    const { queue, shown } = bound(new Setup());
    const { opened } = await shown();
    const { id } = opened.proposal;
    expect(queue.idsStartingWith(id.slice(0, 8))).toEqual([id]);
    await opened.decide(rejected, 0);
    expect(queue.idsStartingWith(id.slice(0, 8))).toEqual([id]);
    expect(queue.idsStartingWith('nothing')).toEqual([]);
  });
});

describe('when the file changes under a proposal', () => {
  it('both changes are merged, the revision grows, and an acceptance of the old one is refused', async () => {
    const { queue, events, shown } = bound(new Setup());
    const { outcome, opened } = await shown();
    let refreshed = 0;
    opened.onRefresh(() => {
      refreshed += 1;
    });
    const { id } = opened.proposal;
    queue.refresh(id, 'a\nb\nC\nd\ne\n');
    expect(opened.proposal).toMatchObject({
      id,
      oldText: 'a\nb\nC\nd\ne\n',
      newText: 'A\nb\nC\nd\nE\n',
      revision: 1,
      base: 'merged',
    });
    expect(refreshed).toBe(1);
    expect(events.at(-1)).toEqual({ kind: 'refreshed', proposal: opened.proposal });
    expect(await opened.decide(accepted, 0)).toEqual({ kind: 'stale', revision: 1 });
    expect(await opened.decide({ kind: 'accepted', text: opened.proposal.newText }, 1)).toMatchObject({
      kind: 'decided',
    });
    const { proposal } = opened;
    expect(await outcome).toMatchObject({ kind: 'accepted', text: 'A\nb\nC\nd\nE\n', proposal });
  });

  it('a conflict keeps the text of the agent, and a file that is changed back ends the conflict', async () => {
    const { queue, shown } = bound(new Setup());
    const { opened } = await shown();
    const { id } = opened.proposal;
    queue.refresh(id, 'other\nb\nc\nd\ne\n');
    expect(opened.proposal).toMatchObject({ newText: NEW, revision: 1, base: 'conflict' });
    queue.refresh(id, undefined);
    expect(opened.proposal).toMatchObject({ oldText: undefined, newText: NEW, revision: 2, base: 'conflict' });
    queue.refresh(id, OLD);
    expect(opened.proposal).toMatchObject({ oldText: OLD, newText: NEW, revision: 3, base: 'original' });
  });

  it('nothing happens if the text is the same, and a rejection is never stale', async () => {
    const { queue, shown } = bound(new Setup());
    const { outcome, opened } = await shown();
    queue.refresh(opened.proposal.id, OLD);
    expect(opened.proposal.revision).toBe(0);
    queue.refresh(opened.proposal.id, 'other');
    expect(await opened.decide(rejected, 0)).toMatchObject({ kind: 'decided' });
    expect(await outcome).toMatchObject(rejected);
  });
});

describe('several reviewers', () => {
  it('see each proposal, the first decision wins, and the signals of the others abort', async () => {
    const [queue, one, other] = [new ReviewQueue(), new User(), new User()];
    queue.attach(one);
    const outcome = queue.propose(change, { owner: {}, signal: new AbortController().signal });
    await turn();
    queue.attach(other);
    const [first, second] = [one.shown[0], other.shown[0]];
    expect(second?.proposal).toBe(first?.proposal);
    await second?.decide(accepted);
    expect(await first?.decide(rejected)).toEqual({
      kind: 'ended',
      outcome: { kind: 'accepted', text: 'as proposed', writer: 'agent', by: 'user' },
    });
    expect(await outcome).toMatchObject(accepted);
    expect([first?.signal.aborted, second?.signal.aborted]).toEqual([true, true]);
  });

  it('one that is detached sees its proposals go; they stay open for the others', async () => {
    const [queue, one, other] = [new ReviewQueue(), new User(), new User()];
    const detach = queue.attach(one);
    queue.attach(other);
    const outcome = queue.propose(change, { owner: {}, signal: new AbortController().signal });
    await turn();
    detach();
    detach();
    expect([one.shown[0]?.signal.aborted, other.shown[0]?.signal.aborted]).toEqual([true, false]);
    await other.shown[0]?.decide(rejected);
    expect(await outcome).toMatchObject(rejected);
    void queue.propose(change, { owner: {}, signal: new AbortController().signal });
    await turn();
    expect([one.shown.length, other.shown.length]).toEqual([1, 2]);
  });

  it('one that throws is detached and reported, and the proposal stays open', async () => {
    const { queue, problems, shown } = bound(new Setup());
    let calls = 0;
    queue.attach({
      name: 'broken',
      show: () => {
        calls += 1;
        throw new Error('no window');
      },
    });
    const { outcome, opened } = await shown();
    await shown();
    expect(calls).toBe(1);
    expect(problems.map(({ message }) => message)).toEqual(['The reviewer broken failed and was detached: no window']);
    await opened.decide(accepted, 0);
    expect(await outcome).toMatchObject(accepted);
  });

  it('one that cannot show a proposal reports it and stays attached', async () => {
    const { problems, shown } = bound(new Setup());
    (await shown()).opened.fail(new Error('no room'));
    expect(problems.map(({ message }) => message)).toEqual(["test can't show /w/1: no room"]);
    expect((await shown()).opened).toBeDefined();
  });
});

it('a listener that throws is reported and loses no answer', async () => {
  const { queue, problems, shown } = bound(new Setup());
  queue.subscribe(() => {
    throw new Error('a bad listener');
  });
  const { outcome, opened } = await shown();
  expect(await opened.decide(accepted, 0)).toMatchObject({ kind: 'decided' });
  expect(await outcome).toMatchObject(accepted);
  expect(problems.map(({ message }) => message)).toEqual([
    'A listener failed on added: a bad listener',
    'A listener failed on removed: a bad listener',
  ]);
});

it('failing rejects what is open with the error, and reviewers see it go', async () => {
  const { queue, shown } = bound(new Setup());
  const { outcome, opened } = await shown();
  const failed = expect(outcome).rejects.toThrow('the editor has gone');
  queue.fail(new Error('the editor has gone'));
  await failed;
  expect(opened.signal.reason.outcome).toEqual({ kind: 'withdrawn', reason: 'the editor has gone' });
  expect(queue.list()).toEqual([]);
});

it('closing withdraws everything', async () => {
  const { queue, shown } = bound(new Setup());
  const { outcome, opened } = await shown();
  await queue.close('the bridge ended');
  expect(await outcome).toEqual({ kind: 'withdrawn', reason: 'the bridge ended' });
  expect(opened.signal.aborted).toBe(true);
});

describe('inside the listener of an aborted signal', () => {
  it('the owner can be removed: the proposal that replaced the aborted one is never shown', async () => {
    const { queue, shown, propose } = bound(new Setup());
    const owner = {};
    const first = await shown(owner, 'a');
    first.opened.signal.addEventListener('abort', () => queue.removeOwner(owner, 'left'));
    const second = propose(owner, 'a');
    expect(await second.outcome).toMatchObject({ kind: 'withdrawn' });
    await turn();
    expect(second.review()).toBeUndefined();
  });

  it('another can be withdrawn: withdrawAll counts only what it withdrew itself', async () => {
    const { queue, shown } = bound(new Setup());
    const owner = {};
    const first = await shown(owner, 'a');
    const second = await shown(owner, 'b');
    first.opened.signal.addEventListener('abort', () => queue.withdraw(owner, 'b', 'by the listener'));
    expect(queue.withdrawAll(owner, 'all')).toBe(1);
    expect(await second.outcome).toMatchObject({ kind: 'withdrawn', reason: 'by the listener' });
  });

  it('one of the same name can be proposed: one of that name remains', async () => {
    const { queue, shown, propose } = bound(new Setup());
    const owner = {};
    const first = await shown(owner, 'a');
    let third: Proposed | undefined;
    first.opened.signal.addEventListener('abort', () => {
      third = propose(owner, 'a');
    });
    const second = propose(owner, 'a');
    expect(await second.outcome).toMatchObject({ kind: 'withdrawn' });
    await turn();
    expect(queue.list()).toHaveLength(1);
    third?.decide(accepted);
    expect(await third?.outcome).toMatchObject(accepted);
  });
});

type Step =
  | { readonly kind: 'open' | 'withdraw'; readonly owner: number; readonly name: number }
  | { readonly kind: 'withdrawAll' | 'removeOwner'; readonly owner: number }
  | { readonly kind: 'decide' | 'cancel'; readonly proposed: number }
  | { readonly kind: 'turn' };

const owner = fc.nat(4);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('open' as const), owner, name: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), owner, name: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('withdrawAll' as const, 'removeOwner' as const), owner }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('decide' as const, 'cancel' as const), proposed: fc.nat(30) }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'turn' as const }) },
);

interface Modelled {
  readonly owner: number;
  readonly name: number;
  readonly proposed: Proposed;
  expected: string | undefined;
}

describe('the order of proposals', () => {
  it('a proposal says when it was proposed, although another one was read faster', async () => {
    const [queue, owner, { signal }] = [new ReviewQueue(), {}, new AbortController()];
    const shown: [string, number][] = [];
    queue.attach({ name: 'test', show: ({ proposal }) => void shown.push([proposal.path, proposal.arrival]) });
    let read: (slow: ProposedChange) => void = () => {};
    const slow = new Promise<ProposedChange>((resolve) => {
      read = resolve;
    });
    void queue.propose(slow, { owner, signal });
    void queue.propose({ ...change, path: '/w/fast' }, { owner, signal });
    await turn();
    read({ ...change, path: '/w/slow' });
    await turn();
    expect(shown).toEqual([
      ['/w/fast', 1],
      ['/w/slow', 0],
    ]);
    expect(queue.list().map(({ path }) => path)).toEqual(['/w/slow', '/w/fast']);
  });
});

describe('five owners in any order', () => {
  it('each proposal ends once, as its own owner, request or user ended it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const setup = new Setup();
        const owners = [{}, {}, {}, {}, {}] as const;
        const all: Modelled[] = [];
        const removed = new Set<number>();
        const open = () => all.filter((each) => each.expected === undefined);
        const withdrawn = (each: Modelled) => {
          each.expected = 'withdrawn';
        };
        for (const next of steps) {
          if (next.kind === 'turn') await turn();
          else if ('proposed' in next) {
            const target = all[next.proposed];
            if (target === undefined) continue;
            if (next.kind === 'cancel') {
              target.proposed.cancel();
              target.expected ??= 'withdrawn';
            } else if (target.proposed.review() !== undefined) {
              target.proposed.decide(accepted);
              target.expected ??= 'accepted';
            }
          } else {
            const given = owners[next.owner] ?? {};
            const own = open().filter((each) => each.owner === next.owner);
            const twin = 'name' in next ? own.find(({ name }) => name === next.name) : undefined;
            if (next.kind === 'open') {
              if (twin !== undefined) withdrawn(twin);
              const proposed = setup.propose(given, `name ${next.name}`);
              all.push({ ...next, proposed, expected: removed.has(next.owner) ? 'withdrawn' : undefined });
            } else if (next.kind === 'withdraw') {
              expect(setup.queue.withdraw(given, `name ${next.name}`, 'closed')).toBe(twin !== undefined);
              if (twin !== undefined) withdrawn(twin);
            } else {
              if (next.kind === 'withdrawAll') expect(setup.queue.withdrawAll(given, 'all')).toBe(own.length);
              else setup.queue.removeOwner(given, 'left');
              if (next.kind === 'removeOwner') removed.add(next.owner);
              own.forEach(withdrawn);
            }
          }
        }
        await turn();
        for (const { proposed, expected } of all) {
          expect(proposed.settled).toEqual(expected === undefined ? [] : [expected]);
          expect(proposed.review()?.signal.aborted ?? true).toBe(expected !== undefined);
        }
        expect(setup.queue.list()).toHaveLength(open().length);
        for (const each of owners) setup.queue.removeOwner(each, 'left');
        await turn();
        expect(setup.queue.list()).toEqual([]);
        expect(all.every(({ proposed }) => proposed.settled.length === 1)).toBe(true);
        expect(setup.problems).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

function bound(setup: Setup) {
  const { queue, events, problems } = setup;
  return { queue, events, problems, shown: setup.shown.bind(setup), propose: setup.propose.bind(setup) };
}
