import { describe, expect, it } from 'vitest';
import { ReviewingView } from '../../../../testing/reviewing-view.ts';

const OLD = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
const NEW = OLD.replace('line 2\n', 'LINE 2\n').replace('line 17\n', 'LINE 17\n');
const ONLY_SECOND = OLD.replace('line 17\n', 'LINE 17\n');

function setUp<Ids extends string[]>(...ids: Ids) {
  const user = new ReviewingView();
  const reviews = user.add(...ids.map((id) => ({ id, oldText: OLD, newText: NEW })));
  const decisions = () => reviews.map((review) => review.decisions);
  return { user, view: user.view, reviews, decisions };
}

describe('ReviewView', () => {
  it('a accepts all, r rejects, and no other key counts until the answer arrives', async () => {
    const { user, decisions } = setUp('one', 'two');
    user.press('a', 'a', 'r', 'y');
    expect(decisions()).toEqual([[{ kind: 'accepted', text: NEW }], []]);
    await user.settle();
    expect(user.notice).toBe('/w/one: accepted');
    user.press('r');
    expect(decisions()[1]).toEqual([{ kind: 'rejected' }]);
  });

  it('y and n decide hunk by hunk, and Enter sends it once all are decided', () => {
    const { user, decisions } = setUp('one');
    user.press('n', 'enter');
    expect(user.notice).toBe('Not decided yet: 1 of 2 hunks.');
    user.press('y');
    expect(decisions()).toEqual([[]]);
    user.press('enter');
    expect(decisions()).toEqual([[{ kind: 'accepted', text: ONLY_SECOND }]]);
  });

  it('all hunks rejected one by one is a rejection', () => {
    const { user, decisions } = setUp('one');
    user.press('n', 'n', 'enter');
    expect(decisions()).toEqual([[{ kind: 'rejected' }]]);
  });

  it('u clears the marks', () => {
    const { user, view, decisions } = setUp('one');
    user.press('y', 'y', 'u', 'enter');
    expect(decisions()).toEqual([[]]);
    expect(view.current?.undecided).toBe(2);
  });

  it('e starts with what is not rejected; the edited text is what is accepted, and Esc drops it', async () => {
    const { user, reviews, decisions } = setUp('one');
    let edited = '';
    user.editText = (text) => {
      edited = text;
      return `mine\n${NEW}`;
    };
    user.press('n', 'e');
    await user.settle();
    expect(edited).toBe(ONLY_SECOND);
    for (const review of reviews) review.answer = { kind: 'unknown' };
    user.press('a');
    await user.settle();
    expect(decisions()[0]?.at(-1)).toEqual({ kind: 'accepted', text: `mine\n${NEW}` });
    expect(user.notice).toBe('Not decided: the bridge does not know this change any more.');
    user.press('escape', 'a');
    expect(decisions()[0]?.at(-1)).toEqual({ kind: 'accepted', text: NEW });
  });

  it('hunks of an edited text are decided too', async () => {
    const { user, decisions } = setUp('one');
    user.editText = () => `mine\n${OLD.replace('line 17\n', 'other\n')}`;
    user.press('e');
    await user.settle();
    user.press('y', 'n', 'enter');
    expect(decisions()).toEqual([[{ kind: 'accepted', text: `mine\n${OLD}` }]]);
  });

  it('a withdrawn proposal stays until a key is pressed, and that key does nothing else', () => {
    const { user, view, reviews, decisions } = setUp('one', 'two');
    const outcome = { kind: 'withdrawn', reason: 'the agent left' } as const;
    reviews[0]?.end(outcome);
    expect(view.current?.outcome).toEqual(outcome);
    expect(view.takesAllKeys).toBe(true);
    user.press('a');
    expect(decisions()).toEqual([[], []]);
    expect(view.current?.id).toBe('two');
  });

  it('a proposal that is not on the screen goes with a message', () => {
    const { user, view, reviews } = setUp('one', 'two');
    reviews[1]?.end({ kind: 'withdrawn', reason: 'the agent left' });
    expect(view.entries.map(({ id }) => id)).toEqual(['one']);
    expect(user.notice).toBe('/w/two: withdrawn by the agent');
  });

  it('an edited version is kept when its proposal ends, and not when the user decided it', async () => {
    const { user, reviews } = setUp('one', 'two');
    user.editText = () => 'mine';
    user.press('e');
    await user.settle();
    user.press('right', 'e');
    await user.settle();
    user.press('left');
    reviews[0]?.end({ kind: 'rejected' });
    expect(user.kept).toEqual([{ path: '/w/one', text: 'mine' }]);
    user.press('x', 'a');
    reviews[1]?.end({ kind: 'accepted', text: 'changed' });
    await user.settle();
    expect(user.kept).toHaveLength(1);
  });

  it('the second of two reviewers sees the decision of the first', async () => {
    const { user, view, reviews } = setUp('one');
    for (const review of reviews) review.answer = { kind: 'ended', outcome: { kind: 'rejected' } };
    user.press('a');
    reviews[0]?.end({ kind: 'rejected' });
    await user.settle();
    expect(view.current?.outcome).toEqual({ kind: 'rejected' });
    user.press('x');
    expect(view.current).toBeUndefined();
  });

  it('after the file has changed, the first key that accepts only says so, and rejecting needs one key', async () => {
    const { user, view, reviews, decisions } = setUp('one');
    user.press('y');
    reviews[0]?.refresh({ oldText: `new\n${OLD}`, newText: `new\n${NEW}`, base: 'merged' });
    expect(user.notice).toBe('/w/one: the file has changed; the proposal was merged with it');
    expect(view.current?.undecided).toBe(2);
    user.press('a');
    expect(decisions()).toEqual([[]]);
    expect(user.notice).toBe('Press again to accept: the file has changed; the proposal was merged with it');
    for (const review of reviews) review.answer = { kind: 'stale', revision: 2 };
    user.press('a');
    expect(decisions()).toEqual([[{ kind: 'accepted', text: `new\n${NEW}` }]]);
    await user.settle();
    reviews[0]?.refresh({ base: 'conflict' });
    user.press('a');
    expect(user.notice).toBe('Press again to accept: these lines have changed; accepting undoes that change');
    expect(user.notice.length).toBeLessThanOrEqual(80);
    user.press('r');
    expect(decisions()[0]?.at(-1)).toEqual({ kind: 'rejected' });
  });

  it('arrows go from one proposal to the other, and stop at the ends', () => {
    const { user, view } = setUp('one', 'two');
    user.press('left');
    expect(view.current?.id).toBe('one');
    user.press('right', 'right');
    expect(view.current?.id).toBe('two');
  });
});
