/** A replacement of characters by their offsets. */
export interface OffsetEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text after edits that do not overlap, in any order. */
export function applyEdits(text: string, edits: readonly OffsetEdit[]): string {
  const ordered = [...edits].sort((one, other) => one.start - other.start || one.end - other.end);
  let result = '';
  let at = 0;
  for (const edit of ordered) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** Lines of a text with their ends; only `\n` ends a line. */
export function linesAt(text: string, first: number, count: number): string {
  return text
    .split(/(?<=\n)/)
    .slice(first, first + count)
    .join('');
}

/** The index of the hunk at a line of the new text, or -1. One that only removes lines is at the line after them. */
export function hunkAt(hunks: readonly (readonly number[])[], line: number): number {
  return hunks.findIndex(([, , first = 0, count = 0]) => line >= first && line < first + Math.max(count, 1));
}

/** The first line of the hunk after a line, or of the one before it; undefined if there is none. */
export function nextHunkLine(
  hunks: readonly (readonly number[])[],
  line: number,
  direction: 'next' | 'previous',
): number | undefined {
  const firsts = hunks.map(([, , first = 0]) => first);
  return direction === 'next' ? firsts.find((first) => first > line) : firsts.findLast((first) => first < line);
}

/** Whether two texts are the same but for their line ends, which an editor may have changed. */
export function isSameText(one: string, other: string): boolean {
  return one === other || toLineFeeds(one) === toLineFeeds(other);
}

function toLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

const MAX_BYTES = 5 * 1024 * 1024;
const MAX_LINE = 200_000;
const MAX_HUNKS = 200;

/** What the diff editor can show without standing still. */
export function sizeOf(texts: readonly string[], hunks: number): 'small' | 'many hunks' | 'too large' {
  if (texts.some((text) => text.length > MAX_BYTES || hasLongLine(text))) return 'too large';
  // A lone carriage return ends a line in the editor, and in no hunk.
  return hunks > MAX_HUNKS || texts.some((text) => /\r(?!\n)/.test(text)) ? 'many hunks' : 'small';
}

function hasLongLine(text: string): boolean {
  let start = 0;
  while (text.length - start > MAX_LINE) {
    const end = text.lastIndexOf('\n', start + MAX_LINE);
    if (end < start) return true;
    start = end + 1;
  }
  return false;
}
