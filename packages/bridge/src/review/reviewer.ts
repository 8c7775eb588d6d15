import type { Decision, OutcomeSummary, Proposal } from './proposal.ts';

/** Shows proposals to the user. Several reviewers can be attached to one queue; the first decision wins. */
export interface Reviewer {
  /** For log messages, for example `terminal`. */
  readonly name: string;
  /**
   * Shows the proposal until its signal aborts. Called once per proposal, in the order of arrival. A reviewer that
   * throws is detached and reported.
   */
  show(review: OpenReview): void;
}

/** One open proposal, as one reviewer sees it. */
export interface OpenReview {
  /** The current revision. */
  readonly proposal: Proposal;
  /** Aborts with a `ReviewEnded` when the proposal is decided, here or elsewhere, withdrawn, or the reviewer detached. */
  readonly signal: AbortSignal;
  /** `revision` is the one that the user saw. An acceptance of an older one is refused as `stale`. Never rejects. */
  decide(decision: Decision, revision: number): Promise<DecideResult>;
  /** Sets the listener that is called after `proposal` was replaced by a new revision. */
  onRefresh(listener: () => void): void;
  /** Reports that this reviewer can't show the proposal. It stays open for the others. */
  fail(problem: Error): void;
}

export type DecideResult =
  | { readonly kind: 'decided'; readonly outcome: OutcomeSummary }
  /** It ended before. */
  | { readonly kind: 'ended'; readonly outcome: OutcomeSummary }
  /** The file has changed since that revision; nothing is decided. */
  | { readonly kind: 'stale'; readonly revision: number }
  | { readonly kind: 'unknown' };

/** The reason of the signal of an `OpenReview`. */
export class ReviewEnded extends Error {
  override readonly name = 'ReviewEnded';
  readonly outcome: OutcomeSummary;

  constructor(outcome: OutcomeSummary) {
    super(outcome.kind === 'withdrawn' ? `Withdrawn: ${outcome.reason}` : `The proposal was ${outcome.kind}`);
    this.outcome = outcome;
  }
}
