import type { TextLines } from './line-ids.ts';

/**
 * Takes back the matches of lines that are not equal, though their ids are. `matches` has for each line of the old part
 * the line of the new part that it became, or -1.
 */
export function keepEqual(oldPart: TextLines, newPart: TextLines, matches: Int32Array): void {
  for (let from = 0; from < matches.length; ) {
    const match = matches[from] ?? -1;
    let to = from + 1;
    if (match !== -1) while (to < matches.length && matches[to] === match + to - from) to += 1;
    // A whole stretch is compared as fast as memory can be read.
    if (match !== -1 && !areEqual(oldPart, from, newPart, match, to - from)) {
      for (let at = from; at < to; at += 1) {
        if (!areEqual(oldPart, at, newPart, match + at - from, 1)) matches[at] = -1;
      }
    }
    from = to;
  }
}

function areEqual(oldPart: TextLines, oldLine: number, newPart: TextLines, newLine: number, count: number): boolean {
  return textOf(oldPart, oldLine, count) === textOf(newPart, newLine, count);
}

function textOf({ text, lines: { starts }, from }: TextLines, line: number, count: number): string {
  return text.slice(starts[from + line], starts[from + line + count]);
}
