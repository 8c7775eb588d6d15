import type { Hunk, LineRange } from '../../hunks/hunks.ts';
import type { DiffLine, DiffLines, TextLine } from './diff-lines.ts';

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
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'fold'; readonly count: number; readonly next: Following | undefined }
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
  readonly note: string;
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

  constructor({ lines, hunks, contextLines, layout, note }: ItemsOptions) {
    this.#lines = lines;
    this.#layout = layout;
    this.#segments =
      hunks.length === 0 ? [{ kind: 'note', text: note }] : segmentsOf(lines.oldCount, hunks, contextLines);
    const [firsts, places]: [number[], number[]] = [[], []];
    let length = 0;
    for (const [index, segment] of this.#segments.entries()) {
      firsts.push(length);
      if (segment.kind === 'hunk') places.push(index);
      length += this.#sizeOf(segment);
    }
    this.length = length;
    this.#firsts = firsts;
    this.#hunks = places;
  }

  at(index: number): Item | undefined {
    if (index < 0 || index >= this.length) return undefined;
    const place = this.#segmentAt(index);
    const segment = this.#segments[place];
    const offset = index - (this.#firsts[place] ?? 0);
    switch (segment?.kind) {
      case undefined:
        return undefined;
      case 'note':
        return { hunk: undefined, cells: [{ kind: 'note', text: segment.text }] };
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
    return { first, last: first + this.#sizeOf(segment) - 1 };
  }

  hunkAt(index: number): number | undefined {
    const segment = this.#segments[this.#segmentAt(index)];
    return segment?.kind === 'hunk' ? segment.hunk : undefined;
  }

  /** The hunk at the item, else the next one, else the last; undefined if there is none. */
  hunkFrom(index: number): number | undefined {
    const place = this.#segmentAt(index);
    const next = this.#hunks.findIndex((hunk) => hunk >= place);
    return next === -1 ? (this.#hunks.length > 0 ? this.#hunks.length - 1 : undefined) : next;
  }

  /** The item that shows a line of the same change; undefined if it is folded. */
  indexOf({ kind, oldLine, newLine }: TextLine): number | undefined {
    const place = this.#segments.findIndex((segment) => {
      if (segment.kind === 'context') {
        return kind === 'context' && isIn({ first: segment.newFirst, count: segment.count }, newLine);
      }
      return (
        segment.kind === 'hunk' && kind !== 'context' && (isIn(segment.old, oldLine) || isIn(segment.new, newLine))
      );
    });
    const [segment, first] = [this.#segments[place], this.#firsts[place] ?? 0];
    if (segment?.kind === 'context') return first + (newLine ?? 0) - segment.newFirst;
    if (segment?.kind !== 'hunk') return undefined;
    if (kind === 'removed') return first + (oldLine ?? 0) - segment.old.first;
    return first + (newLine ?? 0) - segment.new.first + (this.#layout === 'split' ? 0 : segment.old.count);
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
    [oldLine, newLine] = [oldLine + hidden, newLine + hidden];
    const next = hunk === undefined ? undefined : { shown: newLine, hunk };
    if (hidden > 0) segments.push({ kind: 'fold', count: hidden, next });
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

function isIn({ first, count }: LineRange, line: number | undefined): boolean {
  return line !== undefined && line >= first && line < first + count;
}
