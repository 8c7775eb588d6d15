import type { Style } from '../../../terminal/paint.ts';

/** How a part of a line looks, in UTF-16 code units from its beginning. */
export interface StyleRange {
  readonly from: number;
  readonly to: number;
  readonly style: Style;
}

/** One list without overlaps, in order: where several ranges cover a place, a later list adds to and replaces an earlier one. */
export function layered(...lists: readonly (readonly StyleRange[])[]): readonly StyleRange[] {
  const all = lists.flat();
  if (all.length < 2 || lists.filter((list) => list.length > 0).length < 2) return all;
  const cuts = [...new Set(all.flatMap(({ from, to }) => [from, to]))].sort((one, other) => one - other);
  return cuts.flatMap((from, index) => {
    const to = cuts[index + 1];
    const covering = all.filter((range) => range.from <= from && range.to > from);
    if (to === undefined || covering.length === 0) return [];
    return { from, to, style: Object.assign({}, ...covering.map(({ style }) => style)) };
  });
}

/** The style at an offset; undefined between ranges. Ranges are in order and don't overlap. */
export function styleAt(ranges: readonly StyleRange[], at: number): Style | undefined {
  return ranges.find(({ from, to }) => from <= at && at < to)?.style;
}
