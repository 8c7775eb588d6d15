import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DiffDecision, Proposal } from './editor.ts';
import { ProposalClosed, type ProposalOutcome, Proposals } from './proposals.ts';

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(async () => {
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

const accepted: DiffDecision = { kind: 'accepted', text: 'new' };
const rejected: DiffDecision = { kind: 'rejected' };
const closed = { kind: 'closed' };

describe('a proposal', () => {
  it('ends with the decision that was made, and its signal does not abort', async () => {
    const proposals = new Proposals();
    const view = openView(proposals, {}, 'a');
    view.decide(accepted);
    expect(await view.outcome).toEqual(accepted);
    expect(view.signal?.aborted).toBe(false);
    expect(proposals.count()).toBe(0);
  });

  it('is shown before open returns, with the proposal it was opened with', () => {
    const seen: Proposal[] = [];
    const opening = { client: {}, tabName: 'a', request: new AbortController().signal, proposal: proposalOf('a') };
    void new Proposals().open(opening, (proposal) => {
      seen.push(proposal);
      return new Promise(() => {});
    });
    expect(seen).toEqual([proposalOf('a')]);
  });

  it('is closed by the name its client gave it, and its signal says why', async () => {
    const [proposals, client] = [new Proposals(), {}];
    const view = openView(proposals, client, 'a');
    expect(proposals.close(client, 'a')).toBe(true);
    expect(await view.outcome).toEqual(closed);
    expect(view.signal?.reason).toBeInstanceOf(ProposalClosed);
    expect(view.signal?.reason.message).toBe('Proposal closed: the agent closed it');
    expect(proposals.close(client, 'a')).toBe(false);
  });

  it('is not closed by the same name in the mouth of another client', () => {
    const proposals = new Proposals();
    const view = openView(proposals, {}, 'a');
    expect(proposals.close({}, 'a')).toBe(false);
    expect(view.signal?.aborted).toBe(false);
  });

  it('is closed when its request is cancelled, alone', async () => {
    const [proposals, client] = [new Proposals(), {}];
    const first = openView(proposals, client, 'a');
    const second = openView(proposals, client, 'b');
    first.cancel();
    expect(await first.outcome).toEqual(closed);
    expect(first.signal?.aborted).toBe(true);
    expect(second.signal?.aborted).toBe(false);
    expect(proposals.count(client)).toBe(1);
  });

  it('of a request that was cancelled before is never shown', async () => {
    const view = openView(new Proposals(), {}, 'a', { request: AbortSignal.abort() });
    expect(await view.outcome).toEqual(closed);
    expect(view.signal).toBeUndefined();
  });

  it('of a client that has left is never shown', async () => {
    const [proposals, client] = [new Proposals(), {}];
    proposals.leave(client);
    const view = openView(proposals, client, 'a');
    expect(await view.outcome).toEqual(closed);
    expect(view.signal).toBeUndefined();
    expect(proposals.count()).toBe(0);
  });

  it('gives way to another of the same name and the same client', async () => {
    const [proposals, client] = [new Proposals(), {}];
    const first = openView(proposals, client, 'a');
    const second = openView(proposals, client, 'a');
    expect(await first.outcome).toEqual(closed);
    expect(first.signal?.aborted).toBe(true);
    expect(proposals.count(client)).toBe(1);
    second.decide(rejected);
    expect(await second.outcome).toEqual(rejected);
  });

  it('stands beside one of the same name by another client', async () => {
    const [proposals, one, other] = [new Proposals(), {}, {}];
    const first = openView(proposals, one, 'a');
    const second = openView(proposals, other, 'a');
    proposals.close(one, 'a');
    expect(await first.outcome).toEqual(closed);
    second.decide(accepted);
    expect(await second.outcome).toEqual(accepted);
  });

  it('without a name stands beside others without a name', () => {
    const [proposals, client] = [new Proposals(), {}];
    openView(proposals, client, undefined);
    openView(proposals, client, undefined);
    expect(proposals.closeAll(client)).toBe(2);
  });

  it('that cannot be shown rejects with the reason, thrown or rejected', async () => {
    const proposals = new Proposals();
    const failing = openView(proposals, {}, 'a');
    failing.fail(new Error('No window'));
    await expect(failing.outcome).rejects.toThrow('No window');
    const opening = { client: {}, tabName: 'a', request: new AbortController().signal, proposal: proposalOf('a') };
    const throwing = proposals.open(opening, () => {
      throw new Error('No editor');
    });
    await expect(throwing).rejects.toThrow('No editor');
    expect(proposals.count()).toBe(0);
  });

  it('that was closed ignores a view that rejects with the reason of its signal', async () => {
    const [proposals, client] = [new Proposals(), {}];
    const view = openView(proposals, client, 'a');
    proposals.close(client, 'a');
    view.fail(view.signal?.reason);
    expect(await view.outcome).toEqual(closed);
  });

  it('that was decided is not closed afterwards', async () => {
    const [proposals, client] = [new Proposals(), {}];
    const view = openView(proposals, client, 'a');
    view.decide(accepted);
    expect(await view.outcome).toEqual(accepted);
    view.cancel();
    proposals.leave(client);
    expect(view.signal?.aborted).toBe(false);
  });

  it('that is decided and closed in one tick ends once, and closeAll counts it if it ended closed', async () => {
    const [proposals, client] = [new Proposals(), {}];
    const view = openView(proposals, client, 'a');
    view.decide(accepted);
    const count = proposals.closeAll(client);
    expect(await view.outcome).toEqual(count === 1 ? closed : accepted);
    expect(view.signal?.aborted).toBe(count === 1);
  });

  it('leaves no listener on its request', async () => {
    const request = new AbortController().signal;
    const listeners = new Set<unknown>();
    const { addEventListener, removeEventListener } = request;
    request.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners.add(args[1]);
      addEventListener.apply(request, args);
    };
    request.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners.delete(args[1]);
      removeEventListener.apply(request, args);
    };
    const view = openView(new Proposals(), {}, 'a', { request });
    expect(listeners.size).toBe(1);
    view.decide(accepted);
    await view.outcome;
    expect(listeners.size).toBe(0);
  });
});

describe('closeAll', () => {
  it('closes those of its client alone, and counts them', async () => {
    const [proposals, one, other] = [new Proposals(), {}, {}];
    const mine = [openView(proposals, one, 'a'), openView(proposals, one, 'b')];
    const theirs = openView(proposals, other, 'a');
    expect(proposals.closeAll(one)).toBe(2);
    expect(await Promise.all(mine.map(({ outcome }) => outcome))).toEqual([closed, closed]);
    expect(theirs.signal?.aborted).toBe(false);
    expect(proposals.closeAll(one)).toBe(0);
  });

  it('lets its client open others afterwards', async () => {
    const [proposals, client] = [new Proposals(), {}];
    proposals.closeAll(client);
    const view = openView(proposals, client, 'a');
    view.decide(rejected);
    expect(await view.outcome).toEqual(rejected);
  });
});

describe('what happens inside the listener of an aborted signal', () => {
  it('may be leaving: the proposal that replaced the aborted one is never shown', async () => {
    const [proposals, client] = [new Proposals(), {}];
    const first = openView(proposals, client, 'a');
    first.signal?.addEventListener('abort', () => proposals.leave(client));
    const second = openView(proposals, client, 'a');
    expect(await second.outcome).toEqual(closed);
    expect(second.signal).toBeUndefined();
    expect(proposals.count()).toBe(0);
  });

  it('may be closing another: closeAll counts only what it closed itself', async () => {
    const [proposals, client] = [new Proposals(), {}];
    const first = openView(proposals, client, 'a');
    const second = openView(proposals, client, 'b');
    first.signal?.addEventListener('abort', () => proposals.close(client, 'b'));
    expect(proposals.closeAll(client)).toBe(1);
    expect(await second.outcome).toEqual(closed);
    expect(second.signal?.reason.message).toBe('Proposal closed: the agent closed it');
  });

  it('may be opening the same name: one of that name remains', async () => {
    const [proposals, client] = [new Proposals(), {}];
    const first = openView(proposals, client, 'a');
    let third: View | undefined;
    first.signal?.addEventListener('abort', () => {
      third = openView(proposals, client, 'a');
    });
    const second = openView(proposals, client, 'a');
    expect(await second.outcome).toEqual(closed);
    expect(proposals.count(client)).toBe(1);
    third?.decide(accepted);
    expect(await third?.outcome).toEqual(accepted);
  });
});

type Step =
  | { readonly kind: 'open'; readonly client: number; readonly tab: number }
  | { readonly kind: 'close'; readonly client: number; readonly tab: number }
  | { readonly kind: 'closeAll' | 'leave'; readonly client: number }
  | { readonly kind: 'decide' | 'fail' | 'cancel'; readonly view: number }
  | { readonly kind: 'tick' };

const client = fc.nat(4);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('open' as const), client, tab: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('close' as const), client, tab: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('closeAll' as const, 'leave' as const), client }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('decide' as const, 'fail' as const, 'cancel' as const),
      view: fc.nat(30),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'tick' as const }) },
);

describe('five clients in whatever order', () => {
  it('each proposal ends once, as its own client, request or person ended it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const proposals = new Proposals();
        const clients = [{}, {}, {}, {}, {}];
        const opened: ModelView[] = [];
        const left = new Set<number>();
        const openOnes = () => opened.filter((view) => view.expected === undefined);
        const closing = (view: ModelView) => {
          view.expected = 'closed';
        };
        for (const next of steps) {
          switch (next.kind) {
            case 'open': {
              const twin = openOnes().find((view) => view.client === next.client && view.tab === next.tab);
              if (twin !== undefined) closing(twin);
              const view = openView(proposals, at(clients, next.client), `tab ${next.tab}`);
              opened.push({
                ...next,
                view,
                expected: left.has(next.client) ? 'closed' : undefined,
                pending: undefined,
              });
              break;
            }
            case 'close': {
              const target = openOnes().find((view) => view.client === next.client && view.tab === next.tab);
              expect(proposals.close(at(clients, next.client), `tab ${next.tab}`)).toBe(target !== undefined);
              if (target !== undefined) closing(target);
              break;
            }
            case 'closeAll': {
              const targets = openOnes().filter((view) => view.client === next.client);
              expect(proposals.closeAll(at(clients, next.client))).toBe(targets.length);
              targets.forEach(closing);
              break;
            }
            case 'leave': {
              proposals.leave(at(clients, next.client));
              left.add(next.client);
              openOnes()
                .filter((view) => view.client === next.client)
                .forEach(closing);
              break;
            }
            case 'cancel': {
              const target = opened[next.view];
              target?.view.cancel();
              if (target !== undefined && target.expected === undefined) closing(target);
              break;
            }
            case 'decide':
            case 'fail': {
              const target = opened[next.view];
              if (target === undefined) break;
              if (next.kind === 'decide') target.view.decide(accepted);
              else target.view.fail(new Error('No window'));
              // What a person decides takes effect at the next tick; a close may come before it.
              target.pending ??= next.kind === 'decide' ? 'accepted' : 'failed';
              break;
            }
            case 'tick':
              await tick(opened);
          }
        }
        await tick(opened);
        for (const { view, expected } of opened) {
          expect(view.settled).toEqual(expected === undefined ? [] : [expected]);
          expect(view.signal?.aborted ?? true).toBe(expected === 'closed');
        }
        expect(proposals.count()).toBe(openOnes().length);
        for (const each of clients) proposals.leave(each);
        await tick(opened);
        expect(proposals.count()).toBe(0);
        expect(opened.every(({ view }) => view.settled.length === 1)).toBe(true);
      }),
      { numRuns: 500 },
    );
  }, 30_000);
});

interface ModelView {
  readonly client: number;
  readonly tab: number;
  readonly view: View;
  expected: string | undefined;
  pending: string | undefined;
}

async function tick(opened: readonly ModelView[]): Promise<void> {
  for (const view of opened) view.expected ??= view.pending;
  await new Promise(setImmediate);
}

interface View {
  readonly outcome: Promise<ProposalOutcome>;
  /** How the outcome settled, once for each time that it did. */
  readonly settled: string[];
  /** Undefined when it was never shown. */
  readonly signal: AbortSignal | undefined;
  readonly decide: (decision: DiffDecision) => void;
  readonly fail: (error: unknown) => void;
  readonly cancel: () => void;
}

function openView(
  proposals: Proposals,
  client: object,
  tabName: string | undefined,
  options: { request?: AbortSignal } = {},
): View {
  const request = new AbortController();
  let decide: View['decide'] = () => {};
  let fail: View['fail'] = () => {};
  const decision = new Promise<DiffDecision>((resolve, reject) => {
    decide = resolve;
    fail = reject;
  });
  decision.catch(() => {});
  let signal: AbortSignal | undefined;
  const opening = { client, tabName, request: options.request ?? request.signal, proposal: proposalOf('a') };
  const outcome = proposals.open(opening, (_proposal, shown) => {
    signal = shown.signal;
    return decision;
  });
  const settled: string[] = [];
  outcome.then(
    ({ kind }) => settled.push(kind),
    () => settled.push('failed'),
  );
  return {
    outcome,
    settled,
    get signal() {
      return signal;
    },
    decide,
    fail,
    cancel: () => request.abort(),
  };
}

function proposalOf(id: string): Proposal {
  return { id, path: '/w/a.ts', title: 'a.ts', oldText: 'old', newText: 'new', from: 'claude-code' };
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new Error(`No item ${index}`);
  return item;
}
