import { clip, clipStart, widthOf } from '@hawser/terminal-text/wrapping';
import { BOLD, DIM } from '../../../terminal/fit-row.ts';
import type { Row, Span } from '../../../terminal/paint.ts';
import type { Group } from '../../viewing/open-changes.ts';
import type { Entry } from './entry.ts';

const MAX_LISTED = 8;

export interface ListState {
  readonly entries: readonly Entry[];
  readonly current: Entry | undefined;
  readonly nameOf: (path: string) => string;
  readonly groupOf: (entry: Entry) => Group<Entry>;
}

export interface ListRow {
  readonly row: Row;
  /** What a click shows. */
  readonly entry?: Entry;
}

/** The proposals above the diff, if there are several. It says how many there are if it does not show all. */
export function listAbove({ entries, current, nameOf }: ListState, columns: number, rows: number): readonly ListRow[] {
  const most = Math.min(MAX_LISTED, Math.floor(rows / 4));
  if (entries.length < 2 || most === 0) return [];
  const { first, shown } = windowAround(entries, current, most);
  const listed = shown.map((entry, index): ListRow => {
    const isCurrent = entry === current;
    const { path, agent, set } = entry.proposal;
    const part = set === undefined ? '' : `, ${set.index + 1} of ${set.size}: ${set.title}`;
    const text = `${isCurrent ? '>' : ' '} ${first + index + 1}/${entries.length} ${nameOf(path)} (${agent}${part})`;
    return { row: [{ text: clip(text, columns), style: isCurrent ? BOLD : DIM }], entry };
  });
  if (shown.length === entries.length) return listed;
  const count = `  ${entries.length} changes wait; ${first + 1} to ${first + shown.length} are listed`;
  return [...listed, { row: [{ text: clip(count, columns), style: DIM }] }];
}

/** The proposals beside the diff, also if there is one, under their agents and sets. */
export function listBeside(state: ListState, columns: number, rows: number): readonly ListRow[] {
  const { entries, current } = state;
  // Each may have a title above it.
  const { first, shown } = windowAround(entries, current, Math.max(1, Math.floor(rows / 2)));
  const list: ListRow[] = [];
  let group = '';
  for (const entry of shown) {
    const { decided, size } = state.groupOf(entry);
    const counted = size > 1 ? ` ${decided}/${size}` : '';
    const name = clip(entry.proposal.set?.title ?? entry.proposal.agent, columns - counted.length);
    const title = `${name}${counted}`;
    if (title !== group) list.push({ row: [{ text: title, style: DIM }] });
    group = title;
    list.push({ row: fileRow(state, entry, columns), entry });
  }
  const hidden = entries.length - shown.length;
  const more = `${first + 1} to ${first + shown.length} of ${entries.length}`;
  return (hidden > 0 ? [...list, { row: [{ text: clip(more, columns), style: DIM }] }] : list).slice(0, rows);
}

/** `> M src/cart.ts   2/3`: how many hunks are decided, once one is. */
function fileRow({ current, nameOf }: ListState, entry: Entry, columns: number): Row {
  const { path, oldText, base, progress } = entry.proposal;
  const isCurrent = entry === current;
  const marks = isCurrent && entry.isMarked ? ` ${entry.hunkCount - entry.undecided}/${entry.hunkCount}` : '';
  const kind: Span =
    progress?.kind === 'decided'
      ? { text: progress.decision === 'accepted' ? '✓' : '✗', style: DIM }
      : oldText === undefined
        ? { text: 'A', style: { colour: 'green' } }
        : base === 'conflict' || progress?.kind === 'failed'
          ? { text: '!', style: { colour: 'red', weight: 'bold' } }
          : { text: 'M', style: { colour: 'yellow' } };
  const room = Math.max(1, columns - 4 - marks.length);
  const name = clipStart(nameOf(path), room);
  return [
    { text: isCurrent ? '> ' : '  ', style: BOLD },
    kind,
    { text: ` ${name}${' '.repeat(Math.max(0, room - widthOf(name)))}`, ...(isCurrent && { style: BOLD }) },
    { text: marks, style: DIM },
  ];
}

function windowAround(entries: readonly Entry[], current: Entry | undefined, most: number) {
  const at = current === undefined ? 0 : entries.indexOf(current);
  const first = Math.max(0, Math.min(at - Math.floor(most / 2), entries.length - most));
  return { first, shown: entries.slice(first, first + most) };
}
