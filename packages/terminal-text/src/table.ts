import { clip, escaped, widthOf } from './wrapping.ts';

const GAP = 2;
/** Narrower columns say too little. */
const NARROWEST = 8;

/**
 * Rows as lines, in columns. With `columns`, the width of the terminal, the last column is clipped to fit, if that is not
 * enough the widest, and at last the first, which names the row; without, nothing is left out. Each cell is one line, with nothing in it that a
 * terminal would obey.
 */
export function tableLines(rows: readonly (readonly string[])[], columns: number | undefined): string[] {
  const cells = rows.map((row) => row.map((cell) => escaped(oneLine(cell))));
  const count = Math.max(0, ...cells.map((row) => row.length));
  const natural = Array.from({ length: count }, (_, index) =>
    Math.max(0, ...cells.map((row) => widthOf(row[index] ?? ''))),
  );
  const widths = columns === undefined ? natural : fitted(natural, columns - GAP * (count - 1));
  return cells.map((row) =>
    row
      .map((cell, index) => {
        const width = widths[index] ?? 0;
        const shown = columns === undefined ? cell : clip(cell, width);
        return index === row.length - 1 ? shown : shown + ' '.repeat(Math.max(0, width - widthOf(shown)));
      })
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

/** Takes from the last column first, then from the widest, and from the first column last. */
function fitted(natural: readonly number[], available: number): number[] {
  const widths = [...natural];
  const last = widths.length - 1;
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  const shrink = (index: number, least: number) => {
    const taken = Math.max(0, Math.min(excess, (widths[index] ?? 0) - least));
    widths[index] = (widths[index] ?? 0) - taken;
    excess -= taken;
  };
  shrink(last, NARROWEST * 3);
  while (excess > 0) {
    const later = widths.slice(1);
    const widest = 1 + later.indexOf(Math.max(...later));
    if ((widths[widest] ?? 0) <= NARROWEST) break;
    const others = later.filter((_, index) => index + 1 !== widest);
    shrink(widest, Math.max(NARROWEST, Math.max(0, ...others) - 1));
  }
  shrink(0, NARROWEST);
  return widths;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
