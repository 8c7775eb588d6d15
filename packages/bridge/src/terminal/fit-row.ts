import { clip, escaped, widthOf } from '@hawser/terminal-text/wrapping';
import type { Row, Span, Style } from './paint.ts';

/** A row that is not wider than the screen. What does not fit is replaced by dots. */
export function fitRow(spans: readonly Span[], columns: number): Row {
  const fitted: Span[] = [];
  let room = columns;
  for (const { text, style } of spans) {
    if (room <= 0) break;
    const shown = clip(text, room);
    fitted.push(style === undefined ? { text: shown } : { text: shown, style });
    room -= widthOf(shown);
  }
  return fitted;
}

/** The chosen row: in reverse, as wide as the screen. */
export function chosenRow(spans: readonly Span[], columns: number): Row {
  const row = fitRow(spans, columns);
  const width = row.reduce((sum, { text }) => sum + widthOf(text), 0);
  const style: Style = { isReversed: true };
  return [
    ...row.map((span) => ({ text: span.text, style })),
    { text: ' '.repeat(Math.max(0, columns - width)), style },
  ];
}

/** A column of a table. */
export function padded(text: string, width: number): string {
  const shown = clip(escaped(text), width);
  return `${shown}${' '.repeat(Math.max(0, width - widthOf(shown)))}`;
}

export const DIM: Style = { weight: 'dim' };
export const BOLD: Style = { weight: 'bold' };
