import { describe, expect, it } from 'vitest';
import { ansiDialect } from './ansi-dialect.ts';
import { backgroundAnswer } from './background-question.ts';
import { backgroundOf, type ColourDepth, colourDepthOf, contrastOf, type Rgb, rgbOf256 } from './colours.ts';
import type { Colour, Style, Tint } from './paint.ts';

const COLOURS: readonly (Colour | undefined)[] = [
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
  'grey',
  undefined,
];
const TINTS: readonly Tint[] = ['added', 'removed', 'added word', 'removed word'];
const BACKGROUNDS: readonly (readonly [string, Rgb])[] = [
  ['black', [0, 0, 0]],
  ['dark', [30, 30, 30]],
  ['Solarized dark', [0, 43, 54]],
  ['Nord', [46, 52, 64]],
  ['Solarized light', [253, 246, 227]],
  ['white', [255, 255, 255]],
];

/** What a style is in a terminal: the colour of the text and that behind it. */
function shown(style: Style, colours: ColourDepth, background: Rgb | undefined) {
  const codes = ansiDialect({ colours, background }).style(style);
  const colourAfter = (start: string): Rgb | undefined => {
    const [, many, few] = new RegExp(`${start};(?:2;(\\d+;\\d+;\\d+)|5;(\\d+))`).exec(codes) ?? [];
    if (many !== undefined) return many.split(';').map(Number) as unknown as Rgb;
    return few === undefined ? undefined : rgbOf256(Number(few));
  };
  return { text: colourAfter('38'), behind: colourAfter('48') };
}

describe('colours', () => {
  it.each(BACKGROUNDS)('every colour can be read on every tint and on a background that is %s', (_, background) => {
    for (const colours of ['256', 'all'] as const) {
      for (const colour of COLOURS) {
        for (const tint of TINTS) {
          const { text, behind } = shown({ tint, ...(colour && { colour }) }, colours, background);
          expect(contrastOf(text as Rgb, behind as Rgb), `${colour} on ${tint} (${colours})`).toBeGreaterThan(4.5);
        }
        if (colour === undefined) continue;
        const { text } = shown({ colour }, colours, background);
        expect(contrastOf(text as Rgb, background), `${colour} (${colours})`).toBeGreaterThan(4.5);
      }
    }
  });

  it('the words that change stand out from their line', () => {
    for (const [, background] of BACKGROUNDS) {
      for (const colours of ['256', 'all'] as const) {
        for (const tint of ['added', 'removed'] as const) {
          const [line, word] = [tint, `${tint} word` as const].map(
            (each) => shown({ tint: each }, colours, background).behind,
          );
          expect(contrastOf(line as Rgb, word as Rgb)).toBeGreaterThan(1.2);
        }
      }
    }
  });

  it('on an unknown background only what has a tint has colours of ours', () => {
    const { style } = ansiDialect({ colours: 'all' });
    expect(style({ colour: 'blue' })).toBe('\x1b[34m');
    expect(style({ weight: 'dim' })).toBe('\x1b[2m');
    expect(style({ colour: 'blue', tint: 'added' })).toMatch(/38;2;[\d;]+;48;2;[\d;]+m$/);
  });

  it('with sixteen colours a tint is the colour of the text, and words are in reverse; without any only words are seen', () => {
    const [sixteen, none] = [ansiDialect({ colours: '16' }), ansiDialect({ colours: 'none' })];
    expect(sixteen.style({ tint: 'removed', colour: 'blue' })).toBe('\x1b[31m');
    expect(sixteen.style({ tint: 'added', colour: 'blue' })).toBe('\x1b[34m');
    expect(sixteen.style({ tint: 'added' })).toBe('\x1b[32m');
    expect(sixteen.style({ tint: 'added word', colour: 'blue' })).toBe('\x1b[7;32m');
    expect(sixteen.style({ tint: 'added word', isReversed: true })).toBe('\x1b[32m');
    expect(TINTS.map((tint) => none.style({ tint }))).toEqual(['', '', '\x1b[7m', '\x1b[7m']);
  });

  it.each([
    [{ TERM: 'xterm' }, '16'],
    [{ TERM: 'linux' }, '16'],
    [{}, '16'],
    [{ TERM: 'xterm-256color' }, '256'],
    [{ TERM: 'tmux-256color', COLORTERM: 'truecolor' }, 'all'],
    [{ TERM: 'xterm-256color', COLORTERM: '24bit' }, 'all'],
    [{ TERM: 'xterm-kitty' }, 'all'],
    [{ TERM: 'alacritty' }, 'all'],
    [{ TERM: 'xterm-direct' }, 'all'],
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor', HAWSER_COLORS: '16' }, '16'],
    [{ TERM: 'screen', HAWSER_COLORS: 'truecolor' }, 'all'],
    [{ TERM: 'screen', HAWSER_COLORS: 'nonsense' }, '16'],
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor', NO_COLOR: '1', HAWSER_COLORS: '256' }, 'none'],
    [{ TERM: 'xterm-256color', NO_COLOR: '' }, '256'],
  ])('%j says how many there are: %s', (variables, depth) => {
    expect(colourDepthOf(variables)).toBe(depth);
  });

  it.each([
    [{}, undefined],
    [{ COLORFGBG: '15;0' }, 'dark'],
    [{ COLORFGBG: '15;default;8' }, 'dark'],
    [{ COLORFGBG: '0;15' }, 'light'],
    [{ COLORFGBG: '0;7' }, 'light'],
    [{ COLORFGBG: 'default;default' }, undefined],
    [{ COLORFGBG: '15;0', HAWSER_BACKGROUND: 'light' }, 'light'],
    [{ COLORFGBG: '0;15', HAWSER_BACKGROUND: 'dark' }, 'dark'],
    [{ HAWSER_BACKGROUND: 'pink' }, undefined],
  ])('%j says what stands behind the text: %s', (variables, known) => {
    const background = backgroundOf(variables);
    expect(background === undefined ? undefined : background[0] > 127 ? 'light' : 'dark').toBe(known);
  });

  it.each([
    ['\x1b]11;rgb:1e1e/2020/ffff\x1b\\', [30, 32, 255]],
    ['\x1b]11;rgb:ff/00/80\x07', [255, 0, 128]],
    ['\x1b]11;rgba:0000/8080/ffff/ffff\x1b\\', [0, 128, 255]],
    ['\x1b[?62;22c', 'no more'],
    ['\x1b]10;rgb:ffff/ffff/ffff\x07', undefined],
    ['\x1b]11;red\x07', undefined],
    ['\x1b[1;5C', undefined],
  ])('the terminal answers %j', (sequence, answer) => {
    expect(backgroundAnswer(sequence)).toEqual(answer);
  });
});
