import { chosenRow, fitRow } from './fit-row.ts';
import type { Key } from './keys.ts';
import type { MouseEvent } from './mouse.ts';
import type { Row, Span } from './paint.ts';
import type { Size } from './terminal.ts';

/** A list with a chosen item, and which part of it is on the screen. */
export class ListCursor<Item> {
  #items: readonly Item[] = [];
  #at = 0;
  #first = 0;
  #rows = 1;

  get items(): readonly Item[] {
    return this.#items;
  }

  /** The chosen row stays; if the list is shorter, the nearest one. */
  set items(items: readonly Item[]) {
    this.#items = items;
    this.choose(this.#at);
  }

  get at(): number {
    return this.#at;
  }

  get chosen(): Item | undefined {
    return this.#items[this.#at];
  }

  /** Chooses a row; the nearest one if the list is shorter. */
  choose(at: number): void {
    this.#at = Math.max(0, Math.min(at, this.#items.length - 1));
  }

  /** False if the key does not move. */
  move(key: Key): boolean {
    const step = stepOf(key, this.#rows);
    if (step !== undefined) this.choose(this.#at + step);
    return step !== undefined;
  }

  /** The rows to draw, the chosen one among them. */
  draw(rows: number, draw: (item: Item, isChosen: boolean, at: number) => Row): readonly Row[] {
    this.#rows = Math.max(1, rows);
    const least = Math.max(0, this.#at - this.#rows + 1);
    this.#first = Math.max(0, Math.min(Math.max(least, this.#first), this.#at, this.#items.length - this.#rows));
    const shown = this.#items.slice(this.#first, this.#first + this.#rows);
    return shown.map((item, index) => draw(item, this.#first + index === this.#at, this.#first + index));
  }

  /** The same, the chosen one behind a `>` and in reverse. */
  drawList({ columns, rows }: Size, spansOf: (item: Item) => readonly Span[]): readonly Row[] {
    return this.draw(rows, (item, isChosen) => {
      const spans = [{ text: isChosen ? '> ' : '  ' }, ...spansOf(item)];
      return isChosen ? chosenRow(spans, columns) : fitRow(spans, columns);
    });
  }

  /** The wheel moves, and a click chooses what is there. True if something was clicked. The list is below a title. */
  mouse(event: MouseEvent): boolean {
    if (event.kind === 'wheel') {
      this.move(event.step === 1 ? 'down' : 'up');
      return false;
    }
    const [row, at] = [event.row - 1, this.#first + event.row - 1];
    if (row < 0 || row >= this.#rows || at >= this.#items.length) return false;
    this.choose(at);
    return true;
  }
}

/** How far a key moves in a list that shows this many rows; undefined for other keys. */
export function stepOf(key: Key, rows: number): number | undefined {
  const page = Math.max(1, rows - 1);
  switch (key) {
    case 'j':
    case 'down':
      return 1;
    case 'k':
    case 'up':
      return -1;
    case ' ':
    case 'page down':
      return page;
    case 'b':
    case 'page up':
      return -page;
    case 'g':
    case 'home':
      return Number.NEGATIVE_INFINITY;
    case 'G':
    case 'end':
      return Number.POSITIVE_INFINITY;
    default:
      return undefined;
  }
}

export const MOVE_HELP = [
  { keys: 'j k ↓ ↑', does: 'a line down, up' },
  { keys: 'Space b', does: 'a page down, up' },
  { keys: 'g G', does: 'the first, the last' },
] as const;
