import type { DiffLine } from '@hawser/diffs/diff-lines';
import type { Items } from '@hawser/diffs/items';
import type { ReviewedChange } from './reviewed-change.ts';

const MAX_MATCHES_IN_LINE = 100;

/** A diff as it is on the screen now. */
export interface SearchedItems {
  readonly items: Items;
  readonly cursor: { readonly item: number };
  toItem(item: number): void;
}

/** What the user looks for in a diff. Small letters find capital ones, too. */
export class Search {
  readonly text: string;
  readonly #isExact: boolean;

  constructor(text: string) {
    this.text = text;
    this.#isExact = text !== text.toLowerCase();
  }

  /** In UTF-16 code units, in order. */
  rangesIn(line: DiffLine): readonly { readonly from: number; readonly to: number }[] {
    if (!this.#isIn(line)) return [];
    const [text, ranges]: [string, { from: number; to: number }[]] = [this.#folded(line.text), []];
    let from = text.indexOf(this.text);
    while (from !== -1 && ranges.length < MAX_MATCHES_IN_LINE) {
      ranges.push({ from, to: from + this.text.length });
      from = text.indexOf(this.text, from + this.text.length);
    }
    return ranges;
  }

  /** Goes to the next match in that direction, from the other end after the last. Shows folded lines if only they have one. */
  goTo(change: ReviewedChange, shown: () => SearchedItems, step: 1 | -1): boolean {
    if (this.#goToShown(shown(), step)) return true;
    const isFolded = (change.proposal.oldText ?? '').split('\n').some((line) => this.#folded(line).includes(this.text));
    if (isFolded) change.unfold();
    return isFolded && this.#goToShown(shown(), step);
  }

  #goToShown(shown: SearchedItems, step: 1 | -1): boolean {
    const { items, cursor } = shown;
    for (let distance = 1; distance <= items.length; distance += 1) {
      const index = (cursor.item + step * distance + items.length * 2) % items.length;
      if (items.at(index)?.cells.some((line) => this.#isIn(line)) !== true) continue;
      shown.toItem(index);
      return true;
    }
    return false;
  }

  #isIn(line: DiffLine | undefined): boolean {
    return line !== undefined && line.kind !== 'fold' && this.#folded(line.text).includes(this.text);
  }

  /** Only letters whose small form is as long are folded, so that offsets stay what they are. */
  #folded(text: string): string {
    if (this.#isExact) return text;
    const small = text.toLowerCase();
    return small.length === text.length ? small : text;
  }
}
