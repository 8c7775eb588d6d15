import { type Pieces, Wrapping } from '../../../terminal/wrapping.ts';
import type { Diff, DiffLine } from './diff.ts';

/** A row of a line that may take several. */
export interface Place {
  readonly line: number;
  readonly row: number;
}

export interface PageRow extends Place {
  readonly of: DiffLine;
  readonly pieces: Pieces;
}

export interface PageSize {
  readonly columns: number;
  readonly rows: number;
}

const START: Place = { line: 0, row: 0 };
/** The number of wrapped lines that are cached: drawing again costs nothing, and a long diff does not fill the memory. */
const MAX_KEPT = 2000;

/** A diff of which a part is on the screen, with a cursor in it. Lines are wrapped when they are looked at. */
export class Page {
  readonly diff: Diff;
  #cursor = START;
  #top = START;
  #size: PageSize = { columns: 80, rows: 1 };
  #wrapped = new Map<number, Wrapping>();

  constructor(diff: Diff) {
    this.diff = diff;
    this.toHunk(0);
  }

  get cursor(): Place {
    return this.#cursor;
  }

  /** The hunk at the cursor, else the next one, else the last; undefined when there is none. */
  get hunk(): number | undefined {
    const { lines, starts } = this.diff;
    const here = lines[this.#cursor.line]?.hunk;
    if (here !== undefined || starts.length === 0) return here;
    const next = starts.findIndex((start) => start > this.#cursor.line);
    return next === -1 ? starts.length - 1 : next;
  }

  toHunk(hunk: number): void {
    const line = this.diff.starts[hunk];
    if (line !== undefined) this.#cursor = { line, row: 0 };
  }

  /** The hunk that far from this one, where there is one. */
  byHunks(step: 1 | -1): void {
    const { hunk } = this;
    if (hunk !== undefined) this.toHunk(hunk + step);
  }

  byRows(count: number): void {
    for (let left = Math.abs(count); left > 0; left -= 1) {
      const next = count > 0 ? this.#after(this.#cursor) : this.#before(this.#cursor);
      if (next === undefined) return;
      this.#cursor = next;
    }
  }

  byPages(step: 1 | -1): void {
    this.byRows(step * Math.max(1, this.#size.rows - 1));
  }

  toStart(): void {
    this.#cursor = START;
  }

  toEnd(): void {
    const line = this.diff.lines.length - 1;
    this.#cursor = { line, row: this.#wrappedAt(line).all().length - 1 };
  }

  /** What is on a screen of that size, the cursor among it. */
  rows(size: PageSize): readonly PageRow[] {
    if (size.columns !== this.#size.columns) this.#forgetWidth();
    this.#size = size;
    this.#scroll();
    const rows = this.#rowsFrom(this.#top);
    if (rows.length === size.rows) return rows;
    // After the end of the change there is nothing to see, before this there may be.
    for (let missing = size.rows - rows.length; missing > 0; missing -= 1) {
      this.#top = this.#before(this.#top) ?? this.#top;
    }
    return this.#rowsFrom(this.#top);
  }

  #rowsFrom(top: Place): readonly PageRow[] {
    const rows: PageRow[] = [];
    let place: Place | undefined = top;
    while (place !== undefined && rows.length < this.#size.rows) {
      const of: DiffLine | undefined = this.diff.lines[place.line];
      const pieces = this.#wrappedAt(place.line).row(place.row);
      if (of === undefined || pieces === undefined) break;
      rows.push({ ...place, of, pieces });
      place = this.#after(place);
    }
    return rows;
  }

  /** Moves the top so that the cursor is on the screen, with some of what stands before a hunk when there is room. */
  #scroll(): void {
    const rows = Math.max(1, this.#size.rows);
    let [place, distance]: [Place | undefined, number] = [this.#cursor, 0];
    while (place !== undefined && !isSame(place, this.#top) && distance < rows) {
      place = this.#before(place);
      distance += 1;
    }
    if (place !== undefined && isSame(place, this.#top) && distance < rows) return;
    const isAbove = isBefore(this.#cursor, this.#top);
    const margin = Math.min(4, Math.floor((rows - 1) / 2));
    let top = this.#cursor;
    for (let left = isAbove ? margin : rows - 1 - margin; left > 0; left -= 1) top = this.#before(top) ?? top;
    this.#top = top;
  }

  #forgetWidth(): void {
    this.#wrapped = new Map();
    this.#cursor = { line: this.#cursor.line, row: 0 };
    this.#top = { line: this.#top.line, row: 0 };
  }

  #after({ line, row }: Place): Place | undefined {
    if (this.#wrappedAt(line).row(row + 1) !== undefined) return { line, row: row + 1 };
    return line + 1 < this.diff.lines.length ? { line: line + 1, row: 0 } : undefined;
  }

  #before({ line, row }: Place): Place | undefined {
    if (row > 0) return { line, row: row - 1 };
    return line > 0 ? { line: line - 1, row: this.#wrappedAt(line - 1).all().length - 1 } : undefined;
  }

  #wrappedAt(line: number): Wrapping {
    const kept = this.#wrapped.get(line);
    if (kept !== undefined) return kept;
    if (this.#wrapped.size >= MAX_KEPT) this.#wrapped = new Map();
    const wrapped = new Wrapping(this.diff.lines[line]?.text ?? '', this.#size.columns);
    this.#wrapped.set(line, wrapped);
    return wrapped;
  }
}

function isSame(a: Place, b: Place): boolean {
  return a.line === b.line && a.row === b.row;
}

function isBefore(a: Place, b: Place): boolean {
  return a.line < b.line || (a.line === b.line && a.row < b.row);
}
