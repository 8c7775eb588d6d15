import type { Decision, OutcomeSummary, Proposal } from '../src/review/proposal.ts';
import { resolveDecision } from '../src/review/resolve-decision.ts';
import { type DecideResult, type OpenReview, ReviewEnded } from '../src/review/reviewer.ts';

/** An open review that no queue knows of, for views that are tested by themselves. */
export interface TestedReview extends OpenReview {
  /** What was decided, in this order. */
  readonly decisions: readonly Decision[];
  /** The answer to decisions; by default each is accepted as such. */
  answer: DecideResult | undefined;
  refresh(next: Partial<Proposal>): void;
  end(outcome: OutcomeSummary): void;
}

export function openReview(proposal: Pick<Proposal, 'id'> & Partial<Proposal>): TestedReview {
  let current: Proposal = {
    path: `/w/${proposal.id}`,
    title: proposal.id,
    agent: 'an agent',
    oldText: 'old\n',
    newText: 'new\n',
    arrival: 0,
    revision: 0,
    base: 'original',
    turn: 0,
    ...proposal,
  };
  let refreshed = () => {};
  const ending = new AbortController();
  const decisions: Decision[] = [];
  const review: TestedReview = {
    get proposal() {
      return current;
    },
    signal: ending.signal,
    decisions,
    answer: undefined,
    decide: async (decision) => {
      decisions.push(decision);
      return review.answer ?? { kind: 'decided', outcome: summaryOf(decision, current) };
    },
    onRefresh: (listener) => {
      refreshed = listener;
    },
    fail: () => {},
    refresh: (next) => {
      current = { ...current, revision: current.revision + 1, ...next };
      refreshed();
    },
    end: (outcome) => ending.abort(new ReviewEnded(outcome)),
  };
  return review;
}

function summaryOf(decision: Decision, proposal: Proposal): OutcomeSummary {
  const by = 'a test';
  const resolved = resolveDecision(decision, proposal);
  if (resolved.kind !== 'accepted') return { kind: resolved.kind, by };
  const text = resolved.text === proposal.newText ? 'as proposed' : 'changed';
  return { kind: 'accepted', text, writer: 'agent', by };
}
