import { clip, widthOf, wrapWords } from '@hawser/terminal-text/wrapping';
import { BOLD } from './fit-row.ts';
import type { Row, Span, Style } from './paint.ts';
import type { View } from './view.ts';

const BAR: Style = { isReversed: true };
const ALERT: Style = { weight: 'bold', colour: 'yellow' };

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

/** A message in at most `most` rows, broken between words; what does not fit is replaced by dots. No row without a text. */
export function messageRows(text: string, columns: number, most: number): readonly Row[] {
  if (text === '' || most <= 0) return [];
  const lines = wrapWords(text, Math.max(1, columns));
  const shown = lines.length <= most ? lines : [...lines.slice(0, most - 1), lines.slice(most - 1).join(' ')];
  return shown.map((line) => [{ text: clip(line, columns), style: ALERT }]);
}

/** A row in reverse, as wide as the screen. */
export function barRow(text: string, columns: number): Row {
  const clipped = clip(` ${text}`, columns);
  return [{ text: clipped + ' '.repeat(Math.max(0, columns - widthOf(clipped))), style: BAR }];
}
