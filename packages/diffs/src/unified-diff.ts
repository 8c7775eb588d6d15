import { hunksOf } from './hunks.ts';
import { renderHunks } from './render-hunks.ts';

export interface DiffNames {
  readonly oldName: string;
  readonly newName: string;
}

const SIGNS = { context: ' ', removed: '-', added: '+' } as const;

/** What changes between two texts, as `diff -u` writes it; empty if nothing does. */
export function unifiedDiff(oldText: string, newText: string, { oldName, newName }: DiffNames): string {
  const lines = renderHunks(oldText, hunksOf(oldText, newText)).flatMap((line) => {
    if (line.kind === 'header') return [line.text];
    const text = `${SIGNS[line.kind]}${line.text}`;
    return line.lineEnd === '' ? [text, '\\ No newline at end of file'] : [text];
  });
  return lines.length === 0 ? '' : [`--- ${oldName}`, `+++ ${newName}`, ...lines, ''].join('\n');
}
