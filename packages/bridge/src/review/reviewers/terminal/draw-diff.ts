import { type DiffLine, isTextLine } from '@hawser/diffs/diff-lines';
import type { Layout } from '@hawser/diffs/items';
import { widthOf } from '@hawser/terminal-text/wrapping';
import { BOLD, DIM } from '../../../terminal/fit-row.ts';
import type { Row, Span, Style, Tint } from '../../../terminal/paint.ts';
import { scrollbar } from '../../../terminal/scrollbar.ts';
import type { Size } from '../../../terminal/terminal.ts';
import type { Entry } from './entry.ts';
import type { Decorate, PageCell, PageRow } from './page.ts';
import { styleAt } from './style-ranges.ts';

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
  const [first, last] = [places[0]?.item ?? 0, places.at(-1)?.item ?? 0];
  const bar = scrollbar({ first, shown: last + 1 - first, of: page.items.length }, size.rows);
  const rows = places.map((row, index): Row => {
    const mark = bar[index];
    const drawn = drawRow(entry, row, columns);
    return mark === undefined ? drawn : [...drawn, { ...mark, column: size.columns - 1 }];
  });
  return { places, rows };
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
  const number = columns < LEAST_COLUMNS_FOR_NUMBERS ? 0 : Math.max(2, String(entry.lineCount).length);
  const room = number === 0 ? 0 : number + 1;
  // The bar, the label and a space; then line numbers, and a sign. The scrollbar has the last column.
  const before = 1 + label + 1;
  const half = Math.floor((columns - 1 - before - 2 * room - 2 - SEPARATOR.length) / 2);
  return {
    label,
    number,
    text: Math.max(1, columns - 1 - before - 2 * room - 1),
    half: Math.max(1, half),
    right: before + room + 1 + Math.max(1, half) + SEPARATOR.length,
  };
}

const SEPARATOR = ' │ ';

function drawRow(entry: Entry, place: PageRow, columns: Columns): Row {
  const { page } = entry;
  const { item, row, of, cells } = place;
  const isFirst = row === 0 && of.hunk !== undefined && page.items.rangeOf(of.hunk)?.first === item;
  const label = isFirst ? labelOf(entry, of.hunk) : '';
  const spans: Span[] = [
    edgeOf(entry, place),
    { text: `${label.padStart(columns.label)} `, style: markStyle(entry, of.hunk) },
  ];
  const [left, right] = cells;
  if (cells.length === 1) {
    return [...spans, ...drawCell(left, row, ['oldLine', 'newLine'], columns.number, columns.text)];
  }
  return [
    ...spans,
    ...drawCell(left, row, ['oldLine'], columns.number, columns.half),
    { text: SEPARATOR, style: DIM, column: columns.right - SEPARATOR.length },
    ...drawCell(right, row, ['newLine'], columns.number, columns.half),
  ];
}

/** The cursor, and a bar along the hunk that y and n decide. */
function edgeOf(entry: Entry, { item, row, of }: PageRow): Span {
  const { cursor, hunk } = entry.page;
  const isCursor = cursor.item === item && cursor.row === row;
  if (of.hunk === undefined || of.hunk !== hunk) return { text: isCursor ? '>' : ' ', style: BOLD };
  const mark = entry.mark(hunk);
  const colour = mark === undefined ? 'cyan' : mark === 'yes' ? 'green' : 'red';
  return { text: isCursor ? '>' : '▌', style: { weight: 'bold', colour } };
}

interface Look {
  readonly sign: string;
  readonly style: Style;
  readonly tint?: Tint;
}

const LOOKS: { readonly [kind in DiffLine['kind']]: Look } = {
  fold: { sign: ' ', style: { colour: 'cyan' } },
  about: { sign: ' ', style: DIM },
  note: { sign: '»', style: { colour: 'yellow' } },
  context: { sign: ' ', style: {} },
  removed: { sign: '-', style: { colour: 'red', tint: 'removed' }, tint: 'removed' },
  added: { sign: '+', style: { colour: 'green', tint: 'added' }, tint: 'added' },
};

/** Line numbers, the sign and the text, with the tint of the line to the end of its columns. */
function drawCell(
  cell: PageCell | undefined,
  row: number,
  sides: readonly ('oldLine' | 'newLine')[],
  number: number,
  columns: number,
): Span[] {
  if (cell === undefined) return [];
  const { line, pieces = [], ranges } = cell;
  const { sign, style, tint } = LOOKS[line.kind];
  const plain: Style = tint === undefined ? style : { tint };
  const texts = pieces.map(({ text, isEscape, at }) => {
    const own = { ...plain, ...styleAt(ranges, at) };
    return { text, style: isEscape ? { ...own, isReversed: own.isReversed !== true } : own };
  });
  const isSigned = row === 0 && cell.pieces !== undefined;
  const spans: Span[] = [...numbers(line, row, sides, number), { text: isSigned ? sign : ' ', style }, ...texts];
  if (tint === undefined) return spans;
  const width = texts.reduce((sum, { text }) => sum + widthOf(text), 0);
  return [...spans, { text: ' '.repeat(Math.max(0, columns - width)), style: { tint } }];
}

function numbers(line: DiffLine, row: number, sides: readonly ('oldLine' | 'newLine')[], number: number): Span[] {
  if (number === 0) return [];
  const texts = sides.map((side) => {
    const value = isTextLine(line) ? line[side] : undefined;
    return `${value === undefined || row > 0 ? '' : value + 1}`.padStart(number);
  });
  const { tint } = LOOKS[line.kind];
  return [{ text: `${texts.join(' ')} `, style: tint === undefined ? DIM : LOOKS[line.kind].style }];
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
