import xterm from '@xterm/headless';
import { type Rgb, rgbOf256 } from '../../src/terminal/colours.ts';

/** One place of a screen. */
export interface Cell {
  readonly text: string;
  /** Undefined for what the terminal has as its own, or as one of its sixteen colours. */
  readonly colour: Rgb | undefined;
  readonly behind: Rgb | undefined;
  readonly isReversed: boolean;
}

/** What a terminal shows of an output, cell by cell, as xterm.js understands it. */
export async function cellsOf(output: string, columns: number, rows: number): Promise<readonly (readonly Cell[])[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  try {
    await new Promise<void>((resolve) => terminal.write(output, resolve));
    return Array.from({ length: rows }, (_, row) => {
      const line = terminal.buffer.active.getLine(row);
      return Array.from({ length: columns }, (_, column): Cell => {
        const cell = line?.getCell(column);
        if (cell === undefined) return { text: '', colour: undefined, behind: undefined, isReversed: false };
        return {
          text: cell.getChars(),
          colour: rgbOf(cell.getFgColor(), cell.isFgRGB(), cell.isFgPalette()),
          behind: rgbOf(cell.getBgColor(), cell.isBgRGB(), cell.isBgPalette()),
          isReversed: cell.isInverse() !== 0,
        };
      });
    });
  } finally {
    terminal.dispose();
  }
}

function rgbOf(value: number, isRgb: boolean, isOf256: boolean): Rgb | undefined {
  if (isRgb) return [value >> 16, (value >> 8) & 0xff, value & 0xff];
  return isOf256 && value > 15 ? rgbOf256(value) : undefined;
}

/** The cells of the first row that contains this text, from its beginning to its end. */
export function cellsWith(cells: readonly (readonly Cell[])[], text: string): readonly Cell[] {
  for (const row of cells) {
    const at = row
      .map((cell) => (cell.text === '' ? ' ' : cell.text))
      .join('')
      .indexOf(text);
    if (at !== -1) return row.slice(at, at + text.length);
  }
  throw new Error(`Not on the screen: ${text}`);
}
