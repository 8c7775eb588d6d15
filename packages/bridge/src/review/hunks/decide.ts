import { applyHunks, hunksOf } from './hunks.ts';

/** What somebody wants to change; a `Proposal` is one. */
export interface Change {
  /** Undefined for a file that does not exist yet. */
  readonly oldText: string | undefined;
  readonly newText: string;
}

/** What a person made of it. */
export type Choice =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  /** Indexes of the hunks of `hunksOfChange`. */
  | { readonly kind: 'some'; readonly accepted: ReadonlySet<number> }
  | { readonly kind: 'edited'; readonly text: string };

/** The same as the editor's `DiffDecision`; this folder imports nothing. */
export type Decision = { readonly kind: 'accepted'; readonly text: string } | { readonly kind: 'rejected' };

/** A choice that leaves an existing file as it is rejects the proposal, by whichever way it was made. */
export function decide(change: Change, choice: Choice): Decision {
  switch (choice.kind) {
    case 'all':
      return { kind: 'accepted', text: change.newText };
    case 'none':
      return { kind: 'rejected' };
    case 'some':
      if (choice.accepted.size === 0) return { kind: 'rejected' };
      return accepted(change, applyHunks(change.oldText ?? '', hunksOfChange(change), choice.accepted));
    case 'edited':
      return accepted(change, choice.text);
  }
}

/** A file that does not exist yet is compared as an empty one. */
export function hunksOfChange({ oldText, newText }: Change) {
  return hunksOf(oldText ?? '', newText);
}

function accepted({ oldText }: Change, text: string): Decision {
  return text === oldText ? { kind: 'rejected' } : { kind: 'accepted', text };
}
