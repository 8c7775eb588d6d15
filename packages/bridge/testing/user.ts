import type { Decision, Proposal } from '../src/review/proposal.ts';
import type { DecideResult, OpenReview, Reviewer } from '../src/review/reviewer.ts';

export interface Shown {
  readonly review: OpenReview;
  readonly proposal: Proposal;
  readonly signal: AbortSignal;
  /** Decides on the current revision. */
  readonly decide: (decision: Decision) => Promise<DecideResult>;
}

/** A user who looks at proposals and decides when the test says so. */
export class User implements Reviewer {
  readonly name = 'user';
  /** Every proposal ever shown. */
  readonly shown: Shown[] = [];
  readonly #waiting: ((shown: Shown) => void)[] = [];

  show(review: OpenReview): void {
    const { proposal, signal } = review;
    const decide = (decision: Decision) => review.decide(decision, review.proposal.revision);
    const shown = { review, proposal, signal, decide };
    this.shown.push(shown);
    this.#waiting.shift()?.(shown);
  }

  /** The next proposal that will be shown. */
  next(): Promise<Shown> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
