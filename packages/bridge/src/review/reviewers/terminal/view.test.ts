import { describe, expect, it } from 'vitest';
import type { FullProposal } from '../../../control/calls.ts';
import { Review, type Wish } from './view.ts';

const OLD = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('');
const NEW = OLD.replace('line 2\n', 'LINE 2\n').replace('line 17\n', 'LINE 17\n');

function proposal(id: string): FullProposal {
  return { id, path: `/w/${id}`, title: id, from: 'an agent', isNewFile: false, oldText: OLD, newText: NEW };
}

/** A view whose proposals are loaded at once. */
function view(...ids: string[]): { review: Review; wishes: Wish[] } {
  const wishes: Wish[] = [];
  const review: Review = new Review({
    leaving: 'at once',
    wish: (wish) => {
      if (wish.kind !== 'load') wishes.push(wish);
    },
  });
  for (const id of ids) {
    review.came(proposal(id));
    review.loaded(proposal(id));
  }
  return { review, wishes };
}

const press = (review: Review, ...keys: string[]) => {
  for (const key of keys) review.pressed(key);
};

describe('Review', () => {
  it('a accepts all, r rejects, and nothing else is heard until the answer is here', () => {
    const { review, wishes } = view('one', 'two');
    press(review, 'a', 'a', 'r', 'y');
    expect(wishes).toEqual([{ kind: 'decide', id: 'one', choice: { kind: 'all' } }]);
    review.decided('one', { kind: 'accepted', how: 'whole' });
    expect(review.notice).toBe('/w/one: accepted');
    press(review, 'r');
    expect(wishes.at(-1)).toEqual({ kind: 'decide', id: 'two', choice: { kind: 'none' } });
  });

  it('y and n decide hunk by hunk, and Enter sends it once all are decided', () => {
    const { review, wishes } = view('one');
    press(review, 'n', 'enter');
    expect(review.notice).toBe('Not decided yet: 1 of 2 hunks.');
    press(review, 'y');
    expect(wishes).toEqual([]);
    press(review, 'enter');
    expect(wishes).toEqual([{ kind: 'decide', id: 'one', choice: { kind: 'some', hunks: [1] } }]);
  });

  it('all hunks rejected one by one is a rejection', () => {
    const { review, wishes } = view('one');
    press(review, 'n', 'n', 'enter');
    expect(wishes).toEqual([{ kind: 'decide', id: 'one', choice: { kind: 'none' } }]);
  });

  it('u forgets what was decided', () => {
    const { review, wishes } = view('one');
    press(review, 'y', 'y', 'u', 'enter');
    expect(wishes).toEqual([]);
    expect(review.current?.undecided).toBe(2);
  });

  it('e begins with what is not rejected; an edited text is what is accepted, and Esc drops it', () => {
    const { review, wishes } = view('one');
    press(review, 'n', 'e');
    expect(wishes).toEqual([{ kind: 'edit', id: 'one', path: '/w/one', text: OLD.replace('line 17\n', 'LINE 17\n') }]);
    review.edited('one', `mine\n${NEW}`);
    press(review, 'a');
    expect(wishes.at(-1)).toEqual({ kind: 'decide', id: 'one', choice: { kind: 'edited', text: `mine\n${NEW}` } });
    review.failed('one', 'no luck');
    expect(review.notice).toBe('no luck');
    press(review, 'escape', 'a');
    expect(wishes.at(-1)).toEqual({ kind: 'decide', id: 'one', choice: { kind: 'all' } });
  });

  it('hunks of an edited text are decided too, and sent as a text', () => {
    const { review, wishes } = view('one');
    review.edited('one', `mine\n${OLD.replace('line 17\n', 'other\n')}`);
    press(review, 'y', 'n', 'enter');
    expect(wishes).toEqual([{ kind: 'decide', id: 'one', choice: { kind: 'edited', text: `mine\n${OLD}` } }]);
  });

  it('what the agent withdraws stays until a key is pressed, and that key does nothing else', () => {
    const { review, wishes } = view('one', 'two');
    review.went('one', { kind: 'withdrawn', why: 'the agent left' });
    expect(review.current?.ending).toEqual({ kind: 'withdrawn', why: 'the agent left' });
    press(review, 'a');
    expect(wishes).toEqual([]);
    expect(review.current?.summary.id).toBe('two');
  });

  it('what is not on the screen goes with a word', () => {
    const { review } = view('one', 'two');
    review.went('two', { kind: 'withdrawn', why: 'the agent left' });
    expect(review.entries.map(({ summary }) => summary.id)).toEqual(['one']);
    expect(review.notice).toBe('/w/two: withdrawn by the agent');
  });

  it('the second of two reviewers is told who was first', () => {
    const { review } = view('one');
    press(review, 'a');
    review.went('one', { kind: 'rejected' });
    review.decidedBefore('one', { kind: 'rejected' });
    expect(review.current?.ending).toEqual({ kind: 'rejected' });
    press(review, 'x');
    expect(review.current).toBeUndefined();
  });

  it('arrows go from one change to the other, and stop at the ends', () => {
    const { review } = view('one', 'two');
    press(review, 'left');
    expect(review.current?.summary.id).toBe('one');
    press(review, 'right', 'right');
    expect(review.current?.summary.id).toBe('two');
  });
});
