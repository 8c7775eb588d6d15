import { CodeChunks, type RangesByLine } from '@hawser/diffs/code-chunks';
import type { StyleRange } from './style-ranges.ts';

export interface CodeColoursOptions {
  readonly text: string;
  readonly highlight: (text: string) => readonly StyleRange[];
  /** Called when more lines have their colours. */
  readonly onReady: () => void;
}

/** The colours of the lines of a text, in chunks, when they are first asked for. */
export class CodeColours {
  readonly #options: CodeColoursOptions;
  readonly #chunks: CodeChunks;
  readonly #colours = new Map<number, RangesByLine<StyleRange>>();
  readonly #waiting: number[] = [];

  constructor(options: CodeColoursOptions) {
    this.#options = options;
    this.#chunks = new CodeChunks(options.text);
  }

  /** None until they are known. */
  rangesOf(line: number): readonly StyleRange[] {
    const chunk = this.#chunks.chunkOf(line);
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
    this.#colours.set(chunk, this.#chunks.rangesOf(chunk, this.#options.highlight));
    this.#waiting.shift();
    this.#options.onReady();
    // One at a time: keys come first.
    if (this.#waiting.length > 0) setImmediate(this.#next);
  };
}
