import { stripVTControlCharacters } from 'node:util';

// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences are control characters
const MOVE = /\x1b\[(\d+);(\d+)H/;

/** What a terminal shows after the output of `Terminal`: it understands moves and nothing else, and drops colours. */
export class ScreenText {
  #rows: string[] = [];

  write(output: string): void {
    const [, ...moves] = output.split(MOVE);
    for (let at = 0; at + 2 < moves.length; at += 3) {
      const [row, column] = [Number(moves[at]) - 1, Number(moves[at + 1]) - 1];
      const text = stripVTControlCharacters(moves[at + 2] ?? '');
      this.#rows[row] = (column === 0 ? '' : (this.#rows[row] ?? '').padEnd(column)) + text;
    }
  }

  clear(): void {
    this.#rows = [];
  }

  get text(): string {
    return Array.from(this.#rows, (row = '') => row.trimEnd()).join('\n');
  }
}
