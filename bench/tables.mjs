export function figureTable(rows, names) {
  return alignedTable(
    ['measure', 'unit', ...names],
    rows.map(({ label, unit, figures }) => [label, unit, ...names.map((name) => figureCell(figures[name]))]),
  );
}

export function ratioTable(rows, names) {
  return alignedTable(
    ['measure', ...names.map((name) => `to ${name}`)],
    rows.map(({ label, ratios }) => [label, ...names.map((name) => ratioCell(ratios[name]))]),
  );
}

/** The targets for a contender's own figures, for the rows that have one. */
export function ownTable(rows, name) {
  const cell = ({ value, target, verdict }) => `${value.toFixed(3)} (≤ ${target.atMost}) ${verdict}`;
  return alignedTable(
    ['measure', 'unit', name],
    rows.map(({ label, unit, own }) => [label, unit, cell(own)]),
  );
}

function figureCell(figure) {
  if (figure === undefined) return '–';
  return `${plainNumber(figure.median)} ±${(figure.spread * 100).toFixed(0)}%`;
}

function ratioCell(cell) {
  if (cell === undefined) return '–';
  const { ratio, target, verdict } = cell;
  const times = `${ratio.toFixed(2)}×`;
  if (target === undefined) return times;
  if (target.timesFaster !== undefined) return `${times} faster (≥ ${target.timesFaster}) ${verdict}`;
  if (target.atMost !== undefined) return `${times} (≤ ${target.atMost}) ${verdict}`;
  return `${times} (≥ ${target.atLeast}) ${verdict}`;
}

function plainNumber(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : 2 });
}

function alignedTable(header, body) {
  const lines = [header, ...body];
  const widths = header.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  const [head, ...rest] = lines.map((cells) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
  return [head, widths.map((width) => '-'.repeat(width)).join('  '), ...rest].join('\n');
}
