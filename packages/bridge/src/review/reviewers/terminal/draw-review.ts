import type { Row, Span, Style } from '../../../terminal/paint.ts';
import type { Size } from '../../../terminal/terminal.ts';
import { clip, clipStart, widthOf } from '../../../terminal/wrapping.ts';
import { describeOutcome } from './describe.ts';
import type { DiffLine } from './diff.ts';
import type { Entry } from './entry.ts';
import type { PageRow } from './page.ts';

/** What is drawn. */
export interface ReviewState {
  readonly entries: readonly Entry[];
  readonly current: Entry | undefined;
  readonly nameOf: (path: string) => string;
}

export function drawReview(state: ReviewState, { columns, rows }: Size): readonly Row[] {
  const head = [...listRows(state, columns, rows), ...titleRows(state, columns)];
  // On a small screen the diff itself has priority.
  const kept = head.slice(Math.max(0, head.length - Math.max(0, rows - 3)));
  return [...kept, ...bodyRows(state, { columns, rows: rows - kept.length })].slice(0, rows);
}

const DIM: Style = { weight: 'dim' };
const BOLD: Style = { weight: 'bold' };
const ALERT: Style = { weight: 'bold', colour: 'yellow' };

/** The list of proposals, if there are several. */
function listRows(state: ReviewState, columns: number, rows: number): Row[] {
  const { entries, current } = state;
  const most = Math.min(5, Math.floor(rows / 4));
  if (entries.length < 2 || most === 0) return [];
  const at = current === undefined ? 0 : entries.indexOf(current);
  const first = Math.max(0, Math.min(at - Math.floor(most / 2), entries.length - most));
  return entries.slice(first, first + most).map((entry, index) => {
    const isCurrent = entry === current;
    const number = `${first + index + 1}/${entries.length}`;
    const text = clip(
      `${isCurrent ? '>' : ' '} ${number} ${state.nameOf(entry.proposal.path)} (${entry.proposal.agent})`,
      columns,
    );
    return [{ text, style: isCurrent ? BOLD : DIM }];
  });
}

function titleRows(state: ReviewState, columns: number): Row[] {
  const { current } = state;
  if (current === undefined) return [];
  const { agent, oldText, base } = current.proposal;
  const changed =
    base === 'original' ? '' : `, ${base === 'merged' ? 'merged with' : 'in conflict with'} the changed file`;
  const about = ` (${oldText === undefined ? 'new file, ' : ''}proposed by ${agent}${changed})`;
  const room = Math.max(10, columns - widthOf(clip(about, columns)));
  const name = clipStart(state.nameOf(current.proposal.path), room);
  return [
    [
      { text: name, style: BOLD },
      { text: clip(about, columns - widthOf(name)), style: DIM },
    ],
    [{ text: clip(countsOf(current), columns), style: DIM }],
  ];
}

function countsOf(entry: Entry): string {
  const { page, hunkCount, edited, undecided, acceptedCount, isMarked } = entry;
  const { added, removed } = page.diff;
  const hunk = page.hunk === undefined ? '' : `hunk ${page.hunk + 1} of ${hunkCount}, `;
  const marks = isMarked ? `, ${acceptedCount} accepted, ${undecided} undecided` : '';
  return `${hunk}+${added} -${removed}${edited !== undefined ? ', your version' : ''}${marks}`;
}

function bodyRows(state: ReviewState, size: Size): readonly Row[] {
  const { current } = state;
  if (current === undefined) {
    return [[], [{ text: clip('  Nothing waits for a decision.', size.columns), style: DIM }]];
  }
  if (current.outcome !== undefined) {
    const text = `  This change was ${describeOutcome(current.outcome, 'another')}.`;
    return [
      [],
      [{ text: clip(text, size.columns), style: ALERT }],
      [],
      [{ text: clip('  Press any key.', size.columns) }],
    ];
  }
  const { page } = current;
  const gutter = String(current.hunkCount).length + 3;
  const columns = Math.max(1, size.columns - gutter - 2);
  return page.rows({ columns, rows: size.rows }).map((row) => diffRow(current, row, gutter));
}

const LOOKS: { readonly [kind in DiffLine['kind']]: { readonly sign: string; readonly style: Style } } = {
  header: { sign: '', style: { colour: 'cyan' } },
  context: { sign: ' ', style: {} },
  removed: { sign: '-', style: { colour: 'red' } },
  added: { sign: '+', style: { colour: 'green' } },
  note: { sign: ' ', style: DIM },
};

function diffRow(entry: Entry, { of, line, row, pieces }: PageRow, gutter: number): Row {
  const { page } = entry;
  const { sign, style } = LOOKS[of.kind];
  const isCursor = page.cursor.line === line && page.cursor.row === row;
  const isFirst = of.hunk !== undefined && row === 0 && page.diff.starts[of.hunk] === line;
  const spans: Span[] = [{ text: isCursor ? '>' : ' ', style: BOLD }];
  spans.push({ text: isFirst ? label(entry, of.hunk, gutter) : ' '.repeat(gutter), style: markStyle(entry, of.hunk) });
  spans.push({ text: row === 0 ? sign : ' '.repeat(sign.length), style });
  for (const { text, isEscape } of pieces)
    spans.push({ text, style: isEscape ? { ...style, isReversed: true } : style });
  return spans;
}

/** The number of a hunk and its mark: `2 ?`. */
function label(entry: Entry, hunk: number | undefined, width: number): string {
  if (hunk === undefined) return ' '.repeat(width);
  const mark = entry.mark(hunk);
  return `${hunk + 1} ${mark === undefined ? '?' : mark === 'yes' ? 'y' : 'n'} `.padStart(width);
}

function markStyle(entry: Entry, hunk: number | undefined): Style {
  const mark = hunk === undefined ? undefined : entry.mark(hunk);
  if (mark !== undefined) return { weight: 'bold', colour: mark === 'yes' ? 'green' : 'red' };
  return hunk !== undefined && hunk === entry.page.hunk ? BOLD : DIM;
}
