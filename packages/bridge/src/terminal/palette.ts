import { contrastOf, luminanceOf, mixed, nearest256, type Rgb, rgbOf256 } from './colours.ts';
import type { Colour, Tint } from './paint.ts';

/** WCAG AA. */
const LEAST_CONTRAST = 4.5;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

const INKS: { readonly [name in Colour | 'text']: { readonly onDark: Rgb; readonly onLight: Rgb } } = {
  text: { onDark: [230, 230, 230], onLight: [31, 35, 40] },
  red: { onDark: [255, 123, 114], onLight: [179, 29, 40] },
  green: { onDark: [86, 211, 100], onLight: [17, 99, 41] },
  yellow: { onDark: [229, 192, 123], onLight: [122, 78, 0] },
  blue: { onDark: [121, 184, 255], onLight: [5, 80, 174] },
  magenta: { onDark: [210, 168, 255], onLight: [111, 66, 193] },
  cyan: { onDark: [118, 217, 230], onLight: [10, 93, 107] },
  grey: { onDark: [150, 155, 160], onLight: [87, 96, 106] },
};

const [GREEN, RED]: [Rgb, Rgb] = [
  [46, 160, 67],
  [248, 81, 73],
];

/** How much of green or red is mixed into the background. */
const MIXTURES: { readonly [tint in Tint]: { readonly with: Rgb; readonly share: number } } = {
  added: { with: GREEN, share: 0.16 },
  removed: { with: RED, share: 0.14 },
  'added word': { with: GREEN, share: 0.42 },
  'removed word': { with: RED, share: 0.36 },
};

/** With 256 colours no mixture is near enough. */
const TINTS_256: { readonly [background in 'dark' | 'light']: { readonly [tint in Tint]: number } } = {
  dark: { added: 22, removed: 52, 'added word': 28, 'removed word': 88 },
  light: { added: 194, removed: 224, 'added word': 151, 'removed word': 217 },
};

/**
 * Colours that can be read on a background. Each is mixed with white, or with black, until its contrast is enough on
 * the tint, or the background, that it stands on.
 */
export class Palette {
  readonly #background: Rgb;
  readonly #depth: '256' | 'all';
  readonly #isDark: boolean;
  readonly #kept = new Map<string, string>();

  constructor(background: Rgb, depth: '256' | 'all') {
    this.#background = background;
    this.#depth = depth;
    this.#isDark = luminanceOf(background) < 0.18;
  }

  /** The parameters of the control sequence for a text colour, on a tint or on the background. */
  ink(colour: Colour | 'text', tint?: Tint): string {
    return this.#once(`${colour} ${tint}`, () => `38;${this.#codeOf(this.#readable(colour, tint))}`);
  }

  /** The same, for a background. */
  behind(tint: Tint): string {
    return this.#once(tint, () => `48;${this.#codeOf(this.#tintOf(tint))}`);
  }

  #once(key: string, make: () => string): string {
    const kept = this.#kept.get(key) ?? make();
    this.#kept.set(key, kept);
    return kept;
  }

  #tintOf(tint: Tint): Rgb {
    if (this.#depth === '256') return rgbOf256(TINTS_256[this.#isDark ? 'dark' : 'light'][tint]);
    const { with: colour, share } = MIXTURES[tint];
    return mixed(this.#background, colour, share);
  }

  #readable(name: Colour | 'text', tint: Tint | undefined): Rgb {
    const on = tint === undefined ? this.#background : this.#tintOf(tint);
    const ink = INKS[name][this.#isDark ? 'onDark' : 'onLight'];
    for (let share = 0; share < 1; share += 0.05) {
      const tried = this.#shown(mixed(ink, this.#isDark ? WHITE : BLACK, share));
      if (contrastOf(tried, on) >= LEAST_CONTRAST) return tried;
    }
    return this.#isDark ? WHITE : BLACK;
  }

  /** As a terminal of this depth shows it. */
  #shown(colour: Rgb): Rgb {
    return this.#depth === '256' ? rgbOf256(nearest256(colour)) : colour;
  }

  #codeOf(colour: Rgb): string {
    return this.#depth === '256' ? `5;${nearest256(colour)}` : `2;${colour.join(';')}`;
  }
}
