import type { Row, Span, Style } from './paint.ts';
import type { KeyHelp, View } from './view.ts';
import { clip, widthOf, wrapWords } from './wrapping.ts';

const BAR: Style = { isReversed: true };
const BOLD: Style = { weight: 'bold' };
const GAP = 2;

/** A tab and the columns that it takes. */
export interface Tab {
  readonly view: number;
  readonly from: number;
  readonly to: number;
}

/** The tab bar, and where each tab is, for clicks. */
export function tabBar(views: readonly View[], current: View, columns: number): { row: Row; tabs: readonly Tab[] } {
  const spans: Span[] = [];
  const tabs: Tab[] = [];
  let at = 0;
  for (const [view, each] of views.entries()) {
    const badge = each.badge === undefined || each.badge === '' ? '' : ` ${each.badge}`;
    const text = clip(` ${view + 1} ${each.title}${badge} `, columns - at);
    const width = widthOf(text);
    spans.push({ text, ...(each === current ? { style: { ...BAR, ...BOLD } } : {}) });
    tabs.push({ view, from: at, to: at + width });
    at += width;
  }
  return { row: spans, tabs };
}

/** A row in reverse, as wide as the screen. */
export function barRow(text: string, columns: number): Row {
  const clipped = clip(` ${text}`, columns);
  return [{ text: clipped + ' '.repeat(Math.max(0, columns - widthOf(clipped))), style: BAR }];
}

/** The keys of a view and those of the frame. Nothing is cut: what does not fit goes on in the next row. */
export function helpRows(title: string, view: readonly KeyHelp[], frame: readonly KeyHelp[], columns: number): Row[] {
  const most = Math.max(8, Math.floor(columns / 3));
  const keysWidth = Math.min(most, Math.max(...[...view, ...frame].map(({ keys }) => widthOf(keys))));
  const rowsOf = ({ keys, does }: KeyHelp): Row[] => {
    const room = Math.max(8, columns - keysWidth - 2 * GAP);
    const [left, right] = [wrapWords(keys, keysWidth), wrapWords(does, room)];
    return Array.from({ length: Math.max(left.length, right.length) }, (_, row) => {
      const name = left[row] ?? '';
      const padding = ' '.repeat(Math.max(0, keysWidth - widthOf(name)) + GAP);
      return [{ text: ' '.repeat(GAP) }, { text: name, style: BOLD }, { text: `${padding}${right[row] ?? ''}` }];
    });
  };
  return [
    [{ text: clip(title, columns), style: BOLD }],
    ...view.flatMap(rowsOf),
    [],
    [{ text: clip('Everywhere', columns), style: BOLD }],
    ...frame.flatMap(rowsOf),
  ];
}
