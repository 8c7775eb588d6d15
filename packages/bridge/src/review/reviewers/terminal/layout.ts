import type { DiffLine, TextLine } from './diff-lines.ts';

/** How a diff is laid out: one line below the other, or the old text beside the new one. */
export type Layout = 'unified' | 'split';

/** What stands on one level of the screen: one line, or an old one and a new one. */
export interface Item {
  readonly hunk: number | undefined;
  /** One cell is as wide as the screen. */
  readonly cells: readonly [DiffLine] | readonly [TextLine | undefined, TextLine | undefined];
}

export function itemsOf(lines: readonly DiffLine[], layout: Layout): readonly Item[] {
  return layout === 'unified' ? lines.map((line) => ({ hunk: line.hunk, cells: [line] })) : splitItems(lines);
}

function splitItems(lines: readonly DiffLine[]): Item[] {
  const items: Item[] = [];
  for (const line of lines) {
    const { hunk } = line;
    if (line.kind === 'fold' || line.kind === 'note') items.push({ hunk, cells: [line] });
    else if (line.kind === 'context') items.push({ hunk, cells: [line, line] });
    else if (line.kind === 'removed') items.push({ hunk, cells: [line, line.partner] });
    // With a partner it stands beside that.
    else if (line.partner === undefined) items.push({ hunk, cells: [undefined, line] });
  }
  return items;
}
