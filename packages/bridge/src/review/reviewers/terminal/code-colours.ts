import { type Lines, linesOf } from '@hawser/diffs/lines';
import type { StyleRange } from './style-ranges.ts';

/** Lines that are coloured at once: a whole file would take too long between two keys. */
const CHUNK_LINES = 40;
const MAX_CHUNK_LINES = 80;
/** A chunk with more has very long lines, which stay without colours. */
const MAX_CHUNK_CHARACTERS = 20_000;

export interface CodeColoursOptions {
  readonly text: string;
  readonly highlight: (text: string) => readonly StyleRange[];
  /** Called when more lines have their colours. */
  readonly onReady: () => void;
}

/**
 * The colours of the lines of a text, in chunks, when they are first asked for. A chunk begins at a line that is not
 * indented, so that comments and strings of several lines are mostly within one.
 */
export class CodeColours {
  readonly #options: CodeColoursOptions;
  readonly #lines: Lines;
  /** The first line of each chunk, and after the last the number of lines. */
  readonly #chunks: readonly number[];
  readonly #colours = new Map<number, ReadonlyMap<number, StyleRange[]>>();
  readonly #waiting: number[] = [];

  constructor(options: CodeColoursOptions) {
    this.#options = options;
    this.#lines = linesOf(options.text);
    this.#chunks = chunksOf(options.text, this.#lines);
  }

  /** None until they are known. */
  rangesOf(line: number): readonly StyleRange[] {
    const chunk = this.#chunkOf(line);
    const colours = this.#colours.get(chunk);
    if (colours !== undefined) return colours.get(line) ?? [];
    if (!this.#waiting.includes(chunk)) {
      this.#waiting.push(chunk);
      if (this.#waiting.length === 1) setImmediate(this.#next);
    }
    return [];
  }

  readonly #next = (): void => {
    const [chunk] = this.#waiting;
    if (chunk === undefined) return;
    this.#colours.set(chunk, this.#colour(chunk));
    this.#waiting.shift();
    this.#options.onReady();
    // One at a time: keys come first.
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };

  #colour(chunk: number): ReadonlyMap<number, StyleRange[]> {
    const { text, highlight } = this.#options;
    const { starts } = this.#lines;
    const [first, end] = [this.#chunks[chunk] ?? 0, this.#chunks[chunk + 1] ?? 0];
    const [from, to] = [starts[first] ?? 0, starts[end] ?? text.length];
    const found = new Map<number, StyleRange[]>();
    if (to - from > MAX_CHUNK_CHARACTERS) return found;
    let line = first;
    for (const range of highlight(text.slice(from, to))) {
      while (line + 1 < end && (starts[line + 1] ?? 0) <= from + range.from) line += 1;
      // A range of several lines, such as a comment, is one range in each.
      for (let at = line; at < end && (starts[at] ?? 0) < from + range.to; at += 1) {
        const start = starts[at] ?? 0;
        const here = {
          from: Math.max(0, from + range.from - start),
          to: Math.min((starts[at + 1] ?? text.length) - start, from + range.to - start),
          style: range.style,
        };
        found.set(at, [...(found.get(at) ?? []), here]);
      }
    }
    return found;
  }

  #chunkOf(line: number): number {
    let [low, high] = [0, this.#chunks.length - 2];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#chunks[middle] ?? 0) <= line) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}

function chunksOf(text: string, { starts, count }: Lines): readonly number[] {
  const chunks = [0];
  let first = 0;
  for (let line = 1; line < count; line += 1) {
    const size = line - first;
    const isOuter = /^[^\s)\]}]/.test(text.slice(starts[line], (starts[line] ?? 0) + 1));
    if (size < CHUNK_LINES || (!isOuter && size < MAX_CHUNK_LINES)) continue;
    chunks.push(line);
    first = line;
  }
  return [...chunks, count];
}
