import { unifiedDiff } from '@hawser/diffs/unified-diff';
import { notesInWords } from '../review/notes.ts';
import type { Accepted, Note, Outcome, Proposal } from '../review/proposal.ts';

/** What an agent's model is told of a proposal that was not accepted. */
export function refusalInWords(outcome: Exclude<Outcome, Accepted>, path: string): string {
  const isCommand = outcome.kind !== 'withdrawn' && outcome.proposal.effect === 'command';
  switch (outcome.kind) {
    case 'rejected':
      if (isCommand) return `The user refused this; it was not done.${saidBy(outcome.notes, outcome.proposal)}`;
      return `The user rejected the change of ${path}; nothing is written.${saidBy(outcome.notes, outcome.proposal)}${
        outcome.notes.length === 0 ? ' Ask what they want before you propose it again.' : ''
      }`;
    case 'changesRequested':
      if (isCommand)
        return `The user asks for something else; this was not done.${saidBy(outcome.notes, outcome.proposal)}`;
      return `The user asks for changes of this proposal for ${path}; nothing is written. Propose it again with these changes.${saidBy(outcome.notes, outcome.proposal)}`;
    case 'withdrawn':
      return `The proposal for ${path} was withdrawn before the user decided (${outcome.reason}); nothing is written.`;
  }
}

/** How the accepted text differs from the proposed one, and what the user said; empty if there is nothing to say. */
export function acceptanceInWords({ text, proposal, notes }: Accepted): string {
  const changes = unifiedDiff(proposal.newText, text, { oldName: 'proposed', newName: 'accepted' });
  const changed =
    changes === ''
      ? ''
      : `The user accepted the change with modifications. This is how it differs from what you proposed; keep the user's version:\n${changes}`;
  return `${changed}${saidBy(notes, proposal)}`.trim();
}

function saidBy(notes: readonly Note[], proposal: Proposal): string {
  return notes.length === 0 ? '' : `\nThe user says:\n${notesInWords(notes, proposal)}\n`;
}
