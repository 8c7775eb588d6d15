import { describe, expect, it } from 'vitest';
import { User } from '../../testing/user.ts';
import type { FileWrite } from './applier.ts';
import type { ProposedChange, Written } from './proposal.ts';
import { ReviewQueue } from './queue.ts';

const change: ProposedChange = { path: '/w/a.ts', title: 'a', oldText: 'old\n', newText: 'new\n', agent: 'an agent' };
const accepted = { kind: 'accepted' } as const;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose writes end when the test says so. */
function setUp() {
  const writes: { readonly write: FileWrite; done(): void; fail(message: string): void }[] = [];
  const kept = new Map<string, string>();
  const handedOver: (readonly [string, string | undefined])[] = [];
  const queue = new ReviewQueue({
    applier: {
      apply: (given) =>
        new Promise<readonly Written[]>((resolve, reject) => {
          const [write] = given as [FileWrite];
          const text = write.text ?? '';
          writes.push({
            write,
            done: () => resolve([{ accepted: text, saved: text }]),
            fail: (message) => reject(new Error(message)),
          });
        }),
    },
    kept: {
      keep: (path, text) => {
        const file = kept.has(`/kept${path}`) ? `/kept${path}.${kept.size}` : `/kept${path}`;
        kept.set(file, text);
        return file;
      },
      release: (file) => void kept.delete(file),
    },
    onHandover: ({ text }, file) => handedOver.push([text, file]),
  });
  const [one, other] = [new User(), new User()];
  queue.attach(one);
  queue.attach(other);
  const request = new AbortController();
  const owner = {};
  const propose = async (given: Partial<ProposedChange> = {}, writer: 'agent' | 'bridge' = 'bridge') => {
    const outcome = queue.propose({ ...change, ...given }, { owner, signal: request.signal, writer });
    await turn();
    const [here, there] = [one.shown.at(-1), other.shown.at(-1)];
    if (here === undefined || there === undefined) throw new Error('It is not shown');
    return { outcome, here, there };
  };
  return { queue, writes, kept, handedOver, request, owner, propose };
}

describe('what the bridge writes', () => {
  it('ends the proposal when it is written, and not before', async () => {
    const { propose, writes, queue } = setUp();
    const { outcome, here, there } = await propose();
    const decided = here.decide(accepted);
    await turn();
    expect(there.review.proposal.progress).toEqual({ kind: 'applying', by: 'user' });
    expect([queue.list().length, there.signal.aborted]).toEqual([1, false]);
    expect(writes[0]?.write).toEqual({ path: '/w/a.ts', expected: 'old\n', text: 'new\n', lineEnds: 'kept' });
    writes[0]?.done();
    const summary = { kind: 'accepted', text: 'as proposed', writer: 'bridge', by: 'user' };
    expect(await decided).toEqual({ kind: 'decided', outcome: summary });
    expect(await outcome).toMatchObject({ kind: 'accepted', written: { accepted: 'new\n', saved: 'new\n' } });
    expect(there.signal.reason.outcome).toEqual(summary);
  });

  it('and can’t be written leaves it open everywhere, with the reason and the user’s text', async () => {
    const { propose, writes, kept } = setUp();
    const { outcome, here, there } = await propose();
    const decided = here.decide({ kind: 'accepted', text: 'mine\n' });
    await turn();
    expect([...kept]).toEqual([['/kept/w/a.ts', 'mine\n']]);
    writes[0]?.fail('The disk is full');
    const reason = 'The disk is full. Your version is kept in /kept/w/a.ts';
    expect(await decided).toEqual({ kind: 'failed', reason });
    for (const { review, signal } of [here, there]) {
      expect(review.proposal.progress).toEqual({ kind: 'failed', reason, text: 'mine\n' });
      expect(signal.aborted).toBe(false);
    }
    const again = there.decide({ kind: 'accepted', text: 'mine\n' });
    await turn();
    writes[1]?.done();
    expect(await again).toMatchObject({ kind: 'decided' });
    expect(await outcome).toMatchObject({ kind: 'accepted', text: 'mine\n' });
    expect([...kept]).toEqual([]);
  });

  it('and can’t be written leaves the user’s text in its file, whatever they decide then', async () => {
    const { propose, writes, kept } = setUp();
    for (const [index, decision] of [accepted, { kind: 'rejected' } as const].entries()) {
      kept.clear();
      const { here } = await propose();
      const failing = here.decide({ kind: 'accepted', text: 'mine\n' });
      await turn();
      writes[2 * index]?.fail('The disk is full');
      await failing;
      const decided = here.decide(decision);
      await turn();
      writes[2 * index + 1]?.done();
      expect(await decided).toMatchObject({ kind: 'decided' });
      expect([...kept.values()]).toEqual(['mine\n']);
    }
  });

  it.each(['rejected', 'changesRequested'] as const)(
    'and is %s with a text of the user keeps that text',
    async (kind) => {
      const { propose, kept } = setUp();
      const { here, there } = await propose();
      const outcome = { kind, by: 'user', kept: '/kept/w/a.ts' };
      expect(await here.decide({ kind, text: 'mine\n' })).toEqual({ kind: 'decided', outcome });
      expect(there.signal.reason.outcome).toEqual(outcome);
      expect([...kept.values()]).toEqual(['mine\n']);
      const { here: again } = await propose();
      expect(await again.decide({ kind, text: 'new\n' })).toEqual({ kind: 'decided', outcome: { kind, by: 'user' } });
    },
  );

  it('is written although its request is cancelled meanwhile', async () => {
    const { propose, writes, request } = setUp();
    const { outcome, here } = await propose();
    const decided = here.decide(accepted);
    await turn();
    request.abort();
    writes[0]?.done();
    expect(await decided).toMatchObject({ kind: 'decided' });
    expect(await outcome).toMatchObject({ kind: 'accepted' });
  });

  it('and fails after its request was cancelled is withdrawn, and the user’s text is kept', async () => {
    const { propose, writes, queue, owner, kept } = setUp();
    const { outcome, here } = await propose();
    const decided = here.decide({ kind: 'accepted', text: 'mine\n' });
    await turn();
    queue.removeOwner(owner, 'the agent disconnected');
    writes[0]?.fail('Read-only');
    const reason = 'the agent disconnected; your version is kept in /kept/w/a.ts';
    expect(await outcome).toEqual({ kind: 'withdrawn', reason });
    expect(await decided).toMatchObject({ kind: 'decided', outcome: { kind: 'withdrawn' } });
    expect([...kept.values()]).toEqual(['mine\n']);
  });

  it('makes a later decision wait: it gets the outcome that won, or counts if that failed', async () => {
    const { propose, writes } = setUp();
    const first = await propose();
    const [winner, loser] = [first.here.decide(accepted), first.there.decide({ kind: 'rejected' })];
    await turn();
    writes[0]?.done();
    expect(await winner).toMatchObject({ kind: 'decided' });
    expect(await loser).toMatchObject({ kind: 'ended', outcome: { kind: 'accepted' } });
    const second = await propose();
    const [failing, rejecting] = [second.here.decide(accepted), second.there.decide({ kind: 'rejected' })];
    await turn();
    writes[1]?.fail('no');
    expect(await failing).toMatchObject({ kind: 'failed' });
    expect(await rejecting).toMatchObject({ kind: 'decided', outcome: { kind: 'rejected' } });
  });

  it('is finished before the queue closes', async () => {
    const { propose, writes, queue } = setUp();
    const { outcome, here } = await propose();
    void here.decide(accepted);
    await turn();
    const closed = queue.close('the bridge ended');
    writes[0]?.done();
    await closed;
    expect(await outcome).toMatchObject({ kind: 'accepted' });
  });

  it('is the deletion of a file, unless the user keeps some of it', async () => {
    const { propose, writes } = setUp();
    const first = await propose({ effect: 'delete', newText: '' });
    void first.here.decide(accepted);
    await turn();
    expect(writes[0]?.write).toMatchObject({ expected: 'old\n', text: undefined });
    const second = await propose({ effect: 'delete', newText: '', path: '/w/b.ts' });
    void second.here.decide({ kind: 'accepted', text: 'rest\n' });
    await turn();
    expect(writes[1]?.write).toMatchObject({ text: 'rest\n' });
  });
});

describe('what an agent wrote unasked', () => {
  const noticed = { effect: 'noticed' } as const;

  it('stays if it is accepted, and nothing is written', async () => {
    const { propose, writes } = setUp();
    const { outcome, here } = await propose(noticed);
    expect(await here.decide(accepted)).toMatchObject({ kind: 'decided' });
    expect(await outcome).toMatchObject({ kind: 'accepted' });
    expect(writes).toEqual([]);
  });

  it('is taken back if it is rejected, and by hunk', async () => {
    const { propose, writes } = setUp();
    const all = await propose(noticed);
    void all.here.decide({ kind: 'rejected' });
    await turn();
    expect(writes[0]?.write).toEqual({ path: '/w/a.ts', expected: 'new\n', text: 'old\n', lineEnds: 'exact' });
    const part = await propose({ ...noticed, path: '/w/b.ts', oldText: 'a\nb\nc\n', newText: 'A\nb\nC\n' });
    void part.here.decide({ kind: 'accepted', hunks: [0] });
    await turn();
    expect(writes[1]?.write).toMatchObject({ expected: 'A\nb\nC\n', text: 'A\nb\nc\n' });
  });

  it('as a new file goes if it is rejected, and a deleted one comes back', async () => {
    const { propose, writes } = setUp();
    const made = await propose({ ...noticed, oldText: undefined });
    void made.here.decide({ kind: 'rejected' });
    await turn();
    expect(writes[0]?.write).toMatchObject({ expected: 'new\n', text: undefined });
    const deleted = await propose({ effect: 'noticedDelete', path: '/w/b.ts', newText: '' });
    void deleted.here.decide({ kind: 'rejected' });
    await turn();
    expect(writes[1]?.write).toMatchObject({ expected: undefined, text: 'old\n' });
  });

  it('is compared anew when the file changes, and goes when it is as before', async () => {
    const { propose, queue } = setUp();
    const { outcome, here } = await propose(noticed);
    const { id } = here.proposal;
    queue.refresh(id, 'newer\n');
    expect(here.review.proposal).toMatchObject({ oldText: 'old\n', newText: 'newer\n', revision: 1 });
    expect(await here.review.decide({ kind: 'rejected' }, 0)).toEqual({ kind: 'stale', revision: 1 });
    queue.refresh(id, 'old\n');
    expect(await outcome).toEqual({ kind: 'withdrawn', reason: 'the file is as it was before' });
  });
});

describe('what the agent writes', () => {
  it('is handed over at once, and the user’s text is kept until it is there', async () => {
    const { propose, handedOver, kept } = setUp();
    const { outcome, here } = await propose({}, 'agent');
    const summary = { kind: 'accepted', text: 'changed', writer: 'agent', by: 'user' };
    expect(await here.decide({ kind: 'accepted', text: 'mine\n' })).toEqual({ kind: 'decided', outcome: summary });
    expect(await outcome).toMatchObject({ kind: 'accepted', text: 'mine\n' });
    expect(handedOver).toEqual([['mine\n', '/kept/w/a.ts']]);
    expect([...kept.values()]).toEqual(['mine\n']);
  });

  it('is nothing if a command is accepted', async () => {
    const { propose, handedOver, writes } = setUp();
    const { outcome, here } = await propose({ effect: 'command', oldText: undefined, newText: 'ls' }, 'agent');
    await here.decide(accepted);
    expect(await outcome).toMatchObject({ kind: 'accepted', text: 'ls' });
    expect([handedOver, writes]).toEqual([[], []]);
  });
});

describe('rounds', () => {
  it('the next proposal for a file has what the user said about the last one', async () => {
    const { propose } = setUp();
    const first = await propose();
    const notes = [{ text: 'use const', lines: { side: 'new', first: 0, count: 1 } }] as const;
    await first.here.decide({ kind: 'changesRequested', notes, marks: ['accepted'] });
    expect(await first.outcome).toMatchObject({ kind: 'changesRequested', notes });
    const second = await propose({ newText: 'newer\n' });
    const previous = { round: 1, oldText: 'old\n', newText: 'new\n', notes, marks: ['accepted'] };
    expect(second.here.proposal.previous).toEqual(previous);
    await second.here.decide({ kind: 'changesRequested' });
    const third = await propose({ newText: 'newest\n' });
    expect(third.here.proposal.previous).toMatchObject({ round: 2, newText: 'newer\n', notes: [] });
    void third.here.decide(accepted);
  });

  it('a file has no earlier round once a change of it was accepted', async () => {
    const { propose, writes } = setUp();
    await (await propose()).here.decide({ kind: 'changesRequested' });
    const second = await propose();
    const decided = second.here.decide(accepted);
    await turn();
    writes[0]?.done();
    await decided;
    expect((await propose()).here.proposal).not.toHaveProperty('previous');
  });

  it('proposals that are open at once have one turn, and the next ones another', async () => {
    const { propose } = setUp();
    const turns = [(await propose()).here, (await propose({ path: '/w/b.ts' })).here];
    for (const { decide } of turns) await decide({ kind: 'rejected' });
    turns.push((await propose({ path: '/w/c.ts' })).here);
    expect(turns.map(({ proposal }) => proposal.turn)).toEqual([0, 0, 1]);
  });
});
