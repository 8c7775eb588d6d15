import { diffWordsWithSpace } from 'diff';
import type { TextLine } from './diff-lines.ts';

/** Offsets of what differs, from and to. */
export type Offsets = readonly (readonly [number, number])[];

const MAX_EDITS = 100;
/** Lines that have less in common than this are different lines, not an edited one. */
const LEAST_SHARE = 0.4;

/** The words of a line that differ from the line beside it; none if there is no such line. */
export function changedIn({ kind, text, length, partner }: TextLine): Offsets {
  if (partner === undefined) return [];
  const own = text.slice(0, length);
  const words = kind === 'removed' ? changedWords(own, partner)?.old : changedWords(partner, own)?.new;
  return words ?? [];
}

/** The words that differ between two lines; undefined if they have too little in common, or too much to compare. */
export function changedWords(
  oldLine: string,
  newLine: string,
): { readonly old: Offsets; readonly new: Offsets } | undefined {
  const changes = diffWordsWithSpace(oldLine, newLine, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return undefined;
  const [old, now]: [[number, number][], [number, number][]] = [[], []];
  let [oldAt, newAt, same] = [0, 0, 0];
  for (const { value, added, removed } of changes) {
    if (removed) old.push([oldAt, oldAt + value.length]);
    else if (added) now.push([newAt, newAt + value.length]);
    else same += value.trim().length;
    if (!added) oldAt += value.length;
    if (!removed) newAt += value.length;
  }
  const longest = Math.max(oldLine.trim().length, newLine.trim().length);
  return same >= LEAST_SHARE * longest ? { old, new: now } : undefined;
}
