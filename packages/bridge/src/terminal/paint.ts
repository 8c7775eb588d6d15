import { escaped } from './glyphs.ts';

/** How a stretch of a row looks. */
export interface Style {
  readonly colour?: 'red' | 'green' | 'yellow' | 'cyan';
  readonly weight?: 'bold' | 'dim';
  readonly isReversed?: boolean;
}

export interface Span {
  readonly text: string;
  readonly style?: Style;
}

/** One row of the screen. */
export type Row = readonly Span[];

/** The control sequences of a terminal. */
export interface Dialect {
  /** Goes to the beginning of a row, counted from 0. */
  toRow(row: number): string;
  style(style: Style): string;
  plain(): string;
  clearToEnd(): string;
}

/** All that is sent to draw a screen. Whatever the rows hold, nothing of it but pictures reaches the terminal. */
export function paint(rows: readonly Row[], dialect: Dialect): string {
  const drawn = rows.map((row, index) => {
    const spans = row.map(({ text, style }) => {
      const printable = isPrintable(text) ? text : escaped(text);
      return style === undefined ? printable : `${dialect.style(style)}${printable}${dialect.plain()}`;
    });
    // Cleared first: after a full row the cursor stands on its last column, and clearing would take that.
    return `${dialect.toRow(index)}${dialect.clearToEnd()}${spans.join('')}`;
  });
  return drawn.join('');
}

const COLOURS = { red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export function ansiDialect({ colours }: { readonly colours: 'yes' | 'no' }): Dialect {
  return {
    toRow: (row) => `\x1b[${row + 1};1H`,
    style: ({ colour, weight, isReversed }) => {
      const codes = [
        ...(weight === undefined ? [] : [weight === 'bold' ? 1 : 2]),
        ...(isReversed === true ? [7] : []),
        ...(colour === undefined || colours === 'no' ? [] : [COLOURS[colour]]),
      ];
      return codes.length === 0 ? '' : `\x1b[${codes.join(';')}m`;
    },
    plain: () => '\x1b[0m',
    clearToEnd: () => '\x1b[K',
  };
}

/** The last check before the terminal. Rows contain printable texts; a mistake in making them must not reach it. */
function isPrintable(text: string): boolean {
  return !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
}
