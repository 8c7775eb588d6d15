import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CartStage, type CartTerminal } from '../../testing/screens/cart.ts';
import { type Cell, cellsOf, cellsWith } from '../../testing/screens/cells.ts';
import type { TmuxScreen } from '../../testing/tmux.ts';
import { contrastOf, type Rgb } from '../terminal/colours.ts';

const BACKGROUNDS = { dark: [30, 30, 30], light: [255, 255, 255] } as const;

let stage: CartStage;
let screen: TmuxScreen | undefined;

beforeEach(() => {
  stage = new CartStage();
});

afterEach(async () => {
  await screen?.close();
  await stage.house.dispose();
});

/** The change on the screen, once its code has colours. */
async function reviewing(terminal: CartTerminal): Promise<readonly (readonly Cell[])[]> {
  screen = await stage.open(terminal);
  await screen.shows('Nothing waits');
  stage.propose(await stage.agent());
  await screen.shows('hunk 1 of 3');
  await screen.press(']');
  await screen.shows('hunk 2 of 3');
  // The keyword of a removed line, once it has a colour of its own, all rows below it with their tint, and the bar along the
  // second hunk. A frame that is drawn anew, because the terminal has said late what stands behind it, comes row by row.
  const last = terminal.rows > 24 ? '.toFixed(2)' : 'this.items.reduce';
  const isDrawn = (coloured: string) => {
    const text = stripVTControlCharacters(coloured);
    const hasBar = /▌.*sum \+= item\.cents/.test(text) && !/▌.*if \(index === -1\)/.test(text);
    const row = coloured.split('\n').find((each) => stripVTControlCharacters(each).includes(last));
    return coloured.includes('let\x1b[') && row?.includes('48;') === true && hasBar;
  };
  const output = await screen.showsColoured(isDrawn);
  return await cellsOf(output, terminal.columns, terminal.rows);
}

const isGreen = ([red, green, blue]: Rgb) => green > red && green > blue;
const isRed = ([red, green, blue]: Rgb) => red > green && red > blue;

describe.each([
  [80, 24],
  [160, 45],
])('the review at %i×%i', (columns, rows) => {
  it.each([
    ['dark', 'truecolor'],
    ['light', 'truecolor'],
    ['dark', '256'],
    ['light', '256'],
  ] as const)(
    'on a %s background with %s colours: tints, words, syntax, and all of it can be read',
    async (background, colours) => {
      const cells = await reviewing({ columns, rows, background, colours });
      // Lines have their tint from the number to the edge.
      const edge = columns - 2;
      const rowWith = (text: string) =>
        cells.find((row) =>
          row
            .map((cell) => cell.text || ' ')
            .join('')
            .includes(text),
        ) ?? [];
      const [removed, added] = [rowWith('let sum').at(edge)?.behind, rowWith('this.items.reduce').at(edge)?.behind];
      expect([isRed(removed as Rgb), isGreen(added as Rgb)]).toEqual([true, true]);
      expect(cellsWith(cells, 'let sum').every(({ behind }) => String(behind) === String(removed))).toBe(true);
      // Unchanged lines have none.
      expect(cellsWith(cells, 'get subtotal').every(({ behind }) => behind === undefined)).toBe(true);
      // A bar stands along the hunk at the cursor.
      expect(rowWith('sum += item.cents').some(({ text }) => text === '▌')).toBe(true);
      expect(rowWith('if (index === -1)').some(({ text }) => text === '▌')).toBe(false);
      if (columns === 160) {
        const [word] = cellsWith(cells, '.toFixed(2)');
        expect(isGreen(word?.behind as Rgb) && String(word?.behind) !== String(added)).toBe(true);
        expect(cellsWith(cells, '> M src/cart.ts')[2]?.colour).toBeDefined();
        expect(cellsWith(cells, '+ shows more  export class Cart').at(-1)?.colour).toBeDefined();
      } else {
        expect(
          cells
            .slice(4, -2)
            .map((row) => row.at(-1)?.text)
            .join(''),
        ).toMatch(/^│*┃+│*$/);
      }
      expect(cellsWith(cells, 'hunk 2 of 3, +3 -6, in get subtotal(): number')[0]?.colour).toBeDefined();
      for (const { text, colour, behind } of cells.flat()) {
        if (text.trim() === '' || colour === undefined) continue;
        expect(contrastOf(colour, behind ?? BACKGROUNDS[background]), text).toBeGreaterThan(4.5);
      }
    },
  );
});
