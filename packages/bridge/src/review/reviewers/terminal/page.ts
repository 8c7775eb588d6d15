import type { DiffLine } from '@hawser/diffs/diff-lines';
import type { Item, Items } from '@hawser/diffs/items';
import { clip, type Pieces, Wrapping } from '@hawser/terminal-text/wrapping';
import type { StyleRange } from './style-ranges.ts';

/** A row of an item that may take several. */
export interface Place {
  readonly item: number;
  readonly row: number;
}

export interface PageRow extends Place {
  readonly of: Item;
  /** As many as the item has. */
  readonly cells: readonly (PageCell | undefined)[];
}

export interface PageCell {
  readonly line: DiffLine;
  /** What this row shows of it; none after its last row. */
  readonly pieces: Pieces | undefined;
  readonly ranges: readonly StyleRange[];
}

export interface PageSize {
  readonly rows: number;
  /** For the text of an item with one cell. */
  readonly columns: number;
  /** For each text of an item with two. */
  readonly halfColumns: number;
}

/** How the text of a line looks, in order and without overlaps. */
export type Decorate = (line: DiffLine) => readonly StyleRange[];

interface WrappedCell {
  readonly line: DiffLine;
  readonly wrapping: Wrapping;
  readonly ranges: readonly StyleRange[];
}

const START: Place = { item: 0, row: 0 };
const CELLS = [0, 1] as const;
/** The number of wrapped texts that are cached: drawing again costs nothing, and a long diff does not fill the memory. */
const MAX_KEPT = 2000;
/** Rows around a hunk that are shown with it when there is room. */
const MARGIN = 3;

/** A diff of which a part is on the screen, with a cursor in it. Lines are wrapped when they are looked at. */
export class Page {
  readonly items: Items;
  #cursor = START;
  #top = START;
  #size: PageSize = { columns: 80, halfColumns: 40, rows: 1 };
  #wrapped = new Map<number, WrappedCell | undefined>();
  #decorate: Decorate = () => [];
  /** The hunk to show as much of as possible. */
  #wanted: number | undefined;
  #shownHunks: ReadonlySet<number> = new Set();
  /** The items that were on the screen, to their last row. */
  readonly #seen = new Set<number>();

  constructor(items: Items) {
    this.items = items;
    this.toHunk(0);
  }

  get cursor(): Place {
    return this.#cursor;
  }

  /** The hunk at the cursor, else the next one, else the last; undefined when there is none. */
  get hunk(): number | undefined {
    return this.items.hunkFrom(this.#cursor.item);
  }

  /** How many items of the hunk have not been on the screen yet. */
  unseenOf(hunk: number): number {
    const { first = 0, last = -1 } = this.items.rangeOf(hunk) ?? {};
    let unseen = 0;
    for (let item = first; item <= last; item += 1) if (!this.#seen.has(item)) unseen += 1;
    return unseen;
  }

  /** The line at the cursor. */
  get line(): DiffLine | undefined {
    return this.items.at(this.#cursor.item)?.cells.find((line) => line !== undefined);
  }

  /** Some of the hunk was on the screen when it was last drawn. */
  isShown(hunk: number): boolean {
    return this.#shownHunks.has(hunk);
  }

  /** Which line of its hunk the cursor is at, from 0. Removed and added lines are counted separately. */
  get lineInHunk(): number {
    return this.items.lineInHunk(this.#cursor.item);
  }

  toHunk(hunk: number): void {
    const range = this.items.rangeOf(hunk);
    if (range === undefined) return;
    this.#cursor = { item: range.first, row: 0 };
    this.#wanted = hunk;
  }

  /** The hunk that far from this one, where there is one. */
  byHunks(step: 1 | -1): void {
    const { hunk } = this;
    if (hunk !== undefined) this.toHunk(hunk + step);
  }

  toItem(item: number, row = 0): void {
    if (item >= 0 && item < this.items.length) this.#cursor = { item, row };
  }

  byRows(count: number): void {
    this.#cursor = this.#moved(this.#cursor, count);
  }

  /** One row of the last page stays on the screen, and none is passed over. */
  byPages(step: 1 | -1): void {
    const rows = step * Math.max(1, this.#size.rows - 1);
    this.#top = this.#moved(this.#top, rows);
    this.#cursor = this.#moved(this.#cursor, rows);
  }

  toStart(): void {
    this.#cursor = START;
  }

  toEnd(): void {
    const item = this.items.length - 1;
    this.#cursor = { item, row: this.#heightOf(item) - 1 };
  }

  /** The decoration has changed. */
  forget(): void {
    this.#wrapped = new Map();
  }

  /** What is on a screen of that size, the cursor among it. */
  rows(size: PageSize, decorate: Decorate): readonly PageRow[] {
    this.#decorate = decorate;
    if (size.columns !== this.#size.columns || size.halfColumns !== this.#size.halfColumns) {
      this.forget();
      this.#cursor = { item: this.#cursor.item, row: 0 };
      this.#top = { item: this.#top.item, row: 0 };
    }
    this.#size = size;
    this.#scroll();
    let rows = this.#rowsFrom(this.#top);
    // After the end of the change there is nothing to see, before this there may be.
    for (let missing = size.rows - rows.length; missing > 0; missing -= 1)
      this.#top = this.#before(this.#top) ?? this.#top;
    if (rows.length < size.rows) rows = this.#rowsFrom(this.#top);
    this.#shownHunks = new Set(rows.flatMap(({ of }) => of.hunk ?? []));
    this.#see(rows);
    return rows;
  }

  #see(rows: readonly PageRow[]): void {
    const end = rows.at(-1);
    for (const { item } of rows) if (item !== end?.item) this.#seen.add(item);
    if (end !== undefined && this.#after(end)?.item !== end.item) this.#seen.add(end.item);
  }

  #rowsFrom(top: Place): readonly PageRow[] {
    const rows: PageRow[] = [];
    let place: Place | undefined = top;
    while (place !== undefined && rows.length < this.#size.rows) {
      const { item, row }: Place = place;
      const of = this.items.at(item);
      if (of === undefined) break;
      const cells = CELLS.slice(0, of.cells.length).map((cell): PageCell | undefined => {
        const wrapped = this.#wrappedAt(item, cell);
        return wrapped && { line: wrapped.line, pieces: wrapped.wrapping.row(row), ranges: wrapped.ranges };
      });
      rows.push({ item, row, of, cells });
      place = this.#after(place);
    }
    return rows;
  }

  /** Moves the top so that the cursor is on the screen, with what stands around a hunk when there is room. */
  #scroll(): void {
    const rows = Math.max(1, this.#size.rows);
    const margin = Math.min(MARGIN, Math.floor((rows - 1) / 2));
    if (this.#distance(this.#top, this.#cursor, rows) >= rows) {
      const isAbove = isBefore(this.#cursor, this.#top);
      this.#top = this.#moved(this.#cursor, isAbove ? -margin : margin + 1 - rows);
    }
    const end = this.#wanted === undefined ? undefined : this.items.rangeOf(this.#wanted)?.last;
    this.#wanted = undefined;
    if (end === undefined) return;
    // As much of the hunk as there is room for; its first row stays, with the margin before it.
    const above = this.#distance(this.#top, this.#cursor, rows);
    // To the end of its last line, however long that is: lines are wrapped only as far as they are shown.
    const height = this.#distance(this.#cursor, { item: end, row: Number.POSITIVE_INFINITY }, rows + 1);
    const missing = above + height + margin - rows;
    const next = Math.max(margin, above - Math.max(0, missing));
    if (missing > 0 && above > next) this.#top = this.#moved(this.#cursor, -next);
  }

  /** Rows from one place down to another; `most` if there are that many or more, or if it is above. */
  #distance(from: Place, to: Place, most: number): number {
    if (isBefore(to, from)) return most;
    let [place, distance]: [Place | undefined, number] = [from, 0];
    while (place !== undefined && distance < most && isBefore(place, to)) {
      place = this.#after(place);
      distance += 1;
    }
    return distance;
  }

  /** That many rows further down, or up, but not beyond the ends. */
  #moved(from: Place, rows: number): Place {
    let place = from;
    for (let left = Math.abs(rows); left > 0; left -= 1) {
      const next = rows > 0 ? this.#after(place) : this.#before(place);
      if (next === undefined) return place;
      place = next;
    }
    return place;
  }

  #after({ item, row }: Place): Place | undefined {
    if (CELLS.some((cell) => this.#wrappedAt(item, cell)?.wrapping.row(row + 1) !== undefined)) {
      return { item, row: row + 1 };
    }
    return item + 1 < this.items.length ? { item: item + 1, row: 0 } : undefined;
  }

  #before({ item, row }: Place): Place | undefined {
    if (row > 0) return { item, row: row - 1 };
    return item > 0 ? { item: item - 1, row: this.#heightOf(item - 1) - 1 } : undefined;
  }

  #heightOf(item: number): number {
    return Math.max(1, ...CELLS.map((cell) => this.#wrappedAt(item, cell)?.wrapping.all().length ?? 0));
  }

  #wrappedAt(item: number, cell: 0 | 1): WrappedCell | undefined {
    const key = 2 * item + cell;
    if (this.#wrapped.has(key)) return this.#wrapped.get(key);
    if (this.#wrapped.size >= MAX_KEPT) this.forget();
    const cells = this.items.at(item)?.cells ?? [];
    const columns = cells.length === 1 ? this.#size.columns : this.#size.halfColumns;
    const wrapped = this.#wrap(cells[cell], columns);
    this.#wrapped.set(key, wrapped);
    return wrapped;
  }

  #wrap(line: DiffLine | undefined, columns: number): WrappedCell | undefined {
    if (line === undefined) return undefined;
    const ranges = this.#decorate(line);
    const cuts = ranges.flatMap(({ from, to }) => [from, to]);
    // A fold has one row.
    const text = line.kind === 'fold' ? clip(line.text, columns) : line.text;
    return { line, ranges, wrapping: new Wrapping(text, columns, cuts) };
  }
}

function isBefore(a: Place, b: Place): boolean {
  return a.item < b.item || (a.item === b.item && a.row < b.row);
}
