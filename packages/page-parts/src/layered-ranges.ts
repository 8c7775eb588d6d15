interface Range {
  readonly from: number;
  readonly to: number;
  readonly scope: string;
}

/** One list without overlaps, in order: where ranges of both lists cover a place, it has both scopes. */
export function layeredRanges(under: readonly Range[], over: readonly Range[]): readonly Range[] {
  if (over.length === 0) return under;
  const all = [...under, ...over];
  const cuts = [...new Set(all.flatMap(({ from, to }) => [from, to]))].sort((one, other) => one - other);
  return cuts.flatMap((from, index) => {
    const to = cuts[index + 1];
    const covering = all.filter((range) => range.from <= from && range.to > from);
    if (to === undefined || covering.length === 0) return [];
    return { from, to, scope: covering.map(({ scope }) => scope).join(' ') };
  });
}
