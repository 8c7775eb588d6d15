import type { OutcomeSummary, Proposal } from '../proposal.ts';
import { isNoticed } from '../resolve-decision.ts';
import type { ReviewedChange } from './reviewed-change.ts';

/** Who wants a change, and what is special about it. */
export function describeProposal({ agent, oldText, base, set, effect, previous }: Proposal): string {
  const part = set === undefined ? '' : `, ${set.index + 1} of ${set.size}: ${set.title}`;
  if (isNoticed(effect)) {
    return `${agent} (probably) ${effect === 'noticed' ? 'changed' : 'deleted'} it without asking`;
  }
  const kind = effect === 'delete' ? 'deletes the file, ' : oldText === undefined ? 'new file, ' : '';
  const changed =
    base === 'original' ? '' : `, ${base === 'merged' ? 'merged with' : 'in conflict with'} the changed file`;
  const round = previous === undefined ? '' : `, round ${previous.round + 1}`;
  return `${kind}proposed by ${agent}${round}${changed}${part}`;
}

/** How what the user says reaches the agent; empty if they say nothing. */
export function describeDelivery({ notes, proposal: { agent, noteDelivery = 'words' } }: ReviewedChange): string {
  if (notes.length === 0) return '';
  const them = notes.length === 1 ? 'your note' : `your ${notes.length} notes`;
  switch (noteDelivery) {
    case 'words':
      return `${agent} reads ${them}`;
    case 'mention':
      return `${agent} gets the lines of ${them}, not the words: say it in its prompt; hawser log has them`;
    case 'none':
      return `${agent} has no way to get ${them}: say it in its prompt; hawser log has them`;
  }
}

/** What has become of the user's decision, while the change is open; undefined if there is none. */
export function describeProgress({ proposal: { progress } }: ReviewedChange): string | undefined {
  switch (progress?.kind) {
    case undefined:
      return undefined;
    case 'decided':
      return `You ${progress.decision === 'accepted' ? 'accept' : 'reject'} it: that takes effect when the rest of its set is decided.`;
    case 'applying':
      return 'Writing…';
    case 'failed':
      return `Not written: ${progress.reason}`;
  }
}

/** What became of a change that ended although the user did not decide it here, in few words. */
export function describeEnd({ fate, proposal }: ReviewedChange, outcome: OutcomeSummary): string {
  if (outcome.kind !== 'withdrawn' || outcome.isClosedByAgent !== true) return describeOutcome(outcome, 'another');
  return `${fate === 'written' ? 'accepted' : 'decided'} in ${proposal.agent}`;
}

/** What else is known of it, as a sentence; undefined if nothing is. */
export function describeFile({ fate, proposal }: ReviewedChange, name: string): string | undefined {
  if (fate === 'not written') return `${name} is as it was${proposal.oldText === undefined ? ': there is none' : ''}.`;
  return fate === 'written otherwise' ? `${name} has changed, but not to what was proposed.` : undefined;
}

export function describeOutcome(outcome: OutcomeSummary, by: 'you' | 'another'): string {
  switch (outcome.kind) {
    case 'accepted': {
      const how = outcome.text === 'as proposed' ? 'accepted' : 'accepted with changes';
      const written = outcome.writer === 'bridge' ? ' and written' : '';
      return `${how}${by === 'you' ? '' : ` in ${outcome.by}`}${written}`;
    }
    case 'rejected':
    case 'changesRequested': {
      const requested = by === 'you' ? 'changes requested' : 'sent back with a request for changes';
      const how = outcome.kind === 'rejected' ? 'rejected' : requested;
      const kept = outcome.kept === undefined ? '' : `; your version is kept in ${outcome.kept}`;
      return `${how}${by === 'you' ? '' : ` in ${outcome.by}`}${kept}`;
    }
    case 'withdrawn':
      return `withdrawn: ${outcome.reason}`;
  }
}

/** What has happened to the file since the user saw the proposal. */
export function staleNotice({ proposal, edited }: ReviewedChange): string {
  if (edited !== undefined) return 'the file has changed; compare your version with it';
  switch (proposal.base) {
    case 'original':
      return 'the file is as it was when the change was proposed';
    case 'merged':
      return 'the file has changed; the proposal was merged with it';
    case 'conflict':
      return 'these lines have changed; accepting undoes that change';
  }
}
