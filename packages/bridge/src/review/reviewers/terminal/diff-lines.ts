import type { Change } from '../../hunks/accept.ts';
import type { Hunk } from '../../hunks/hunks.ts';
import { linesOf } from '../../hunks/lines.ts';
import { type RenderedLine, renderHunks } from '../../hunks/render-hunks.ts';

/** One line of a diff on the screen. */
export type DiffLine = TextLine | FoldLine | NoteLine;

export interface TextLine {
  readonly kind: 'context' | 'removed' | 'added';
  /** What is shown of it: a line end that is not as usual is part of it. */
  readonly text: string;
  /** How much of `text` is the line itself. */
  readonly length: number;
  /** The index of the hunk that it belongs to. */
  readonly hunk: number | undefined;
  /** Line numbers from 0, on the sides that have it. */
  readonly oldLine: number | undefined;
  readonly newLine: number | undefined;
  /** The line that stands beside it: what one removes and the other adds. */
  partner: TextLine | undefined;
}

/** Unchanged lines that are not shown. */
export interface FoldLine {
  readonly kind: 'fold';
  readonly text: string;
  readonly hunk: undefined;
}

export interface NoteLine {
  readonly kind: 'note';
  readonly text: string;
  readonly hunk: undefined;
}

const NO_LINE_END = '  \\ No newline at end of file';

/** A change as lines to show, with that many unchanged lines around each hunk. */
export function diffLines({ oldText, newText }: Change, hunks: readonly Hunk[], contextLines: number): DiffLine[] {
  if (hunks.length === 0) {
    const isEmpty = oldText === undefined && newText === '';
    return [
      { kind: 'note', text: isEmpty ? 'A new file without any text.' : 'The text stays as it is.', hunk: undefined },
    ];
  }
  const { count } = linesOf(oldText ?? '');
  const lines: DiffLine[] = [];
  let shown = 0;
  const fold = (until: number) => {
    if (until > shown) lines.push(foldLine(until - shown));
  };
  for (const line of renderHunks(oldText ?? '', hunks, { contextLines })) {
    if (line.kind === 'header') {
      fold(line.oldLines.first);
      shown = line.oldLines.first + line.oldLines.count;
    } else lines.push(textLine(line));
  }
  fold(count);
  pair(lines);
  return lines;
}

function foldLine(count: number): FoldLine {
  return {
    kind: 'fold',
    text: `⋯ ${count} unchanged ${count === 1 ? 'line' : 'lines'}, + shows more`,
    hunk: undefined,
  };
}

/** Line ends that are not as usual are shown, where they change. */
function textLine(line: Exclude<RenderedLine, { readonly kind: 'header' }>): TextLine {
  const { kind, text, lineEnd } = line;
  const end = lineEnd === '' ? NO_LINE_END : lineEnd === '\n' || kind === 'context' ? '' : '\r';
  return {
    kind,
    text: `${text}${end}`,
    length: text.length,
    hunk: kind === 'context' ? undefined : line.hunk,
    oldLine: kind === 'added' ? undefined : line.oldLine,
    newLine: kind === 'removed' ? undefined : line.newLine,
    partner: undefined,
  };
}

/** In each hunk, the first removed line stands beside the first added one, and so on. */
function pair(lines: readonly DiffLine[]): void {
  let removed: TextLine[] = [];
  let added = 0;
  let hunk: number | undefined;
  for (const line of lines) {
    if (line.hunk !== hunk) [removed, added, hunk] = [[], 0, line.hunk];
    if (line.kind === 'removed') removed.push(line);
    if (line.kind !== 'added') continue;
    const partner = removed[added];
    added += 1;
    if (partner === undefined) continue;
    line.partner = partner;
    partner.partner = line;
  }
}
