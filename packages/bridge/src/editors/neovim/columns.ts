import { readFile } from 'node:fs/promises';
import type { Position, Range } from '../../editor.ts';
import type { RawRange } from '../language-answers.ts';
import type { NeovimLink } from './link.ts';

/** Converts the columns of a language server into UTF-16 code units. Reads a file only if the server counts otherwise. */
export class Columns {
  readonly #encoding: string;
  readonly #link: NeovimLink;
  readonly #lines = new Map<string, Promise<readonly string[]>>();

  constructor(encoding: string, link: NeovimLink) {
    this.#encoding = encoding;
    this.#link = link;
  }

  async range(path: string, { start, end }: RawRange): Promise<Range> {
    if (this.#encoding !== 'utf-8' && this.#encoding !== 'utf-32') return { start, end };
    const lines = await this.#linesOf(path);
    return { start: this.#convert(lines, start), end: this.#convert(lines, end) };
  }

  #convert(lines: readonly string[], { line, character }: Position): Position {
    const text = lines[line];
    if (text === undefined) return { line, character };
    const before =
      this.#encoding === 'utf-8'
        ? Buffer.from(text).subarray(0, character).toString()
        : [...text].slice(0, character).join('');
    return { line, character: before.length };
  }

  /** As the editor has them, unsaved changes included. */
  #linesOf(path: string): Promise<readonly string[]> {
    const lines = this.#lines.get(path) ?? this.#read(path);
    this.#lines.set(path, lines);
    return lines;
  }

  async #read(path: string): Promise<readonly string[]> {
    const shown = await this.#link.call('lines', [path]);
    if (Array.isArray(shown)) return shown as readonly string[];
    return await readFile(path, 'utf8').then(
      (text) => text.split(/\r\n|\n|\r/),
      () => [],
    );
  }
}
