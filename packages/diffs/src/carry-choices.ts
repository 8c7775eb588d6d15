import type { Hunk } from './hunks.ts';

/** The user's choice about one hunk; empty if there is none yet. */
export type ChoiceOnHunk = 'accepted' | 'rejected' | '';

/** The choices about hunks of an edited text: a hunk that replaces the same lines by the same text keeps its choice. */
export function carryChoices(
  before: readonly Hunk[],
  after: readonly Hunk[],
  choices: readonly ChoiceOnHunk[],
): readonly ChoiceOnHunk[] {
  if (before === after) return after.map((_, index) => choices[index] ?? '');
  const kept = new Map(before.map((hunk, index) => [keyOf(hunk), choices[index] ?? '']));
  return after.map((hunk) => kept.get(keyOf(hunk)) ?? '');
}

function keyOf({ oldLines, oldText, newText }: Hunk): string {
  return JSON.stringify([oldLines.first, oldText, newText]);
}
