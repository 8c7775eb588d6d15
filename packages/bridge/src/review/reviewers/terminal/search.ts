import type { DiffLine } from '@hawser/diffs/diff-lines';
import type { Page } from './page.ts';
import type { StyleRange } from './style-ranges.ts';

const MAX_MATCHES_IN_LINE = 100;

/** What the user looks for in a diff. Small letters find capital ones, too. */
export class Search {
  readonly text: string;
  readonly #isExact: boolean;

  constructor(text: string) {
    this.text = text;
    this.#isExact = text !== text.toLowerCase();
  }

  isIn(line: DiffLine | undefined): boolean {
    return line !== undefined && line.kind !== 'fold' && this.#folded(line.text).includes(this.text);
  }

  isInText(text: string): boolean {
    return text.split('\n').some((line) => this.#folded(line).includes(this.text));
  }

  rangesIn(line: DiffLine): readonly StyleRange[] {
    if (!this.isIn(line)) return [];
    const [text, ranges]: [string, StyleRange[]] = [this.#folded(line.text), []];
    let from = text.indexOf(this.text);
    while (from !== -1 && ranges.length < MAX_MATCHES_IN_LINE) {
      ranges.push({ from, to: from + this.text.length, style: { colour: 'yellow', isReversed: true, weight: 'bold' } });
      from = text.indexOf(this.text, from + this.text.length);
    }
    return ranges;
  }

  /** Goes to the next match in that direction, from the other end after the last. False without one; folded lines have none. */
  goTo(page: Page, step: 1 | -1): boolean {
    const { items, cursor } = page;
    for (let distance = 1; distance <= items.length; distance += 1) {
      const index = (cursor.item + step * distance + items.length * 2) % items.length;
      if (items.at(index)?.cells.some((line) => this.isIn(line)) !== true) continue;
      page.toItem(index);
      return true;
    }
    return false;
  }

  /** Only letters whose small form is as long are folded, so that offsets stay what they are. */
  #folded(text: string): string {
    if (this.#isExact) return text;
    const small = text.toLowerCase();
    return small.length === text.length ? small : text;
  }
}
