import type { Row, Span, Style } from '../../../terminal/paint.ts';
import type { Size } from '../../../terminal/terminal.ts';
import type { DiffLine } from './diff-lines.ts';
import type { Entry } from './entry.ts';
import type { Layout } from './items.ts';
import type { Decorate, PageCell, PageRow } from './page.ts';
import { styleAt } from './style-ranges.ts';

const DIM: Style = { weight: 'dim' };
const BOLD: Style = { weight: 'bold' };
/** On a narrower screen the text needs the room of the line numbers. */
const LEAST_COLUMNS_FOR_NUMBERS = 60;

export interface DrawnDiff {
  readonly rows: readonly Row[];
  /** What each row shows of the page. */
  readonly places: readonly PageRow[];
}

/** The diff of an entry as rows of a screen. */
export function drawDiff(entry: Entry, layout: Layout, decorate: Decorate, size: Size): DrawnDiff {
  const page = entry.pageIn(layout);
  const columns = columnsOf(entry, size.columns);
  const places = page.rows({ rows: size.rows, columns: columns.text, halfColumns: columns.half }, decorate);
  return { places, rows: places.map((row) => drawRow(entry, row, columns)) };
}

/** Widths of the parts of a row. */
interface Columns {
  /** The number of a hunk and its mark. */
  readonly label: number;
  /** A line number; 0 if none is shown. */
  readonly number: number;
  /** The text of a row with one cell. */
  readonly text: number;
  /** Each text of a row with two. */
  readonly half: number;
  /** Where the second of two begins. */
  readonly right: number;
}

function columnsOf(entry: Entry, columns: number): Columns {
  const label = String(entry.hunkCount).length + 2;
  const lines = entry.hunks.at(-1);
  const last =
    lines === undefined
      ? 0
      : Math.max(lines.oldLines.first + lines.oldLines.count, lines.newLines.first + lines.newLines.count);
  const number = columns < LEAST_COLUMNS_FOR_NUMBERS ? 0 : Math.max(2, String(last + 100).length);
  const room = number === 0 ? 0 : number + 1;
  // The cursor, the label and a space; then line numbers, and a sign.
  const before = 1 + label + 1;
  const half = Math.floor((columns - before - 2 * room - 2 - SEPARATOR.length) / 2);
  return {
    label,
    number,
    text: Math.max(1, columns - before - 2 * room - 1),
    half: Math.max(1, half),
    right: before + room + 1 + Math.max(1, half) + SEPARATOR.length,
  };
}

const SEPARATOR = ' │ ';

function drawRow(entry: Entry, place: PageRow, columns: Columns): Row {
  const { page } = entry;
  const { item, row, of, cells } = place;
  const isCursor = page.cursor.item === item && page.cursor.row === row;
  const isFirst = row === 0 && of.hunk !== undefined && page.items.rangeOf(of.hunk)?.first === item;
  const [left, right] = cells;
  const label = isFirst ? labelOf(entry, of.hunk) : '';
  const spans: Span[] = [
    { text: isCursor ? '>' : ' ', style: BOLD },
    { text: `${label.padStart(columns.label)} `, style: markStyle(entry, of.hunk) },
  ];
  if (cells.length === 1) {
    if (left !== undefined)
      spans.push(...numbers(left.line, row, ['oldLine', 'newLine'], columns), ...drawCell(left, row));
    return spans;
  }
  if (left !== undefined) spans.push(...numbers(left.line, row, ['oldLine'], columns), ...drawCell(left, row));
  spans.push({ text: SEPARATOR, style: DIM, column: columns.right - SEPARATOR.length });
  if (right !== undefined) spans.push(...numbers(right.line, row, ['newLine'], columns), ...drawCell(right, row));
  return spans;
}

function numbers(line: DiffLine, row: number, sides: readonly ('oldLine' | 'newLine')[], { number }: Columns): Span[] {
  if (number === 0) return [];
  const texts = sides.map((side) => {
    const value = line.kind === 'fold' || line.kind === 'note' ? undefined : line[side];
    return `${value === undefined || row > 0 ? '' : value + 1}`.padStart(number);
  });
  return [{ text: `${texts.join(' ')} `, style: numberStyle(line) }];
}

const LOOKS: { readonly [kind in DiffLine['kind']]: { readonly sign: string; readonly style: Style } } = {
  fold: { sign: ' ', style: { colour: 'cyan' } },
  note: { sign: ' ', style: DIM },
  context: { sign: ' ', style: {} },
  removed: { sign: '-', style: { colour: 'red' } },
  added: { sign: '+', style: { colour: 'green' } },
};

function numberStyle({ kind }: DiffLine): Style {
  return kind === 'removed' || kind === 'added' ? LOOKS[kind].style : DIM;
}

function drawCell({ line, pieces, ranges }: PageCell, row: number): Span[] {
  const { sign, style } = LOOKS[line.kind];
  if (pieces === undefined) return [];
  return [
    { text: row === 0 ? sign : ' ', style },
    ...pieces.map(({ text, isEscape, at }) => {
      const own = { ...style, ...styleAt(ranges, at) };
      return { text, style: isEscape ? { ...own, isReversed: own.isReversed !== true } : own };
    }),
  ];
}

/** The number of a hunk and its mark: `2 ?`. */
function labelOf(entry: Entry, hunk: number | undefined): string {
  if (hunk === undefined) return '';
  const mark = entry.mark(hunk);
  return `${hunk + 1} ${mark === undefined ? '?' : mark === 'yes' ? 'y' : 'n'}`;
}

function markStyle(entry: Entry, hunk: number | undefined): Style {
  const mark = hunk === undefined ? undefined : entry.mark(hunk);
  if (mark !== undefined) return { weight: 'bold', colour: mark === 'yes' ? 'green' : 'red' };
  return hunk !== undefined && hunk === entry.page.hunk ? BOLD : DIM;
}
