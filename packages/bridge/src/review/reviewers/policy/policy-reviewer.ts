import type { Reviewer } from '../../reviewer.ts';

/** Decides every proposal at once, without a user. */
export function policyReviewer(policy: 'accept' | 'reject'): Reviewer {
  return {
    name: `policy ${policy}`,
    show: (review) => {
      const { newText, revision } = review.proposal;
      void review.decide(policy === 'accept' ? { kind: 'accepted', text: newText } : { kind: 'rejected' }, revision);
    },
  };
}
