import type { Row } from './paint.ts';

/** A row that begins at this column. */
export function shifted(row: Row, by: number): Row {
  return row.map((span, index) => {
    const { column = index === 0 ? 0 : undefined } = span;
    return column === undefined ? span : { ...span, column: column + by };
  });
}
