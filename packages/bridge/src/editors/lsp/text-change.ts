import type { Range } from '../../editor.ts';
import { PlacedText } from '../placed-text.ts';

export interface TextEdit {
  readonly range: Range;
  readonly newText: string;
}

/**
 * Whether a client shows a text of a file. Many show LF for CRLF, and some have no line end after the last line whether
 * or not the file has one.
 */
export function isSameText(shown: string, text: string): boolean {
  return shown === text || plain(shown) === plain(text);
}

/**
 * The text that a client shows when its file contains `after` instead of `before`; undefined if it can't be said: line ends
 * that an editor may have turned into others, or may count as none.
 */
export function shownAfter(shown: string, before: string, after: string): string | undefined {
  const ends = new Set([lineEndOf(before), lineEndOf(after)]);
  ends.delete('none');
  if (ends.size > 1 || ends.has('mixed')) return undefined;
  return ends.has('crlf') && !shown.includes('\r\n') ? after.replaceAll('\r\n', '\n') : after;
}

/** The lines that differ, as one edit of whole lines. */
export function lineEdit(before: string, after: string): TextEdit {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start += 1;
  start = before.lastIndexOf('\n', start - 1) + 1;
  let same = 0;
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  // Up to the beginning of a line in both.
  const kept = before.slice(before.length - same);
  const isAtLine = before[before.length - same - 1] === '\n' && after[after.length - same - 1] === '\n';
  if (!isAtLine) same = kept.includes('\n') ? kept.length - kept.indexOf('\n') - 1 : 0;
  const placed = new PlacedText(before);
  return {
    range: { start: placed.positionAt(start), end: placed.positionAt(before.length - same) },
    newText: after.slice(start, after.length - same),
  };
}

function plain(text: string): string {
  return text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replace(/\n$/, '');
}

function lineEndOf(text: string): 'none' | 'lf' | 'crlf' | 'mixed' {
  const [crlf, lf, cr] = [/\r\n/g, /\n/g, /\r/g].map((end) => text.match(end)?.length ?? 0);
  if (cr !== crlf) return 'mixed';
  if (lf === 0) return 'none';
  return crlf === 0 ? 'lf' : crlf === lf ? 'crlf' : 'mixed';
}
