import { reviewKeys } from '../../../viewing/review-keys.ts';
import type { ReviewedChange } from '../../../viewing/reviewed-change.ts';
import { diffScreen } from './diff-screen.ts';
import type { Session, ViewName } from './session.ts';

/** Those of the terminal, and those of the page around the review. */
export const KEYS: readonly { readonly keys: string; readonly does: string }[] = [
  ...reviewKeys('page'),
  { keys: '1 … 5', does: 'review, agents, traffic, problems, log' },
  { keys: 'p', does: 'pause: share nothing with agents; again to resume' },
  { keys: '?', does: 'these keys' },
];

const VIEWS: readonly ViewName[] = ['review', 'agents', 'traffic', 'problems', 'log'];
/** Keys that decide do nothing for this long after a change has come to the screen by itself: they were meant for another. */
const SETTLED_MS = 300;

export function listenForKeys(session: Session): void {
  let [shown, since]: [ReviewedChange | undefined, number] = [undefined, 0];
  session.reviewed.subscribe(() => {
    const { current } = session.review;
    if (current !== shown) [shown, since] = [current, performance.now()];
  });
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (session.dialog.value !== undefined || session.isEditing || isTyping(event)) return;
    const isHandled =
      keyOfFrame(session, event.key) ||
      (session.view.value === 'review' && keyOfReview(session, event.key, performance.now() - since >= SETTLED_MS));
    if (isHandled) event.preventDefault();
  });
}

/** The key belongs to the field or button that has the focus. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('input, textarea, select, [contenteditable]') !== null) return true;
  return (key === 'Enter' || key === ' ') && target.closest('button, a, summary') !== null;
}

function keyOfFrame(session: Session, key: string): boolean {
  const view = VIEWS[Number(key) - 1];
  if (view !== undefined) session.show(view);
  else if (key === '?') session.dialog.set({ kind: 'help' });
  else if (key === 'p') session.togglePause();
  else return false;
  return true;
}

function keyOfReview(session: Session, key: string, isSettled: boolean): boolean {
  const { review } = session;
  const { current } = review;
  if (current?.outcome !== undefined) {
    if (key.length > 1 && key !== 'Enter' && key !== 'Escape') return false;
    if (isSettled) review.dismiss();
    return true;
  }
  if (key === 'l' || key === 'ArrowRight') review.showNext(1);
  else if (key === 'h' || key === 'ArrowLeft') review.showNext(-1);
  else if (key === 'o') review.showUndecided();
  else if (current === undefined) return false;
  else if (DECIDING.has(key)) {
    if (isSettled) decide(session, current, key);
  } else return move(session, current, key) || otherKey(session, current, key);
  return true;
}

const DECIDING: ReadonlySet<string> = new Set(['y', 'n', 'a', 'r', 'A', 'R', 'C', 'Enter']);

function decide(session: Session, current: ReviewedChange, key: string): void {
  const { review, dialog } = session;
  if (key === 'a') review.accept();
  else if (key === 'r') review.reject();
  else if (key === 'A') dialog.set({ kind: 'many', decision: 'accept' });
  else if (key === 'R') dialog.set({ kind: 'many', decision: 'reject' });
  else if (key === 'C') dialog.set({ kind: 'ask' });
  else if (key === 'Enter') review.sendMarks();
  else {
    const { hunk } = review.cursorOf(current);
    if (hunk === undefined) review.say('There is no hunk; a accepts the change, r rejects it.');
    else if (!diffScreen.isShown(review.cursorOf(current).items, hunk)) {
      review.cursorOf(current).toHunk(hunk);
      diffScreen.follow();
      review.say(`Hunk ${hunk + 1} was not on the screen; look at it, then decide.`);
    } else {
      review.markHunk(hunk, key === 'y' ? 'yes' : 'no');
      diffScreen.follow();
    }
  }
}

function move({ review }: Session, current: ReviewedChange, key: string): boolean {
  const cursor = review.cursorOf(current);
  const { row, items, hunk } = cursor;
  const page = Math.max(1, diffScreen.rows - 1);
  if (key === 'j' || key === 'ArrowDown') cursor.toRow(row + 1);
  else if (key === 'k' || key === 'ArrowUp') cursor.toRow(row - 1);
  else if (key === ' ' || key === 'PageDown') cursor.toRow(row + page);
  else if (key === 'b' || key === 'PageUp') cursor.toRow(row - page);
  else if (key === 'g' || key === 'Home') cursor.toRow(0);
  else if (key === 'G' || key === 'End') cursor.toRow(items.length - 1);
  else if (key === ']' && hunk !== undefined) cursor.toHunk(row < (items.rangeOf(hunk)?.first ?? 0) ? hunk : hunk + 1);
  else if (key === '[' && hunk !== undefined) cursor.toHunk(hunk - 1);
  else return false;
  diffScreen.follow();
  review.say('');
  return true;
}

function otherKey(session: Session, current: ReviewedChange, key: string): boolean {
  const { review, dialog } = session;
  const { line } = review.cursorOf(current).place;
  if (key === 'u') review.takeBack();
  else if (key === 'U') {
    current.clearMarks();
    review.say('');
  } else if (key === 's') review.split();
  else if (key === 'i') dialog.set({ kind: 'note', about: 'line' });
  else if (key === 'H') dialog.set({ kind: 'note', about: 'hunk' });
  else if (key === 'I') dialog.set({ kind: 'note', about: 'change' });
  else if (key === 'd') review.removeNote(line?.kind === 'note' ? line.note : undefined);
  else if (key === 'w') review.switchComparison();
  else if (key === 'e') session.editing.set(current.id);
  else if (key === '/') dialog.set({ kind: 'search' });
  else if (key === '.' || key === ',') find(session, key === '.' ? 1 : -1);
  else if (key === 'Escape' && review.search !== undefined) review.searchFor('');
  else if (key === 'Escape' && current.edited !== undefined) dialog.set({ kind: 'drop edit' });
  else if (key === 'c') copyHunk(session, current);
  else if (key === '+' || key === '=') review.showContext(1);
  else if (key === '-') review.showContext(-1);
  else if (key === 'v') diffScreen.switchLayout(session);
  else return false;
  return true;
}

function find({ review, dialog }: Session, step: 1 | -1): void {
  if (review.search === undefined) dialog.set({ kind: 'search' });
  else {
    review.findNext(step);
    diffScreen.follow();
  }
}

/** What the hunk adds; if it adds nothing, what it removes. */
function copyHunk({ review }: Session, current: ReviewedChange): void {
  const { hunk } = review.cursorOf(current);
  const { newText = '', oldText = '' } = (hunk === undefined ? undefined : current.hunks[hunk]) ?? {};
  const text = newText === '' ? oldText : newText;
  if (text === '') review.say('There is nothing to copy.');
  else
    navigator.clipboard?.writeText(text).then(
      () => review.say(`The ${newText === '' ? 'removed' : 'new'} lines of hunk ${(hunk ?? 0) + 1} are copied.`),
      () => review.say('The browser does not let this page copy.'),
    );
}
