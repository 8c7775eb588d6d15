import { type Change, hunksOfChange } from '../../hunks/accept.ts';
import { applyHunks, type Hunk } from '../../hunks/hunks.ts';
import { type RenderedLine, renderHunks } from '../../hunks/render-hunks.ts';

/** One line of a diff on the screen. */
export interface DiffLine {
  readonly kind: 'header' | 'context' | 'removed' | 'added' | 'note';
  readonly text: string;
  /** The index of the hunk that it belongs to. */
  readonly hunk: number | undefined;
}

/** A change as lines to show. */
export interface Diff {
  readonly change: Change;
  readonly hunks: readonly Hunk[];
  readonly lines: readonly DiffLine[];
  /** The index in `lines` at which each hunk begins. */
  readonly starts: readonly number[];
  readonly added: number;
  readonly removed: number;
}

export function diffOf(change: Change): Diff {
  const hunks = hunksOfChange(change);
  const lines: DiffLine[] = [];
  for (const line of renderHunks(change.oldText ?? '', hunks)) lines.push(...shown(line));
  if (lines.length === 0) {
    const text = change.oldText === undefined ? 'A new file without any text.' : 'The text stays as it is.';
    lines.push({ kind: 'note', text, hunk: undefined });
  }
  return {
    change,
    hunks,
    lines,
    starts: startsIn(lines),
    added: hunks.reduce((sum, { newLines }) => sum + newLines.count, 0),
    removed: hunks.reduce((sum, { oldLines }) => sum + oldLines.count, 0),
  };
}

/** What the text becomes with these hunks alone. */
export function resultOf({ change, hunks }: Diff, accepted: ReadonlySet<number>): string {
  return applyHunks(change.oldText ?? '', hunks, accepted);
}

function startsIn(lines: readonly DiffLine[]): number[] {
  const starts: number[] = [];
  for (const [index, { hunk }] of lines.entries()) {
    if (hunk !== undefined) starts[hunk] ??= index;
  }
  return starts;
}

/** Line ends that are not as usual are shown, where they change. */
function shown(line: RenderedLine): DiffLine[] {
  if (line.kind === 'header') return [{ kind: 'header', text: line.text, hunk: undefined }];
  const { kind, text, lineEnd } = line;
  const hunk = kind === 'context' ? undefined : line.hunk;
  if (lineEnd === '') {
    return [
      { kind, text, hunk },
      { kind: 'note', text: '\\ No newline at end of file', hunk },
    ];
  }
  return [{ kind, text: lineEnd === '\n' || kind === 'context' ? text : `${text}\r`, hunk }];
}
