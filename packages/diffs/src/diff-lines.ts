import { enclosingLine } from './enclosing.ts';
import { type Lines, linesOf, splitLineEnd } from './lines.ts';

/** One line of a diff on the screen. */
export type DiffLine = TextLine | FoldLine | PlainLine;

export interface TextLine {
  readonly kind: 'context' | 'removed' | 'added';
  /** What is shown of it: a line end that is not as usual is part of it. */
  readonly text: string;
  /** How much of `text` is the line itself. */
  readonly length: number;
  /** Line numbers from 0, on the sides that have it. */
  readonly oldLine: number | undefined;
  readonly newLine: number | undefined;
  /** The line that stands beside it: what one removes and the other adds. */
  readonly partner: string | undefined;
}

/** Unchanged lines that are not shown, and what the lines after them are part of. */
export interface FoldLine {
  readonly kind: 'fold';
  readonly text: string;
  /** How much of `text` is about the lines. */
  readonly length: number;
}

/** `about` is about the change as a whole; `note` is what the user says. */
export interface PlainLine {
  readonly kind: 'about' | 'note';
  readonly text: string;
  /** What the line says, if it can still be taken back. */
  readonly note?: object;
}

export function isTextLine(line: DiffLine | undefined): line is TextLine {
  return line !== undefined && line.kind !== 'fold' && line.kind !== 'about' && line.kind !== 'note';
}

const NO_LINE_END = '  \\ No newline at end of file';

/** Makes the lines of a diff when they are looked at: a long one has many more than are ever on the screen. */
export class DiffLines {
  readonly #oldText: string;
  readonly #newText: string;
  readonly #old: Lines;
  readonly #new: Lines;
  readonly #isMarkdown: boolean;
  readonly #enclosing = new Map<string, string | undefined>();

  constructor(path: string, oldText: string, newText: string) {
    this.#isMarkdown = /\.(?:md|markdown)$/i.test(path);
    this.#oldText = oldText;
    this.#newText = newText;
    this.#old = linesOf(oldText);
    this.#new = linesOf(newText);
  }

  get oldCount(): number {
    return this.#old.count;
  }

  get newCount(): number {
    return this.#new.count;
  }

  /** The function or class around a new line, or its heading, unless that is among the lines from `before` on. */
  enclosing(newLine: number, before = newLine): string | undefined {
    const key = `${newLine} ${before}`;
    if (!this.#enclosing.has(key)) {
      const source = { text: this.#newText, lines: this.#new };
      this.#enclosing.set(key, enclosingLine(source, newLine, { before, isMarkdown: this.#isMarkdown }));
    }
    return this.#enclosing.get(key);
  }

  context(oldLine: number, newLine: number): TextLine {
    return this.#line('context', oldLine, newLine, undefined);
  }

  /** `newLine` is the added line beside it, if there is one. */
  removed(oldLine: number, newLine: number | undefined): TextLine {
    return this.#line(
      'removed',
      oldLine,
      undefined,
      newLine === undefined ? undefined : this.#newLine(newLine).content,
    );
  }

  added(newLine: number, oldLine: number | undefined): TextLine {
    return this.#line('added', undefined, newLine, oldLine === undefined ? undefined : this.#oldLine(oldLine).content);
  }

  /** Line ends that are not as usual are shown, where they change. */
  #line(
    kind: TextLine['kind'],
    oldLine: number | undefined,
    newLine: number | undefined,
    partner: string | undefined,
  ): TextLine {
    const { content, lineEnd } = oldLine === undefined ? this.#newLine(newLine ?? 0) : this.#oldLine(oldLine);
    const end = lineEnd === '' ? NO_LINE_END : lineEnd === '\n' || kind === 'context' ? '' : '\r';
    return { kind, text: `${content}${end}`, length: content.length, oldLine, newLine, partner };
  }

  #oldLine(line: number) {
    return splitLineEnd(this.#oldText.slice(this.#old.starts[line], this.#old.starts[line + 1]));
  }

  #newLine(line: number) {
    return splitLineEnd(this.#newText.slice(this.#new.starts[line], this.#new.starts[line + 1]));
  }
}
