import type { Items, Layout } from '@hawser/diffs/items';
import { Store } from '@hawser/page-parts/store';
import type { Session } from './session.ts';

/** From this width on, both sides of a diff have room. */
const SPLIT_PX = 1000;

/** What is in view of the diff on the screen, and what should be. */
class DiffScreen {
  readonly width = new Store(0);
  /** Counts the wishes to see the row of the cursor. */
  readonly wishes = new Store(0);
  #first = 0;
  #last = 0;

  /** How many rows are in view. */
  get rows(): number {
    return this.#last - this.#first + 1;
  }

  layoutIn({ review }: Session): Layout {
    if (this.width.value < SPLIT_PX) return 'unified';
    return review.chosenLayout ?? 'split';
  }

  switchLayout(session: Session): void {
    const { review } = session;
    const isWide = this.width.value >= SPLIT_PX;
    if (isWide) review.chosenLayout = this.layoutIn(session) === 'split' ? 'unified' : 'split';
    review.say(isWide ? '' : 'The page is too narrow to show both sides.');
  }

  viewed(first: number, last: number): void {
    [this.#first, this.#last] = [first, last];
  }

  /** Some of the hunk is in view. */
  isShown(items: Items, hunk: number): boolean {
    const range = items.rangeOf(hunk);
    return range !== undefined && range.first <= this.#last && range.last >= this.#first;
  }

  /** Brings the cursor into view. */
  follow(): void {
    this.wishes.update((count) => count + 1);
  }
}

/** There is one diff on the page. */
export const diffScreen = new DiffScreen();
