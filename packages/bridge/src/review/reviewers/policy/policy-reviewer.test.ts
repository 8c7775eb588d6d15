import { describeReviewer } from '../../reviewer.contract.ts';
import { policyReviewer } from './policy-reviewer.ts';

const lacks = {
  dismiss: 'it shows nothing',
  shown: 'it decides before anything could be shown',
  gone: 'it shows nothing',
};

describeReviewer(
  'the policy that accepts',
  async () => ({
    attach: async (queue) => void queue.attach(policyReviewer('accept')),
    decides: ({ newText }) => ({ kind: 'accepted', text: newText }),
    dispose: async () => {},
  }),
  { lacks },
);

describeReviewer(
  'the policy that rejects',
  async () => ({
    attach: async (queue) => void queue.attach(policyReviewer('reject')),
    decides: () => ({ kind: 'rejected' }),
    dispose: async () => {},
  }),
  { lacks },
);
