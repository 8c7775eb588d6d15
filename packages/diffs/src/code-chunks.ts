import { type Lines, linesOf } from './lines.ts';

/** Lines that are coloured at once: a whole file would take too long between two keys. */
const CHUNK_LINES = 40;
const MAX_CHUNK_LINES = 80;
/** A chunk with more has very long lines, which stay without colours. */
const MAX_CHUNK_CHARACTERS = 20_000;

interface Offsets {
  readonly from: number;
  readonly to: number;
}

/** Ranges by line, in UTF-16 code units from its beginning. */
export type RangesByLine<Range> = ReadonlyMap<number, readonly Range[]>;

/**
 * A text in chunks that are coloured at once. A chunk begins at a line that is not indented, so that comments and strings of
 * several lines are mostly within one.
 */
export class CodeChunks {
  readonly #text: string;
  readonly #lines: Lines;
  /** The first line of each chunk, and after the last the number of lines. */
  readonly #chunks: readonly number[];

  constructor(text: string) {
    this.#text = text;
    this.#lines = linesOf(text);
    this.#chunks = chunksOf(text, this.#lines);
  }

  chunkOf(line: number): number {
    let [low, high] = [0, this.#chunks.length - 2];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#chunks[middle] ?? 0) <= line) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  /** `find` gets the text of the chunk, and returns ranges in order. */
  rangesOf<Range extends Offsets>(chunk: number, find: (text: string) => readonly Range[]): RangesByLine<Range> {
    const { starts } = this.#lines;
    const text = this.#text;
    const [first, end] = [this.#chunks[chunk] ?? 0, this.#chunks[chunk + 1] ?? 0];
    const [from, to] = [starts[first] ?? 0, starts[end] ?? text.length];
    const found = new Map<number, Range[]>();
    if (to - from > MAX_CHUNK_CHARACTERS) return found;
    let line = first;
    for (const range of find(text.slice(from, to))) {
      while (line + 1 < end && (starts[line + 1] ?? 0) <= from + range.from) line += 1;
      // A range of several lines, such as a comment, is one range in each.
      for (let at = line; at < end && (starts[at] ?? 0) < from + range.to; at += 1) {
        const start = starts[at] ?? 0;
        const here = {
          ...range,
          from: Math.max(0, from + range.from - start),
          to: Math.min((starts[at + 1] ?? text.length) - start, from + range.to - start),
        };
        found.set(at, [...(found.get(at) ?? []), here]);
      }
    }
    return found;
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
