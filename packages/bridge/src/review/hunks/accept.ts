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

/** The decision that accepts these hunks, by index, and no others. Throws a RangeError if there is no such hunk. */
export function acceptHunks(
  change: Change,
  accepted: ReadonlySet<number>,
): { readonly kind: 'accepted'; readonly text: string } | { readonly kind: 'rejected' } {
  if (accepted.size === 0) return { kind: 'rejected' };
  return { kind: 'accepted', text: applyHunks(change.oldText ?? '', hunksOfChange(change), accepted) };
}
