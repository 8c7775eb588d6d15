import { mergeLimited } from '@hawser/diffs/merge';
import type { Proposal, ProposedChange } from './proposal.ts';

/** The next revision of a proposal whose file now contains something else than its old text. */
export function rebased(proposal: Proposal, change: ProposedChange, fileText: string | undefined): Proposal {
  // Always from what the agent proposed, so that a conflict ends when the file is changed back.
  const { oldText: base, newText } = change;
  const merged = base === fileText ? newText : mergeLimited({ base, ours: newText, theirs: fileText });
  return {
    ...proposal,
    oldText: fileText,
    newText: merged ?? newText,
    revision: proposal.revision + 1,
    base: base === fileText ? 'original' : merged === undefined ? 'conflict' : 'merged',
  };
}

/** The next revision of a change that was noticed, after the file has changed again; undefined if the change is gone. */
export function noticedAgain(proposal: Proposal, fileText: string | undefined): Proposal | undefined {
  if (fileText === proposal.oldText) return undefined;
  return {
    ...proposal,
    effect: fileText === undefined ? 'noticedDelete' : 'noticed',
    newText: fileText ?? '',
    revision: proposal.revision + 1,
  };
}
