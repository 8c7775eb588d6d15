/** A colour of a screen: red, green and blue, from 0 to 255. */
export type Rgb = readonly [number, number, number];

/** How many colours a terminal has: none, the sixteen that its user has chosen, 256, or all of them. */
export type ColourDepth = 'none' | '16' | '256' | 'all';

type Variables = Readonly<Record<string, string | undefined>>;

/** Terminals that have all colours and say so by their names alone. */
const WITH_ALL_COLOURS = /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|wezterm)(?:-|$)|-direct$/;

/** What the environment says. NO_COLOR counts first (no-color.org), then HAWSER_COLORS, COLORTERM and TERM. */
export function colourDepthOf({ NO_COLOR, HAWSER_COLORS, COLORTERM = '', TERM = '' }: Variables): ColourDepth {
  if ((NO_COLOR ?? '') !== '') return 'none';
  if (HAWSER_COLORS === '16' || HAWSER_COLORS === '256') return HAWSER_COLORS;
  const hasAll = HAWSER_COLORS === 'truecolor' || COLORTERM === 'truecolor' || COLORTERM === '24bit';
  if (hasAll || WITH_ALL_COLOURS.test(TERM)) return 'all';
  return TERM.includes('256color') ? '256' : '16';
}

const DARK: Rgb = [30, 30, 30];
const LIGHT: Rgb = [255, 255, 255];

/** The background colour, if the environment tells it: HAWSER_BACKGROUND, or COLORFGBG, which some terminals set. */
export function backgroundOf({ HAWSER_BACKGROUND, COLORFGBG = '' }: Variables): Rgb | undefined {
  if (HAWSER_BACKGROUND === 'light') return LIGHT;
  if (HAWSER_BACKGROUND === 'dark') return DARK;
  // `15;0` or `15;default;0`: the numbers of two of the sixteen colours, the second of them that of the background.
  const [, number] = /;(\d{1,2})$/.exec(COLORFGBG) ?? [];
  if (number === undefined) return undefined;
  return number === '7' || Number(number) > 8 ? LIGHT : DARK;
}

/** Where nothing is known of it. */
export const USUAL_BACKGROUND = DARK;

/** How bright people see a colour, from 0 to 1, as WCAG defines it. */
export function luminanceOf(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Between 1 and 21, as WCAG defines it. */
export function contrastOf(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** `share` of the second colour in the first one, from 0 to 1. */
export function mixed(one: Rgb, other: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => Math.round(one[index] + (other[index] - one[index]) * share);
  return [part(0), part(1), part(2)];
}

const STEPS = [0, 95, 135, 175, 215, 255] as const;

/** One of the 240 colours, from 16 on, that look the same in all terminals with 256. */
export function rgbOf256(code: number): Rgb {
  if (code >= 232) return [8 + (code - 232) * 10, 8 + (code - 232) * 10, 8 + (code - 232) * 10];
  const at = code - 16;
  const step = (index: number) => STEPS[index % 6] ?? 0;
  return [step(Math.floor(at / 36)), step(Math.floor(at / 6)), step(at)];
}

/** The nearest of them. */
export function nearest256(colour: Rgb): number {
  let [best, least] = [16, Number.POSITIVE_INFINITY];
  for (let code = 16; code < 256; code += 1) {
    const distance = rgbOf256(code).reduce((sum, part, index) => sum + (part - (colour[index] ?? 0)) ** 2, 0);
    if (distance < least) [best, least] = [code, distance];
  }
  return best;
}
