import type { Key } from './keys.ts';

/** The chosen row of a list, and which part of the list is on the screen. */
export class ListCursor {
  #at = 0;
  #first = 0;
  #rows = 1;

  get at(): number {
    return this.#at;
  }

  /** Chooses a row; the nearest one if the list is shorter. */
  choose(at: number, length: number): void {
    this.#at = Math.max(0, Math.min(at, length - 1));
  }

  /** False if the key does not move. */
  move(key: Key, length: number): boolean {
    const step = this.#stepOf(key);
    if (step === undefined) return false;
    this.choose(this.#at + step, length);
    return true;
  }

  /** The rows to draw, the chosen one among them. */
  window(length: number, rows: number): { readonly first: number; readonly end: number } {
    this.#rows = Math.max(1, rows);
    this.choose(this.#at, length);
    const least = Math.max(0, this.#at - this.#rows + 1);
    this.#first = Math.max(0, Math.min(Math.max(least, this.#first), this.#at, length - this.#rows));
    return { first: this.#first, end: Math.min(length, this.#first + this.#rows) };
  }

  /** Chooses what was clicked; false if nothing is there. `row` counts from the first row of the window. */
  click(row: number, length: number): boolean {
    const at = this.#first + row;
    if (row < 0 || row >= this.#rows || at >= length) return false;
    this.choose(at, length);
    return true;
  }

  #stepOf(key: Key): number | undefined {
    const page = Math.max(1, this.#rows - 1);
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
}

export const MOVE_HELP = [
  { keys: 'j k ↓ ↑', does: 'a line down, up' },
  { keys: 'Space b', does: 'a page down, up' },
  { keys: 'g G', does: 'the first, the last' },
] as const;
