import type { Layout } from '@hawser/diffs/items';
import { clip, clipStart, widthOf } from '@hawser/terminal-text/wrapping';
import { shifted } from '../../../terminal/columns.ts';
import type { WorkspaceFacts } from '../../../terminal/facts.ts';
import { BOLD, DIM } from '../../../terminal/fit-row.ts';
import type { Row, Style } from '../../../terminal/paint.ts';
import type { Size } from '../../../terminal/terminal.ts';
import { isNoticed } from '../../resolve-decision.ts';
import { describeEnd, describeFile, describeProgress, describeProposal } from '../../viewing/describe.ts';
import type { Group } from '../../viewing/open-changes.ts';
import { type ListRow, listAbove, listBeside } from './change-list.ts';
import { drawDiff } from './draw-diff.ts';
import { drawIdle } from './draw-idle.ts';
import type { Entry } from './entry.ts';
import type { Decorate } from './page.ts';

/** What is drawn. */
export interface ReviewState {
  readonly entries: readonly Entry[];
  readonly current: Entry | undefined;
  /** As the user has chosen; undefined for what the width allows. */
  readonly chosenLayout: Layout | undefined;
  readonly nameOf: (path: string) => string;
  readonly groupOf: (entry: Entry) => Group<Entry>;
  readonly decorate: Decorate;
  /** Shown while nothing waits. */
  readonly facts: WorkspaceFacts | undefined;
  readonly hasDemo: boolean;
}

/** What a click means. */
export type Target =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'line'; readonly item: number; readonly row: number };

export interface DrawnReview {
  readonly rows: readonly Row[];
  readonly layout: Layout;
  /** False if the screen is too narrow to show both sides. */
  readonly canSplit: boolean;
  targetAt(row: number, column: number): Target | undefined;
}

interface DrawnRow {
  readonly row: Row;
  readonly target?: Target;
}

const ALERT: Style = { weight: 'bold', colour: 'yellow' };
/** The least width at which both sides of a diff have room for lines of code, and at which they can be shown at all. */
const WIDE_COLUMNS = 140;
const LEAST_COLUMNS_FOR_SPLIT = 60;
/** The least width that the list leaves to a diff of one column. */
const LEAST_COLUMNS_BESIDE = 94;

export function drawReview(state: ReviewState, size: Size): DrawnReview {
  const { columns, rows } = size;
  const canSplit = columns >= LEAST_COLUMNS_FOR_SPLIT;
  const list = listWidth(columns);
  const layout = canSplit ? (state.chosenLayout ?? layoutIn(state, columns - list)) : 'unified';
  const isBeside =
    state.current !== undefined && columns - list >= (layout === 'split' ? WIDE_COLUMNS : LEAST_COLUMNS_BESIDE);
  const width = isBeside ? columns - list : columns;
  const above = isBeside ? [] : listAbove(state, columns, rows).map(listed);
  const main = mainRows(state, above, layout, { columns: width, rows });
  const beside = isBeside ? listBeside(state, list - SEPARATOR.length, rows).map(listed) : [];
  return {
    layout,
    canSplit,
    rows: isBeside ? sideBySide(beside, main, list, rows) : main.map(({ row }) => row),
    targetAt: (row, column) => (column < columns - width ? beside[row] : main[row])?.target,
  };
}

/** A sixth of the screen, but no more than names of files need. */
function listWidth(columns: number): number {
  return Math.max(26, Math.min(40, Math.floor(columns / 6)));
}

/** Two columns need a wide window and an old text, which a new file does not have. */
function layoutIn({ current }: ReviewState, columns: number): Layout {
  return columns >= WIDE_COLUMNS && current?.proposal.oldText !== undefined ? 'split' : 'unified';
}

const SEPARATOR = ' │';

function sideBySide(list: readonly DrawnRow[], main: readonly DrawnRow[], at: number, rows: number): readonly Row[] {
  return Array.from({ length: rows }, (_, index) => [
    ...(list[index]?.row ?? []),
    { text: SEPARATOR, style: DIM, column: at - SEPARATOR.length },
    ...shifted(main[index]?.row ?? [], at),
  ]);
}

function listed({ row, entry }: ListRow): DrawnRow {
  return entry === undefined ? { row } : { row, target: { kind: 'entry', entry } };
}

function mainRows(
  state: ReviewState,
  above: readonly DrawnRow[],
  layout: Layout,
  { columns, rows }: Size,
): readonly DrawnRow[] {
  const head = [...above, ...titleRows(state, columns)];
  // On a small screen the diff itself has priority.
  const kept = head.slice(Math.max(0, head.length - Math.max(0, rows - 3)));
  return [...kept, ...bodyRows(state, layout, { columns, rows: rows - kept.length })].slice(0, rows);
}

function titleRows({ current, nameOf, groupOf }: ReviewState, columns: number): DrawnRow[] {
  if (current === undefined) return [];
  const { path, advice } = current.proposal;
  const { decided, size } = groupOf(current);
  const progress = describeProgress(current);
  const counted = size > 1 && current.proposal.set === undefined ? `, ${decided} of ${size} decided` : '';
  const about = ` (${describeProposal(current.proposal)}${counted})`;
  const room = Math.max(10, columns - widthOf(clip(about, columns)));
  const name = clipStart(nameOf(path), room);
  return [
    {
      row: [
        { text: name, style: BOLD },
        { text: clip(about, columns - widthOf(name)), style: isNoticed(current.proposal.effect) ? ALERT : DIM },
      ],
    },
    ...(advice === undefined ? [] : [{ row: [{ text: clip(advice, columns), style: ALERT }] }]),
    ...(progress === undefined ? [] : [{ row: [{ text: clip(progress, columns), style: ALERT }] }]),
    { row: [{ text: clip(countsOf(current), columns), style: DIM }] },
  ];
}

function countsOf(entry: Entry): string {
  const { page, hunks, edited, undecided, isMarked, notes, comparedRound: round } = entry;
  const [added, removed] = [
    hunks.reduce((sum, { newLines }) => sum + newLines.count, 0),
    hunks.reduce((sum, { oldLines }) => sum + oldLines.count, 0),
  ];
  const hunk = page.hunk === undefined ? '' : `hunk ${page.hunk + 1} of ${hunks.length}, `;
  const marks = isMarked
    ? `, ${entry.count('yes')} accepted, ${entry.count('no')} rejected, ${undecided} undecided`
    : '';
  const around = page.hunk === undefined ? undefined : entry.enclosing(page.hunk);
  const place = around === undefined ? '' : `, in ${around}`;
  const since = round === undefined ? '' : ` since round ${round.round}`;
  const noted = notes.length === 0 ? '' : `, ${notes.length} ${notes.length === 1 ? 'note' : 'notes'}`;
  return `${hunk}+${added} -${removed}${since}${edited !== undefined ? ', your version' : ''}${marks}${noted}${place}`;
}

function bodyRows(
  { current, decorate, facts, hasDemo, nameOf }: ReviewState,
  layout: Layout,
  size: Size,
): readonly DrawnRow[] {
  if (current === undefined) return drawIdle(facts, hasDemo, size).map((row) => ({ row }));
  if (current.outcome !== undefined) {
    const text = `  This change was ${describeEnd(current, current.outcome)}.`;
    const file = describeFile(current, nameOf(current.proposal.path));
    return [
      { row: [] },
      { row: [{ text: clip(text, size.columns), style: ALERT }] },
      ...(file === undefined ? [] : [{ row: [{ text: clip(`  ${file}`, size.columns) }] }]),
      { row: [] },
      { row: [{ text: clip('  Press any key.', size.columns) }] },
    ];
  }
  const { rows, places } = drawDiff(current, layout, decorate, size);
  return rows.map((row, index): DrawnRow => {
    const place = places[index];
    return place === undefined ? { row } : { row, target: { kind: 'line', item: place.item, row: place.row } };
  });
}
