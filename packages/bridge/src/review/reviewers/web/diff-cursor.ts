import { type DiffLine, isTextLine } from '@hawser/diffs/diff-lines';
import type { Items, Layout } from '@hawser/diffs/items';
import type { ReviewedChange } from '../../viewing/reviewed-change.ts';

/** The row of a diff at which keys work. It stays at its line when the rows change, unless the texts are others. */
export class DiffCursor {
  readonly #change: ReviewedChange;
  #layout: Layout = 'unified';
  #at: { readonly items: Items; readonly lines: object; readonly row: number } | undefined;
  /** Of two lines beside each other, the one that keys are about. */
  #side: 'old' | 'new' = 'old';

  constructor(change: ReviewedChange) {
    this.#change = change;
  }

  set layout(layout: Layout) {
    this.#layout = layout;
  }

  get items(): Items {
    return this.#change.itemsIn(this.#layout);
  }

  get row(): number {
    const { items } = this;
    const { lines } = this.#change;
    if (this.#at?.items === items) return this.#at.row;
    const line = this.#at?.lines === lines ? lineAt(this.#at.items, this.#at.row) : undefined;
    const row = isTextLine(line) ? items.indexOf(line) : (items.rangeOf(0)?.first ?? 0);
    this.#at = { items, lines, row };
    return row;
  }

  /** The line there, and the hunk at or after it. */
  get place() {
    const [, newLine] = this.items.at(this.row)?.cells ?? [];
    const line = this.#side === 'new' ? newLine : undefined;
    return { line: line ?? lineAt(this.items, this.row), hunk: this.hunk };
  }

  get hunk(): number | undefined {
    return this.items.hunkFrom(this.row);
  }

  toRow(row: number, side: 'old' | 'new' = 'old'): void {
    const { items } = this;
    this.#side = side;
    this.#at = { items, lines: this.#change.lines, row: Math.max(0, Math.min(row, items.length - 1)) };
  }

  /** False if there is no such hunk. */
  toHunk(hunk: number): boolean {
    const range = this.items.rangeOf(hunk);
    if (range !== undefined) this.toRow(range.first);
    return range !== undefined;
  }
}

function lineAt(items: Items, row: number): DiffLine | undefined {
  return items.at(row)?.cells.find((line) => line !== undefined);
}
