import { type Lines, linesOf, splitLineEnd } from '@hawser/diffs/lines';
import type { Position, Range } from '../editor.ts';

/** A text with its lines, which are looked for at the first question. */
export class PlacedText {
  readonly text: string;
  #lines: Lines | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** After a final line end there is one more, empty line: a cursor can stand there. */
  get lineCount(): number {
    const { count, starts } = this.#linesOnce();
    const lastLine = this.text.slice(starts[count - 1], starts[count]);
    return count === 0 || splitLineEnd(lastLine).lineEnd !== '' ? count + 1 : count;
  }

  /** The nearest range that exists, with its start first. */
  clamp({ start, end }: Range): Range {
    const [one, other] = [this.#clampPosition(start), this.#clampPosition(end)];
    const isReversed = this.#offsetOf(other) < this.#offsetOf(one);
    return isReversed ? { start: other, end: one } : { start: one, end: other };
  }

  /** What a range that exists covers. */
  slice({ start, end }: Range): string {
    return this.text.slice(this.#offsetOf(start), this.#offsetOf(end));
  }

  /** Where a character of the text stands; the length of the text is its end. */
  positionAt(offset: number): Position {
    const { starts } = this.#linesOnce();
    let [line, after] = [0, this.lineCount];
    while (line + 1 < after) {
      const middle = (line + after) >> 1;
      if ((starts[middle] ?? this.text.length) <= offset) line = middle;
      else after = middle;
    }
    return { line, character: offset - (starts[line] ?? this.text.length) };
  }

  /** With edits applied, all of whose positions are in this text. Throws if they overlap. */
  edited(edits: readonly { readonly range: Range; readonly newText: string }[]): string {
    const placed = edits.map(({ range, newText }) => {
      const { start, end } = this.clamp(range);
      return { start: this.#offsetOf(start), end: this.#offsetOf(end), newText };
    });
    let [result, at] = ['', 0];
    // Sorting is stable: insertions at one place stay in their order.
    for (const { start, end, newText } of placed.sort((one, other) => one.start - other.start)) {
      if (start < at) throw new Error('The edits overlap');
      result += this.text.slice(at, start) + newText;
      at = end;
    }
    return result + this.text.slice(at);
  }

  #linesOnce(): Lines {
    this.#lines ??= linesOf(this.text);
    return this.#lines;
  }

  #clampPosition({ line, character }: Position): Position {
    const { starts } = this.#linesOnce();
    const existing = Math.min(Math.max(line, 0), this.lineCount - 1);
    const content = splitLineEnd(this.text.slice(starts[existing], starts[existing + 1])).content;
    // A line past the last one means the end of the text.
    const last = line > existing ? content.length : Math.min(Math.max(character, 0), content.length);
    return { line: existing, character: last };
  }

  #offsetOf({ line, character }: Position): number {
    return (this.#linesOnce().starts[line] ?? this.text.length) + character;
  }
}

export const startOfText: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export function isSameRange(one: Range, other: Range): boolean {
  return isSamePosition(one.start, other.start) && isSamePosition(one.end, other.end);
}

function isSamePosition(one: Position, other: Position): boolean {
  return one.line === other.line && one.character === other.character;
}
