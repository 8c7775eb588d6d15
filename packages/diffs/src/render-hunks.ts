import type { Hunk, LineRange } from './hunks.ts';
import { type LineEnd, type Lines, linesOf, splitLineEnd } from './lines.ts';

/** One line of a unified diff. Line numbers count from 0; `hunk` is an index. */
export type RenderedLine =
  /** Begins a stretch; `text` is what `diff -u` would say, such as `@@ -1,3 +1,4 @@`. */
  | { readonly kind: 'header'; readonly text: string; readonly oldLines: LineRange; readonly newLines: LineRange }
  | (LineContent & { readonly kind: 'context'; readonly oldLine: number; readonly newLine: number })
  | (LineContent & { readonly kind: 'removed'; readonly oldLine: number; readonly hunk: number })
  | (LineContent & { readonly kind: 'added'; readonly newLine: number; readonly hunk: number });

export interface LineContent {
  /** Without its line end. */
  readonly text: string;
  readonly lineEnd: LineEnd;
}

export interface RenderOptions {
  /** How many unchanged lines to show around each hunk. Default 3. */
  readonly contextLines?: number;
}

/** The hunks of a text as the lines of a unified diff. */
export function renderHunks(
  oldText: string,
  hunks: readonly Hunk[],
  options: RenderOptions = {},
): readonly RenderedLine[] {
  const { contextLines = 3 } = options;
  const lines = linesOf(oldText);
  const rendered: RenderedLine[] = [];
  for (const { first, last } of groupsOf(hunks, contextLines)) {
    renderGroup(oldText, lines, hunks, first, last, contextLines, rendered);
  }
  return rendered;
}

/** Hunks whose context would touch are shown as one stretch. */
function groupsOf(hunks: readonly Hunk[], contextLines: number): { first: number; last: number }[] {
  const groups: { first: number; last: number }[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const group = groups.at(-1);
    const previous = hunks[index - 1];
    if (
      group === undefined ||
      previous === undefined ||
      hunk.oldLines.first - endOf(previous.oldLines) > 2 * contextLines
    ) {
      groups.push({ first: index, last: index });
    } else {
      group.last = index;
    }
  }
  return groups;
}

function renderGroup(
  oldText: string,
  lines: Lines,
  hunks: readonly Hunk[],
  first: number,
  last: number,
  contextLines: number,
  rendered: RenderedLine[],
): void {
  const group = hunks.slice(first, last + 1);
  const [firstHunk, lastHunk] = [group[0], group.at(-1)];
  if (firstHunk === undefined || lastHunk === undefined) return;
  const before = Math.min(contextLines, firstHunk.oldLines.first);
  const after = Math.min(contextLines, lines.count - endOf(lastHunk.oldLines));
  const oldLines = rangeBetween(firstHunk.oldLines.first - before, endOf(lastHunk.oldLines) + after);
  const newLines = rangeBetween(firstHunk.newLines.first - before, endOf(lastHunk.newLines) + after);
  const text = `@@ -${rangeText(oldLines)} +${rangeText(newLines)} @@`;
  rendered.push({ kind: 'header', text, oldLines, newLines });

  let [oldLine, newLine] = [oldLines.first, newLines.first];
  const renderContext = (until: number) => {
    for (; oldLine < until; oldLine += 1, newLine += 1) {
      rendered.push({ kind: 'context', oldLine, newLine, ...contentOf(oldText, lines, oldLine) });
    }
  };
  for (const [offset, hunk] of group.entries()) {
    const index = first + offset;
    renderContext(hunk.oldLines.first);
    const [removed, added] = [linesOf(hunk.oldText), linesOf(hunk.newText)];
    for (let line = 0; line < removed.count; line += 1, oldLine += 1) {
      rendered.push({ kind: 'removed', oldLine, hunk: index, ...contentOf(hunk.oldText, removed, line) });
    }
    for (let line = 0; line < added.count; line += 1, newLine += 1) {
      rendered.push({ kind: 'added', newLine, hunk: index, ...contentOf(hunk.newText, added, line) });
    }
  }
  renderContext(endOf(oldLines));
}

function contentOf(text: string, { starts }: Lines, line: number): LineContent {
  const { content, lineEnd } = splitLineEnd(text.slice(starts[line], starts[line + 1]));
  return { text: content, lineEnd };
}

function endOf({ first, count }: LineRange): number {
  return first + count;
}

function rangeBetween(first: number, end: number): LineRange {
  return { first, count: end - first };
}

/** In a unified diff an empty range names the line before it. */
function rangeText({ first, count }: LineRange): string {
  return count === 0 ? `${first},0` : count === 1 ? `${first + 1}` : `${first + 1},${count}`;
}
