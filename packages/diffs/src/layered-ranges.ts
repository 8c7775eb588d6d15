/** A part of a line, in UTF-16 code units from its beginning. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** One list without overlaps, in order. Where several ranges cover a place, it has what `join` makes of them; later lists come last. */
export function layeredRanges<Part extends Range>(
  lists: readonly (readonly Part[])[],
  join: (covering: readonly Part[]) => Omit<Part, keyof Range>,
): readonly (Omit<Part, keyof Range> & Range)[] {
  const filled = lists.filter((list) => list.length > 0);
  if (filled.length < 2) return filled[0] ?? [];
  const all = filled.flat();
  const cuts = [...new Set(all.flatMap(({ from, to }) => [from, to]))].sort((one, other) => one - other);
  return cuts.flatMap((from, index) => {
    const to = cuts[index + 1];
    const covering = all.filter((range) => range.from <= from && range.to > from);
    return to === undefined || covering.length === 0 ? [] : { ...join(covering), from, to };
  });
}
