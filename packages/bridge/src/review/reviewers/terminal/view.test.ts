import { describe, expect, it } from 'vitest';
import { openReview } from '../../../../testing/open-review.ts';
import type { Decision } from '../../proposal.ts';
import { type Effect, View } from './view.ts';

const OLD = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
const NEW = OLD.replace('line 2\n', 'LINE 2\n').replace('line 17\n', 'LINE 17\n');

function setUp(...ids: string[]) {
  const effects: Effect[] = [];
  const view = new View({ leaving: 'at once', run: (effect) => effects.push(effect) });
  const reviews = ids.map((id) => openReview({ id, oldText: OLD, newText: NEW }));
  for (const review of reviews) view.added(review);
  const press = (...keys: string[]) => {
    for (const key of keys) view.pressed(key);
  };
  /** The decisions so far, with the ids of their proposals. */
  const decisions = () =>
    effects.flatMap((effect): [string, Decision][] =>
      effect.kind === 'decide' ? [[effect.entry.id, effect.decision]] : [],
    );
  return { view, effects, reviews, press, decisions };
}

describe('View', () => {
  it('a accepts all, r rejects, and no other key counts until the answer arrives', () => {
    const { view, press, decisions } = setUp('one', 'two');
    press('a', 'a', 'r', 'y');
    expect(decisions()).toEqual([['one', { kind: 'accepted', text: NEW }]]);
    view.decided('one', { kind: 'accepted', text: 'as proposed' });
    expect(view.notice).toBe('/w/one: accepted');
    press('r');
    expect(decisions().at(-1)).toEqual(['two', { kind: 'rejected' }]);
  });

  it('y and n decide hunk by hunk, and Enter sends it once all are decided', () => {
    const { view, effects, press, decisions } = setUp('one');
    press('n', 'enter');
    expect(view.notice).toBe('Not decided yet: 1 of 2 hunks.');
    press('y');
    expect(effects).toEqual([]);
    press('enter');
    expect(decisions()).toEqual([['one', { kind: 'accepted', text: OLD.replace('line 17\n', 'LINE 17\n') }]]);
  });

  it('all hunks rejected one by one is a rejection', () => {
    const { press, decisions } = setUp('one');
    press('n', 'n', 'enter');
    expect(decisions()).toEqual([['one', { kind: 'rejected' }]]);
  });

  it('u clears the marks', () => {
    const { view, effects, press } = setUp('one');
    press('y', 'y', 'u', 'enter');
    expect(effects).toEqual([]);
    expect(view.current?.undecided).toBe(2);
  });

  it('e starts with what is not rejected; the edited text is what is accepted, and Esc drops it', () => {
    const { view, effects, press, decisions } = setUp('one');
    press('n', 'e');
    expect(effects).toEqual([{ kind: 'edit', id: 'one', path: '/w/one', text: OLD.replace('line 17\n', 'LINE 17\n') }]);
    view.edited('one', `mine\n${NEW}`);
    press('a');
    expect(decisions().at(-1)).toEqual(['one', { kind: 'accepted', text: `mine\n${NEW}` }]);
    view.failed('no luck');
    expect(view.notice).toBe('no luck');
    press('escape', 'a');
    expect(decisions().at(-1)).toEqual(['one', { kind: 'accepted', text: NEW }]);
  });

  it('hunks of an edited text are decided too', () => {
    const { view, press, decisions } = setUp('one');
    view.edited('one', `mine\n${OLD.replace('line 17\n', 'other\n')}`);
    press('y', 'n', 'enter');
    expect(decisions()).toEqual([['one', { kind: 'accepted', text: `mine\n${OLD}` }]]);
  });

  it('a withdrawn proposal stays until a key is pressed, and that key does nothing else', () => {
    const { view, effects, press } = setUp('one', 'two');
    const outcome = { kind: 'withdrawn', reason: 'the agent left' } as const;
    view.removed('one', outcome);
    expect(view.current?.outcome).toEqual(outcome);
    press('a');
    expect(effects).toEqual([]);
    expect(view.current?.id).toBe('two');
  });

  it('a proposal that is not on the screen goes with a message', () => {
    const { view } = setUp('one', 'two');
    view.removed('two', { kind: 'withdrawn', reason: 'the agent left' });
    expect(view.entries.map(({ id }) => id)).toEqual(['one']);
    expect(view.notice).toBe('/w/two: withdrawn by the agent');
  });

  it('an edited version is kept when its proposal ends, and not when the user decided it', () => {
    const { view, effects, press } = setUp('one', 'two');
    view.edited('one', 'mine');
    view.edited('two', 'also mine');
    view.removed('one', { kind: 'rejected' });
    expect(effects).toEqual([{ kind: 'keep', path: '/w/one', text: 'mine' }]);
    press('x', 'a');
    view.removed('two', { kind: 'accepted', text: 'changed' });
    view.decided('two', { kind: 'accepted', text: 'changed' });
    expect(effects.filter(({ kind }) => kind === 'keep')).toHaveLength(1);
  });

  it('the second of two reviewers sees the decision of the first', () => {
    const { view, press } = setUp('one');
    press('a');
    view.removed('one', { kind: 'rejected' });
    view.decidedBefore('one', { kind: 'rejected' });
    expect(view.current?.outcome).toEqual({ kind: 'rejected' });
    press('x');
    expect(view.current).toBeUndefined();
  });

  it('after the file has changed, the first key that accepts only says so, and rejecting needs one key', () => {
    const { view, reviews, press, decisions } = setUp('one');
    press('y');
    reviews[0]?.refresh({ oldText: `new\n${OLD}`, newText: `new\n${NEW}`, base: 'merged' });
    view.refreshed('one');
    expect(view.notice).toBe('/w/one: the file has changed; the proposal was merged with it');
    expect(view.current?.undecided).toBe(2);
    press('a');
    expect(decisions()).toEqual([]);
    expect(view.notice).toBe('Press again to accept: the file has changed; the proposal was merged with it');
    press('a');
    expect(decisions()).toEqual([['one', { kind: 'accepted', text: `new\n${NEW}` }]]);
    view.failed('');
    reviews[0]?.refresh({ base: 'conflict' });
    view.refreshed('one');
    press('a');
    expect(view.notice).toBe('Press again to accept: these lines have changed; accepting undoes that change');
    expect(view.notice.length).toBeLessThanOrEqual(80);
    press('r');
    expect(decisions().at(-1)).toEqual(['one', { kind: 'rejected' }]);
  });

  it('arrows go from one proposal to the other, and stop at the ends', () => {
    const { view, press } = setUp('one', 'two');
    press('left');
    expect(view.current?.id).toBe('one');
    press('right', 'right');
    expect(view.current?.id).toBe('two');
  });
});
