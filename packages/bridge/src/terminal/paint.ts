import { isPrintable } from './glyphs.ts';
import { escaped } from './wrapping.ts';

export type Colour = keyof typeof COLOURS;

/** How a stretch of a row looks. */
export interface Style {
  readonly colour?: Colour;
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

const COLOURS = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36, grey: 90 } as const;

export function ansiDialect({ colours }: { readonly colours: 'yes' | 'no' }): Dialect {
  return {
    to: (row, column) => `\x1b[${row + 1};${column + 1}H`,
    style: ({ colour, weight, isReversed, isUnderlined }) => {
      const codes = [
        ...(weight === undefined ? [] : [weight === 'bold' ? 1 : 2]),
        ...(isUnderlined === true ? [4] : []),
        ...(isReversed === true ? [7] : []),
        ...(colour === undefined || colours === 'no' ? [] : [COLOURS[colour]]),
      ];
      return codes.length === 0 ? '' : `\x1b[${codes.join(';')}m`;
    },
    plain: () => '\x1b[0m',
    clearToEnd: () => '\x1b[K',
  };
}
