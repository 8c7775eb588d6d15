import type { DiffLine, DiffLines, PlainLine, TextLine } from './diff-lines.ts';
import type { Hunk, LineRange } from './hunks.ts';

/** How a diff is laid out: one line below the other, or the old text beside the new one. */
export type Layout = 'unified' | 'split';

/** What stands on one level of the screen: one line, or an old one and a new one. */
export interface Item {
  readonly hunk: number | undefined;
  /** One cell is as wide as the screen. */
  readonly cells: readonly [DiffLine] | readonly [TextLine | undefined, TextLine | undefined];
}

/** Items that follow one another. */
type Segment =
  | { readonly kind: 'about'; readonly text: string }
  | {
      readonly kind: 'fold';
      readonly oldFirst: number;
      readonly newFirst: number;
      readonly count: number;
      readonly next: Following | undefined;
    }
  | { readonly kind: 'context'; readonly oldFirst: number; readonly newFirst: number; readonly count: number }
  | { readonly kind: 'hunk'; readonly hunk: number; readonly old: LineRange; readonly new: LineRange };

/** New lines after a fold: the first that is shown, and the first of the hunk. */
interface Following {
  readonly shown: number;
  readonly hunk: number;
}

export interface ItemsOptions {
  readonly lines: DiffLines;
  readonly hunks: readonly Hunk[];
  /** How many unchanged lines are shown around each hunk. */
  readonly contextLines: number;
  readonly layout: Layout;
  /** Shown if there are no hunks. */
  readonly about: string;
  /** What the user says, each below its lines. */
  readonly notes: readonly PlacedNote[];
}

/** A note at a line of the diff, counted from 0; at the top without one. */
export interface PlacedNote {
  readonly line: PlainLine;
  readonly at?: { readonly side: 'old' | 'new'; readonly line: number };
}

/** All items of a diff, made when they are looked at. */
export class Items {
  readonly length: number;
  readonly #lines: DiffLines;
  readonly #layout: Layout;
  readonly #segments: readonly Segment[];
  /** The index of the first item of each segment. */
  readonly #firsts: readonly number[];
  /** The segment of each hunk. */
  readonly #hunks: readonly number[];
  /** The notes by their items, in order. Every other index of an item counts them, too. */
  readonly #notes: ReadonlyMap<number, PlainLine>;

  constructor({ lines, hunks, contextLines, layout, about, notes }: ItemsOptions) {
    this.#lines = lines;
    this.#layout = layout;
    this.#segments =
      hunks.length === 0 ? [{ kind: 'about', text: about }] : segmentsOf(lines.oldCount, hunks, contextLines);
    const [firsts, places]: [number[], number[]] = [[], []];
    let length = 0;
    for (const [index, segment] of this.#segments.entries()) {
      firsts.push(length);
      if (segment.kind === 'hunk') places.push(index);
      length += this.#sizeOf(segment);
    }
    this.length = length + notes.length;
    this.#firsts = firsts;
    this.#hunks = places;
    const placed = notes.map(({ line, at }) => ({
      line,
      after: at === undefined ? -1 : this.#itemOf(at.side, at.line),
    }));
    const inOrder = placed.toSorted((one, other) => one.after - other.after);
    this.#notes = new Map(inOrder.map(({ line, after }, index) => [after + 1 + index, line]));
  }

  at(index: number): Item | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const note = this.#notes.get(index);
    if (note !== undefined) return { hunk: this.hunkAt(index), cells: [note] };
    const item = this.#withoutNotes(index);
    const place = this.#segmentAt(item);
    const segment = this.#segments[place];
    const offset = item - (this.#firsts[place] ?? 0);
    switch (segment?.kind) {
      case undefined:
        return undefined;
      case 'about':
        return { hunk: undefined, cells: [segment] };
      case 'fold':
        return { hunk: undefined, cells: [this.#fold(segment)] };
      case 'context': {
        const line = this.#lines.context(segment.oldFirst + offset, segment.newFirst + offset);
        return { hunk: undefined, cells: this.#layout === 'split' ? [line, line] : [line] };
      }
      case 'hunk':
        return { hunk: segment.hunk, cells: this.#hunkCells(segment, offset) };
    }
  }

  /** The first and the last item of a hunk. */
  rangeOf(hunk: number): { readonly first: number; readonly last: number } | undefined {
    const place = this.#hunks[hunk];
    const segment = place === undefined ? undefined : this.#segments[place];
    if (place === undefined || segment === undefined) return undefined;
    const first = this.#firsts[place] ?? 0;
    return { first: this.#withNotes(first), last: this.#withNotes(first + this.#sizeOf(segment) - 1) };
  }

  hunkAt(index: number): number | undefined {
    const segment = this.#segments[this.#segmentAt(this.#withoutNotes(index))];
    return segment?.kind === 'hunk' ? segment.hunk : undefined;
  }

  /** Which line of its hunk an item is, from 0. Removed and added lines are counted separately. */
  lineInHunk(index: number): number {
    const item = this.#withoutNotes(index);
    const place = this.#segmentAt(item);
    const [segment, offset] = [this.#segments[place], item - (this.#firsts[place] ?? 0)];
    if (segment?.kind !== 'hunk') return 0;
    return this.#layout === 'unified' && offset >= segment.old.count ? offset - segment.old.count : offset;
  }

  /** The hunk at the item, else the next one, else the last; undefined if there is none. */
  hunkFrom(index: number): number | undefined {
    const place = this.#segmentAt(this.#withoutNotes(index));
    const next = this.#hunks.findIndex((hunk) => hunk >= place);
    return next === -1 ? (this.#hunks.length > 0 ? this.#hunks.length - 1 : undefined) : next;
  }

  /** The item that shows a line of the same change, or the fold that it is in. */
  indexOf({ oldLine, newLine }: TextLine): number {
    const item = newLine === undefined ? this.#itemOf('old', oldLine ?? 0) : this.#itemOf('new', newLine);
    return this.#withNotes(item);
  }

  #itemOf(side: 'old' | 'new', line: number): number {
    let found = 0;
    for (const [index, segment] of this.#segments.entries()) {
      if (segment.kind === 'about') continue;
      const { first, count } = linesIn(segment, side);
      if (line < first) break;
      const offset = Math.min(line - first, Math.max(0, count - 1));
      const isBelow = segment.kind === 'hunk' && side === 'new' && this.#layout === 'unified';
      const isFold = segment.kind === 'fold';
      if (count > 0) found = (this.#firsts[index] ?? 0) + (isFold ? 0 : offset + (isBelow ? segment.old.count : 0));
    }
    return found;
  }

  /** The item, counted without notes; of a note, the item above it. */
  #withoutNotes(index: number): number {
    let notes = 0;
    for (const at of this.#notes.keys()) if (at <= index) notes += 1;
    return Math.max(0, index - notes);
  }

  #withNotes(item: number): number {
    let index = item;
    for (const at of this.#notes.keys()) if (at <= index) index += 1;
    return index;
  }

  #fold({ count, next }: Segment & { kind: 'fold' }): DiffLine {
    const about = `⋯ ${count} unchanged ${count === 1 ? 'line' : 'lines'}, + shows more`;
    const around = next === undefined ? undefined : this.#lines.enclosing(next.hunk, next.shown);
    return { kind: 'fold', text: around === undefined ? about : `${about}  ${around}`, length: about.length };
  }

  #hunkCells({ old, new: now }: Segment & { kind: 'hunk' }, offset: number): Item['cells'] {
    const [oldLine, newLine] = [
      (at: number) => (at < old.count ? old.first + at : undefined),
      (at: number) => (at < now.count ? now.first + at : undefined),
    ];
    const removed = (at: number) => this.#lines.removed(old.first + at, newLine(at));
    const added = (at: number) => this.#lines.added(now.first + at, oldLine(at));
    if (this.#layout === 'split') {
      return [offset < old.count ? removed(offset) : undefined, offset < now.count ? added(offset) : undefined];
    }
    return [offset < old.count ? removed(offset) : added(offset - old.count)];
  }

  #sizeOf(segment: Segment): number {
    if (segment.kind === 'context') return segment.count;
    if (segment.kind !== 'hunk') return 1;
    const { old, new: now } = segment;
    return this.#layout === 'split' ? Math.max(old.count, now.count) : old.count + now.count;
  }

  #segmentAt(index: number): number {
    let [low, high] = [0, this.#firsts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#firsts[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function segmentsOf(oldCount: number, hunks: readonly Hunk[], contextLines: number): Segment[] {
  const segments: Segment[] = [];
  let [oldLine, newLine] = [0, 0];
  /** Unchanged lines up to a hunk or the end, folded but for the context of the hunks on both sides. */
  const unchanged = (until: number, before: number, after: number, hunk?: number) => {
    const count = until - oldLine;
    // A fold of one line would take the place of that line.
    const [head, tail] = count <= before + after + 1 ? [count, 0] : [before, after];
    const add = (lines: number) => {
      if (lines > 0) segments.push({ kind: 'context', oldFirst: oldLine, newFirst: newLine, count: lines });
      [oldLine, newLine] = [oldLine + lines, newLine + lines];
    };
    add(head);
    const hidden = count - head - tail;
    const [oldFirst, newFirst] = [oldLine, newLine];
    [oldLine, newLine] = [oldLine + hidden, newLine + hidden];
    const next = hunk === undefined ? undefined : { shown: newLine, hunk };
    if (hidden > 0) segments.push({ kind: 'fold', oldFirst, newFirst, count: hidden, next });
    add(tail);
  };
  for (const [hunk, { oldLines, newLines }] of hunks.entries()) {
    unchanged(oldLines.first, hunk === 0 ? 0 : contextLines, contextLines, newLines.first);
    segments.push({ kind: 'hunk', hunk, old: oldLines, new: newLines });
    [oldLine, newLine] = [oldLine + oldLines.count, newLine + newLines.count];
  }
  unchanged(oldCount, contextLines, 0);
  return segments;
}

function linesIn(segment: Exclude<Segment, { kind: 'about' }>, side: 'old' | 'new'): LineRange {
  if (segment.kind === 'hunk') return side === 'old' ? segment.old : segment.new;
  return { first: side === 'old' ? segment.oldFirst : segment.newFirst, count: segment.count };
}
