/** ` Did you mean X?`, or nothing if no known name is close. */
export function suggestion(given: string, known: readonly string[]): string {
  const close = known
    .map((name) => ({ name, edits: editsBetween(given, name) }))
    .filter(({ name, edits }) => edits <= Math.max(given.length, name.length) * MAX_DIFFERENCE)
    .sort((one, other) => one.edits - other.edits);
  return close[0] === undefined ? '' : ` Did you mean ${close[0].name}?`;
}

/** As a part of the longer name. */
const MAX_DIFFERENCE = 0.4;

/** How many letters to insert, delete, replace or swap with their neighbour. */
function editsBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= other.length; column++) {
      const replaced = at(row - 1, column - 1) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const isSwapped = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const swapped = isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY;
      rows[row]?.push(Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, replaced, swapped));
    }
  }
  return at(one.length, other.length);
}
