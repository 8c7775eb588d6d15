import { isPrintable } from '@hawser/terminal-text/glyphs';
import { escaped } from '@hawser/terminal-text/wrapping';

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'grey';

/** The background of a line of a diff, and of the words that change in it. */
export type Tint = 'added' | 'removed' | 'added word' | 'removed word';

/** How a stretch of a row looks. */
export interface Style {
  readonly colour?: Colour;
  /** Terminals with few colours show it by the colour of the text, and words in reverse. */
  readonly tint?: Tint;
  readonly weight?: 'bold' | 'dim';
  readonly isReversed?: boolean;
  readonly isUnderlined?: boolean;
}

export interface Span {
  readonly text: string;
  readonly style?: Style;
  /** Where it begins, from 0, if not after the span before it. What the terminal thinks of the widths there is then no matter. */
  readonly column?: number;
}

/** One row of the screen. */
export type Row = readonly Span[];

/** The control sequences of a terminal. */
export interface Dialect {
  /** Goes to a place, counted from 0. */
  to(row: number, column: number): string;
  style(style: Style): string;
  plain(): string;
  clearToEnd(): string;
}

/** What is sent to draw one row. Whatever it holds, nothing of it but pictures reaches the terminal. */
export function paintRow(row: Row, at: number, dialect: Dialect): string {
  const spans = row.map(({ text, style, column }) => {
    const place = column === undefined ? '' : dialect.to(at, column);
    // The last check before the terminal: a mistake in making a row must not reach it.
    const shown = isPrintable(text) ? text : escaped(text);
    return style === undefined ? `${place}${shown}` : `${place}${dialect.style(style)}${shown}${dialect.plain()}`;
  });
  // Cleared first: after a full row the cursor stands on its last column, and clearing would take that.
  return `${dialect.to(at, 0)}${dialect.clearToEnd()}${spans.join('')}`;
}
