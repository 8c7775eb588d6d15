import type { Row, Style } from '../../../terminal/paint.ts';
import type { Size } from '../../../terminal/terminal.ts';
import { clip, clipStart, widthOf } from '../../../terminal/wrapping.ts';
import { describeOutcome } from './describe.ts';
import { drawDiff } from './draw-diff.ts';
import type { Entry } from './entry.ts';
import type { Layout } from './items.ts';
import type { Decorate } from './page.ts';

/** What is drawn. */
export interface ReviewState {
  readonly entries: readonly Entry[];
  readonly current: Entry | undefined;
  readonly layout: Layout;
  readonly nameOf: (path: string) => string;
  readonly decorate: Decorate;
  /** While nothing waits, say how to begin. */
  readonly hasDemo?: boolean;
}

/** What a click on a row means. */
export type Target =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'line'; readonly item: number; readonly row: number };

export interface DrawnRow {
  readonly row: Row;
  readonly target?: Target;
}

const DIM: Style = { weight: 'dim' };
const BOLD: Style = { weight: 'bold' };
const ALERT: Style = { weight: 'bold', colour: 'yellow' };
const MAX_LISTED = 8;

export function drawReview(state: ReviewState, { columns, rows }: Size): readonly DrawnRow[] {
  const head = [...listRows(state, columns, rows), ...titleRows(state, columns)];
  // On a small screen the diff itself has priority.
  const kept = head.slice(Math.max(0, head.length - Math.max(0, rows - 3)));
  return [...kept, ...bodyRows(state, { columns, rows: rows - kept.length })].slice(0, rows);
}

/** The list of proposals, if there are several. It says how many there are if it does not show all. */
function listRows({ entries, current, nameOf }: ReviewState, columns: number, rows: number): DrawnRow[] {
  const most = Math.min(MAX_LISTED, Math.floor(rows / 4));
  if (entries.length < 2 || most === 0) return [];
  const at = current === undefined ? 0 : entries.indexOf(current);
  const first = Math.max(0, Math.min(at - Math.floor(most / 2), entries.length - most));
  const shown = entries.slice(first, first + most);
  const listed = shown.map((entry, index): DrawnRow => {
    const isCurrent = entry === current;
    const { path, agent, set } = entry.proposal;
    const part = set === undefined ? '' : `, ${set.index + 1} of ${set.size}: ${set.title}`;
    const text = `${isCurrent ? '>' : ' '} ${first + index + 1}/${entries.length} ${nameOf(path)} (${agent}${part})`;
    return { row: [{ text: clip(text, columns), style: isCurrent ? BOLD : DIM }], target: { kind: 'entry', entry } };
  });
  if (shown.length === entries.length) return listed;
  const count = `  ${entries.length} changes wait; ${first + 1} to ${first + shown.length} are listed`;
  return [...listed, { row: [{ text: clip(count, columns), style: DIM }] }];
}

function titleRows({ current, nameOf }: ReviewState, columns: number): DrawnRow[] {
  if (current === undefined) return [];
  const { agent, oldText, base, path, set } = current.proposal;
  const changed =
    base === 'original' ? '' : `, ${base === 'merged' ? 'merged with' : 'in conflict with'} the changed file`;
  const part = set === undefined ? '' : `, ${set.index + 1} of ${set.size}: ${set.title}`;
  const about = ` (${oldText === undefined ? 'new file, ' : ''}proposed by ${agent}${changed}${part})`;
  const room = Math.max(10, columns - widthOf(clip(about, columns)));
  const name = clipStart(nameOf(path), room);
  return [
    {
      row: [
        { text: name, style: BOLD },
        { text: clip(about, columns - widthOf(name)), style: DIM },
      ],
    },
    { row: [{ text: clip(countsOf(current), columns), style: DIM }] },
  ];
}

function countsOf(entry: Entry): string {
  const { page, hunks, hunkCount, edited, undecided, isMarked } = entry;
  const [added, removed] = [
    hunks.reduce((sum, { newLines }) => sum + newLines.count, 0),
    hunks.reduce((sum, { oldLines }) => sum + oldLines.count, 0),
  ];
  const hunk = page.hunk === undefined ? '' : `hunk ${page.hunk + 1} of ${hunkCount}, `;
  const marks = isMarked
    ? `, ${entry.count('yes')} accepted, ${entry.count('no')} rejected, ${undecided} undecided`
    : '';
  return `${hunk}+${added} -${removed}${edited !== undefined ? ', your version' : ''}${marks}`;
}

const FIRST_STEPS = [
  '3  shows how to connect an agent to this folder',
  'd  shows with a scripted agent what happens then, in a scratch folder',
];

function bodyRows({ current, layout, decorate, hasDemo }: ReviewState, size: Size): readonly DrawnRow[] {
  if (current === undefined) {
    const lines = ['', 'Nothing waits for a decision.', ...(hasDemo ? ['', ...FIRST_STEPS] : [])];
    return lines.map((line) => ({ row: [{ text: clip(`  ${line}`, size.columns), style: DIM }] }));
  }
  if (current.outcome !== undefined) {
    const text = `  This change was ${describeOutcome(current.outcome, 'another')}.`;
    return [
      { row: [] },
      { row: [{ text: clip(text, size.columns), style: ALERT }] },
      { row: [] },
      { row: [{ text: clip('  Press any key.', size.columns) }] },
    ];
  }
  const { rows, places } = drawDiff(current, layout, decorate, size);
  return rows.map((row, index) => {
    const place = places[index];
    return place === undefined ? { row } : { row, target: { kind: 'line', item: place.item, row: place.row } };
  });
}
