import { clip, clipStart, widthOf } from '../../../terminal/glyphs.ts';
import type { Row, Span, Style } from '../../../terminal/paint.ts';
import type { DiffLine } from './diff.ts';
import type { Entry } from './entry.ts';
import type { PageRow, PageSize } from './page.ts';
import { describeOutcome, type View } from './view.ts';

/** The view as rows of a screen of that size. */
export function draw(view: View, { columns, rows }: PageSize): readonly Row[] {
  const head = [statusRow(view, columns), ...listRows(view, columns, rows), ...titleRows(view, columns)];
  const foot = [noticeRow(view, columns), keysRow(view, columns)];
  // On a small screen the diff itself has priority.
  const least = Math.min(3, rows);
  const keptFoot = foot.slice(Math.max(0, foot.length - Math.max(0, rows - least)));
  const keptHead = head.slice(Math.max(0, head.length - Math.max(0, rows - least - keptFoot.length)));
  const room = rows - keptHead.length - keptFoot.length;
  const body = bodyRows(view, { columns, rows: room });
  const padding = Array.from({ length: Math.max(0, room - body.length) }, (): Row => []);
  return [...keptHead, ...body.slice(0, room), ...padding, ...keptFoot];
}

const DIM: Style = { weight: 'dim' };
const BOLD: Style = { weight: 'bold' };
const BAR: Style = { isReversed: true };
const ALERT: Style = { weight: 'bold', colour: 'yellow' };

function statusRow(view: View, columns: number): Row {
  const { status } = view;
  if (status === undefined) return [{ text: clip('hawser', columns), style: BAR }];
  const { agents, paused, shared, proposals } = status;
  const connected = agents.flatMap(({ clients }) => clients.filter(({ state }) => state === 'ready'));
  const words = [
    ...agents.flatMap(({ endpoints }) => endpoints),
    connected.length === 0 ? 'no agent' : connected.map(({ name }) => name).join(', '),
    paused
      ? 'PAUSED: shares nothing'
      : `shares ${shared.path === undefined ? 'no file' : view.nameOf({ path: shared.path })}`,
    `${proposals} waiting`,
  ];
  return [{ text: filled(` ${words.join(' | ')}`, columns), style: BAR }];
}

/** The list of proposals, if there are several. */
function listRows(view: View, columns: number, rows: number): Row[] {
  const { entries, current } = view;
  const most = Math.min(5, Math.floor(rows / 4));
  if (entries.length < 2 || most === 0) return [];
  const at = current === undefined ? 0 : entries.indexOf(current);
  const first = Math.max(0, Math.min(at - Math.floor(most / 2), entries.length - most));
  return entries.slice(first, first + most).map((entry, index) => {
    const isCurrent = entry === current;
    const number = `${first + index + 1}/${entries.length}`;
    const text = clip(
      `${isCurrent ? '>' : ' '} ${number} ${view.nameOf(entry.proposal)} (${entry.proposal.agent})`,
      columns,
    );
    return [{ text, style: isCurrent ? BOLD : DIM }];
  });
}

function titleRows(view: View, columns: number): Row[] {
  const { current } = view;
  if (current === undefined) return [];
  const { agent, oldText, base } = current.proposal;
  const changed =
    base === 'original' ? '' : `, ${base === 'merged' ? 'merged with' : 'in conflict with'} the changed file`;
  const about = ` (${oldText === undefined ? 'new file, ' : ''}proposed by ${agent}${changed})`;
  const room = Math.max(10, columns - widthOf(clip(about, columns)));
  const name = clipStart(view.nameOf(current.proposal), room);
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

function bodyRows(view: View, size: PageSize): readonly Row[] {
  const { current, overlay, leaving } = view;
  if (overlay === 'help') return helpOf(leaving).map((text) => [{ text: clip(text, size.columns) }]);
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

function noticeRow(view: View, columns: number): Row {
  const { overlay, current, notice, isBusy } = view;
  const text =
    overlay === 'leaving'
      ? 'End the bridge? y ends it, any other key goes back.'
      : isBusy
        ? 'Deciding…'
        : notice === '' && current?.isMarked === true && current.undecided === 0
          ? `All hunks decided, ${current.acceptedCount} of ${current.hunkCount} accepted: Enter sends it, u starts over.`
          : notice;
  return [{ text: clip(text, columns), style: ALERT }];
}

function keysRow({ current, leaving }: View, columns: number): Row {
  const leave = leaving === 'ask' ? 'q end' : 'q leave';
  const keys =
    current === undefined ? `${leave}  p pause  ? help` : `a accept  r reject  y/n hunk  e edit  ? help  ${leave}`;
  return [{ text: clip(keys, columns), style: DIM }];
}

const helpOf = (leaving: View['leaving']): string[] => [
  '  a            accept the change',
  '  r            reject it',
  '  y n          accept, reject the hunk at the cursor',
  '  Enter        send what y and n made of it, once all hunks are decided',
  '  u            clear y and n',
  '  e            edit the result in $VISUAL or $EDITOR; Esc drops the edit',
  '  j k ↓ ↑      a line down, up        Space b   a page',
  '  Tab ] [      next, previous hunk    g G       first, last line',
  '  ← → h l      previous, next change',
  '  p            pause: share nothing with agents; again to resume',
  leaving === 'ask'
    ? '  q            end the bridge, after asking'
    : '  q            leave; what is not decided stays open',
  '',
  '  Characters that cannot be shown appear as ^[ or <202E>, in reverse.',
];

function filled(text: string, columns: number): string {
  const clipped = clip(text, columns);
  return clipped + ' '.repeat(Math.max(0, columns - widthOf(clipped)));
}
