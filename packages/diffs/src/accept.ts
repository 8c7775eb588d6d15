import { applyHunks, hunksOf } from './hunks.ts';

/** What hunks are computed from; a `Proposal` is one. */
export interface Change {
  /** Undefined for a new file, which is compared as an empty one. */
  readonly oldText: string | undefined;
  readonly newText: string;
}

export function hunksOfChange({ oldText, newText }: Change) {
  return hunksOf(oldText ?? '', newText);
}

/** The text with these hunks, by index, and no others. Throws a RangeError if there is no such hunk. */
export function acceptedText(change: Change, accepted: readonly number[]): string {
  const hunks = hunksOfChange(change);
  const missing = accepted.find((hunk) => hunks[hunk] === undefined);
  // Users count from 1.
  if (missing !== undefined) throw new RangeError(`There is no hunk ${missing + 1}; the change has ${hunks.length}`);
  return applyHunks(change.oldText ?? '', hunks, new Set(accepted));
}
