import { type ColourDepth, type Rgb, USUAL_BACKGROUND } from './colours.ts';
import type { Colour, Dialect, Style, Tint } from './paint.ts';
import { Palette } from './palette.ts';

export interface AnsiDialectOptions {
  readonly colours: ColourDepth;
  /** The background colour; undefined if unknown. */
  readonly background?: Rgb | undefined;
}

/** The control sequences that all terminals have, for as many colours as this one has. */
export function ansiDialect({ colours, background }: AnsiDialectOptions): Dialect {
  const codes = colours === '256' || colours === 'all' ? manyColours(colours, background) : fewColours(colours);
  return {
    to: (row, column) => `\x1b[${row + 1};${column + 1}H`,
    style: (style) => {
      const { weight, isUnderlined, isReversed, ...rest } = codes.replaced(style);
      const all = [
        ...(weight === undefined ? [] : [weight === 'bold' ? 1 : 2]),
        ...(isUnderlined === true ? [4] : []),
        ...(isReversed === true ? [7] : []),
        ...codes.colours(rest),
      ];
      return all.length === 0 ? '' : `\x1b[${all.join(';')}m`;
    },
    plain: () => '\x1b[0m',
    clearToEnd: () => '\x1b[K',
  };
}

interface Codes {
  /** The style that takes the place of one that the terminal does not have, or does not show well. */
  replaced(style: Style): Style;
  colours(style: Style): readonly (number | string)[];
}

const SIXTEEN: { readonly [colour in Colour]: number } = {
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  grey: 90,
};

const INSTEAD: { readonly [tint in Tint]: (style: Style) => Style } = {
  // What is removed need not be read as code.
  removed: () => ({ colour: 'red' }),
  added: ({ colour = 'green' }) => ({ colour }),
  'removed word': ({ isReversed }) => ({ colour: 'red', isReversed: isReversed !== true }),
  'added word': ({ isReversed }) => ({ colour: 'green', isReversed: isReversed !== true }),
};

function fewColours(colours: 'none' | '16'): Codes {
  return {
    replaced: (style) => (style.tint === undefined ? style : { ...style, ...INSTEAD[style.tint](style) }),
    colours: ({ colour }) => (colour === undefined || colours === 'none' ? [] : [SIXTEEN[colour]]),
  };
}

/** On a tint, text always has a colour that can be read there. Elsewhere the terminal's own, unless the background is known. */
function manyColours(depth: '256' | 'all', background: Rgb | undefined): Codes {
  const palette = new Palette(background ?? USUAL_BACKGROUND, depth);
  return {
    replaced: (style) => {
      const { weight, ...rest } = style;
      // Terminals differ in how much they dim, and some leave nothing to read.
      return weight === 'dim' && background !== undefined ? { colour: 'grey', ...rest } : style;
    },
    colours: ({ colour, tint }) => {
      if (tint !== undefined) return [palette.ink(colour ?? 'text', tint), palette.behind(tint)];
      if (colour === undefined) return [];
      return [background === undefined ? SIXTEEN[colour] : palette.ink(colour)];
    },
  };
}
