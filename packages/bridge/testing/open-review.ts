import type { Proposal } from '../src/review/proposal.ts';
import type { OpenReview } from '../src/review/reviewer.ts';

/** An open review that no queue knows of, for views that are tested by themselves. */
export function openReview(
  proposal: Pick<Proposal, 'id'> & Partial<Proposal>,
): OpenReview & { refresh(next: Partial<Proposal>): void } {
  let current: Proposal = {
    path: `/w/${proposal.id}`,
    title: proposal.id,
    agent: 'an agent',
    oldText: 'old\n',
    newText: 'new\n',
    revision: 0,
    base: 'original',
    ...proposal,
  };
  let refreshed = () => {};
  return {
    get proposal() {
      return current;
    },
    signal: new AbortController().signal,
    decide: async () => ({ kind: 'unknown' }),
    onRefresh: (listener) => {
      refreshed = listener;
    },
    fail: () => {},
    refresh: (next) => {
      current = { ...current, revision: current.revision + 1, ...next };
      refreshed();
    },
  };
}
