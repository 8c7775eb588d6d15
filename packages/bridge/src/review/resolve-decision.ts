import { acceptedText } from '@hawser/diffs/accept';
import type { Decision, Note, Proposal, ProposalEffect } from './proposal.ts';

/** A decision on one proposal, as it takes effect. */
export type Resolved =
  | { readonly kind: 'accepted'; readonly text: string; readonly notes: readonly Note[] }
  /** `typed` is what the user had made of it. */
  | { readonly kind: 'rejected' | 'changesRequested'; readonly notes: readonly Note[]; readonly typed?: string };

/** The one place where accepting nothing becomes a rejection. Throws a RangeError if there is no such hunk. */
export function resolveDecision(decision: Decision, proposal: Proposal): Resolved {
  const { notes = [] } = decision;
  const { oldText, newText, effect } = proposal;
  if (decision.kind !== 'accepted') {
    const { kind, text: typed } = decision;
    const isOwn = typed !== undefined && typed !== newText && typed !== oldText;
    return { kind, notes, ...(isOwn && { typed }) };
  }
  const text = decision.text ?? (decision.hunks === undefined ? newText : acceptedText(proposal, decision.hunks));
  // An empty file can be made and deleted.
  const isEmptyFile = text === '' && (isDeletion(effect) || (oldText === undefined && newText === ''));
  const changesNothing = text === (oldText ?? '') && !isEmptyFile;
  return changesNothing ? { kind: 'rejected', notes } : { kind: 'accepted', text, notes };
}

function isDeletion(effect: ProposalEffect | undefined): boolean {
  return effect === 'delete' || effect === 'noticedDelete';
}

/** The file has changed already. */
export function isNoticed(effect: ProposalEffect | undefined): boolean {
  return effect === 'noticed' || effect === 'noticedDelete';
}

/** What the file contains while the proposal is open; undefined for no file. */
export function presentText({ effect, oldText, newText }: Proposal): string | undefined {
  if (effect === 'noticedDelete') return undefined;
  return effect === 'noticed' ? newText : oldText;
}

/** What the file is to contain after the decision; undefined for no file. */
export function targetText(resolved: Resolved, { effect, oldText }: Proposal): string | undefined {
  if (resolved.kind !== 'accepted') return oldText;
  return isDeletion(effect) && resolved.text === '' ? undefined : resolved.text;
}
