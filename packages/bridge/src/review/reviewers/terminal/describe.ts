import type { OutcomeSummary } from '../../proposal.ts';
import type { Entry } from './entry.ts';

export function describeOutcome(outcome: OutcomeSummary, by: 'you' | 'another'): string {
  switch (outcome.kind) {
    case 'accepted':
      return `${outcome.text === 'as proposed' ? 'accepted' : 'accepted with changes'}${by === 'you' ? '' : ' elsewhere'}`;
    case 'rejected':
      return by === 'you' ? 'rejected' : 'rejected elsewhere';
    case 'withdrawn':
      return 'withdrawn by the agent';
  }
}

/** What has happened to the file since the user saw the proposal. */
export function staleNotice({ proposal, edited }: Entry): string {
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
