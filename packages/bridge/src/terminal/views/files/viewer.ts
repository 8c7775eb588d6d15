import type { Visibility } from '../../../access/access.ts';
import type { Range } from '../../../editor.ts';
import { BOLD, chosenRow, DIM, fitRow } from '../../fit-row.ts';
import type { Key } from '../../keys.ts';
import { ListCursor } from '../../list-cursor.ts';
import type { MouseEvent } from '../../mouse.ts';
import type { Row, Span, Style } from '../../paint.ts';
import type { Size } from '../../terminal.ts';

export interface ViewedFile {
  readonly path: string;
  /** Relative to the workspace. */
  readonly name: string;
  readonly text: string;
  readonly visibility: Visibility;
}

/** Lines from 0, both included. */
export interface Lines {
  readonly first: number;
  readonly last: number;
}

/** How a part of a line looks, in UTF-16 code units from its beginning. */
export interface ColouredRange {
  readonly from: number;
  readonly to: number;
  readonly style: Style;
}

/** The colours of a file's lines, in order and without overlaps; none until they are known. */
export type Highlight = (file: ViewedFile) => (line: number) => readonly ColouredRange[];

const TAB = 4;

/** A file with line numbers, a cursor and a selection of lines. */
export class Viewer {
  readonly file: ViewedFile;
  readonly #cursor = new ListCursor<string>();
  readonly #coloursOf: (line: number) => readonly ColouredRange[];
  /** Where the selection began. */
  #anchor: number | undefined;
  /** The cursor moves without the anchor until the selection is dropped. */
  #isSelecting = false;

  constructor(file: ViewedFile, highlight: Highlight) {
    this.file = file;
    this.#cursor.items = linesOf(file.text);
    this.#coloursOf = highlight(file);
  }

  /** The selected lines. */
  get selection(): Lines | undefined {
    if (this.#anchor === undefined) return undefined;
    const at = this.#cursor.at;
    return { first: Math.min(this.#anchor, at), last: Math.max(this.#anchor, at) };
  }

  /** The selection, or the cursor, as a range of the text. */
  get range(): Range {
    const { selection } = this;
    if (selection === undefined) {
      const start = { line: this.#cursor.at, character: 0 };
      return { start, end: start };
    }
    const { first, last } = selection;
    const hasLineEnd = last < this.#cursor.items.length - 1 || this.file.text.endsWith('\n');
    const end = !hasLineEnd
      ? { line: last, character: this.#cursor.items[last]?.length ?? 0 }
      : { line: last + 1, character: 0 };
    return { start: { line: first, character: 0 }, end };
  }

  get selectedText(): string {
    const { first, last } = this.selection ?? { first: this.#cursor.at, last: this.#cursor.at };
    return `${this.#cursor.items.slice(first, last + 1).join('\n')}\n`;
  }

  get line(): number {
    return this.#cursor.at;
  }

  toLine(line: number): void {
    this.#cursor.choose(line);
  }

  /** False if the key does nothing here. */
  key(key: Key): boolean {
    if (key === 'v') {
      this.#isSelecting = !this.#isSelecting;
      this.#anchor = this.#isSelecting ? this.#cursor.at : undefined;
      return true;
    }
    if (key === 'shift up' || key === 'shift down') {
      this.#anchor ??= this.#cursor.at;
      return this.#cursor.move(key === 'shift up' ? 'up' : 'down');
    }
    if (!this.#cursor.move(key)) return false;
    // As in other editors, an arrow without Shift drops what was selected with it.
    if (!this.#isSelecting) this.#anchor = undefined;
    return true;
  }

  /** False if nothing was selected. */
  dropSelection(): boolean {
    const had = this.#anchor !== undefined;
    this.#anchor = undefined;
    this.#isSelecting = false;
    return had;
  }

  mouse(event: MouseEvent): void {
    if (this.#cursor.mouse(event) && !this.#isSelecting) this.#anchor = undefined;
  }

  draw({ columns, rows }: Size): readonly Row[] {
    const width = String(this.#cursor.items.length).length;
    return this.#cursor.draw(rows, (text, _, line) => this.#row(text, line, width, columns));
  }

  #row(text: string, line: number, width: number, columns: number): Row {
    const isCursor = line === this.#cursor.at;
    const { selection } = this;
    const isSelected = selection !== undefined && line >= selection.first && line <= selection.last;
    const mark = isCursor ? '>' : isSelected ? '|' : ' ';
    const number: Span[] = [
      { text: mark, style: BOLD },
      { text: `${String(line + 1).padStart(width)} `, style: isCursor ? BOLD : DIM },
    ];
    const shown = withoutTabs(coloured(text, this.#coloursOf(line)));
    return isSelected ? [...number, ...chosenRow(shown, columns - width - 2)] : fitRow([...number, ...shown], columns);
  }
}

/** Without an empty line after the last line end. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.length > 1 && lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function coloured(line: string, ranges: readonly ColouredRange[]): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { from, to, style } of ranges) {
    spans.push({ text: line.slice(at, from) }, { text: line.slice(from, to), style });
    at = to;
  }
  return [...spans, { text: line.slice(at) }].filter(({ text }) => text !== '');
}

function withoutTabs(spans: readonly Span[]): readonly Span[] {
  let column = 0;
  return spans.map((span) => {
    let text = '';
    for (const part of span.text.split(/(\t)/)) {
      const shown = part === '\t' ? ' '.repeat(TAB - (column % TAB)) : part;
      text += shown;
      column += shown.length;
    }
    return { ...span, text };
  });
}
