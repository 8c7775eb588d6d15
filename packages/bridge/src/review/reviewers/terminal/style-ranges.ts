import { layeredRanges } from '@hawser/diffs/layered-ranges';
import type { Style } from '../../../terminal/paint.ts';

/** How a part of a line looks, in UTF-16 code units from its beginning. */
export interface StyleRange {
  readonly from: number;
  readonly to: number;
  readonly style: Style;
}

/** One list without overlaps, in order: where several ranges cover a place, a later list adds to and replaces an earlier one. */
export function layered(...lists: readonly (readonly StyleRange[])[]): readonly StyleRange[] {
  return layeredRanges(lists, (covering) => ({ style: Object.assign({}, ...covering.map(({ style }) => style)) }));
}

/** The style at an offset; undefined between ranges. Ranges are in order and don't overlap. */
export function styleAt(ranges: readonly StyleRange[], at: number): Style | undefined {
  return ranges.find(({ from, to }) => from <= at && at < to)?.style;
}
