import type { Decision, OutcomeSummary, Proposal } from './proposal.ts';

/** Shows proposals to the user. Several reviewers can be attached to one queue; the first decision wins. */
export interface Reviewer {
  /** What users call the place in which they decide, for example `terminal`. */
  readonly name: string;
  /**
   * Shows the proposal until its signal aborts. Called once per proposal, in the order of arrival. A reviewer that
   * throws is detached and reported.
   */
  show(review: OpenReview): void;
}

/** One open proposal, as one reviewer sees it. */
export interface OpenReview {
  /** As it is now. */
  readonly proposal: Proposal;
  /** Aborts with a `ReviewEnded` when the proposal is decided, here or elsewhere, withdrawn, or the reviewer detached. */
  readonly signal: AbortSignal;
  /**
   * `revision` is the one that the user saw. Resolves when the decision has taken effect: what the bridge writes is
   * written then. Never rejects.
   */
  decide(decision: Decision, revision: number): Promise<DecideResult>;
  /** Sets the listener that is called after `proposal` was replaced: it has a new revision, or other progress. */
  onRefresh(listener: () => void): void;
  /** Reports that this reviewer can't show the proposal. It stays open for the others. */
  fail(problem: Error): void;
}

export type DecideResult =
  | { readonly kind: 'decided'; readonly outcome: OutcomeSummary }
  /** It takes effect when the rest of the set is decided. */
  | { readonly kind: 'waiting'; readonly decided: number; readonly size: number }
  /** It ended before. */
  | { readonly kind: 'ended'; readonly outcome: OutcomeSummary }
  /** The file has changed since that revision; nothing is decided. */
  | { readonly kind: 'stale'; readonly revision: number }
  /** It could not be written, and is open as before. */
  | { readonly kind: 'failed'; readonly reason: string }
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
