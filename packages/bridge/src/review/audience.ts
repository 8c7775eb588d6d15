import { messageOf } from '@hawser/unknown-values/thrown';
import type { Member } from './open-set.ts';
import type { Decision, Outcome, OutcomeSummary, Proposal } from './proposal.ts';
import { type DecideResult, type OpenReview, ReviewEnded, type Reviewer } from './reviewer.ts';

export type ReviewEvent =
  | { readonly kind: 'added'; readonly proposal: Proposal }
  /** It has a new revision, or other progress. */
  | { readonly kind: 'refreshed'; readonly proposal: Proposal }
  /** `ended` is the outcome with its texts. */
  | {
      readonly kind: 'removed';
      readonly proposal: Proposal;
      readonly outcome: OutcomeSummary;
      readonly ended: Outcome;
    };

/** A decision without a user. `by` names the rule that made it. */
export interface Ruling {
  readonly decision: Decision;
  readonly by: string;
}

/** What rules have decided since the bridge started. */
export interface Ruled {
  readonly count: number;
  /** The last one. */
  readonly path: string;
  readonly agent: string;
  readonly decision: Decision['kind'];
  /** For example `rule accept docs/**`. */
  readonly by: string;
}

type Decide = (id: string, decision: Decision, revision: number, by: string) => Promise<DecideResult>;

/** The reviewers of a queue, and who listens to its events. None of them can do harm by throwing. */
export class Audience {
  readonly #reviewers = new Map<Reviewer, () => void>();
  readonly #listeners = new Set<{ readonly receive: (event: ReviewEvent) => void }>();
  readonly #decide: Decide;
  readonly #onProblem: (problem: Error) => void;
  readonly #ruling: (proposal: Proposal) => Ruling | undefined;

  constructor(
    decide: Decide,
    onProblem: (problem: Error) => void,
    ruling: (proposal: Proposal) => Ruling | undefined = () => undefined,
  ) {
    this.#decide = decide;
    this.#onProblem = onProblem;
    this.#ruling = ruling;
  }

  get names(): readonly string[] {
    return [...this.#reviewers.keys()].map(({ name }) => name);
  }

  /** `members` gives those that are open. Call the result to detach the reviewer. */
  attach(reviewer: Reviewer, members: () => readonly Member[]): () => void {
    const detach = () => {
      if (!this.#reviewers.delete(reviewer)) return;
      const shown = members();
      for (const { views } of shown) views.get(reviewer)?.end({ kind: 'withdrawn', reason: 'detached' });
      for (const { views } of shown) views.delete(reviewer);
    };
    this.#reviewers.set(reviewer, detach);
    for (const member of members()) this.#show(member, reviewer);
    return detach;
  }

  detachAll(): void {
    for (const detach of [...this.#reviewers.values()]) detach();
  }

  subscribe(receive: (event: ReviewEvent) => void): () => void {
    const listener = { receive };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  added(member: Member, proposal: Proposal): void {
    this.#emit({ kind: 'added', proposal });
    // Before anybody sees it: what ends by that is not shown.
    this.#rule(proposal);
    for (const reviewer of [...this.#reviewers.keys()]) this.#show(member, reviewer);
  }

  refreshed(member: Member, proposal: Proposal): void {
    for (const [reviewer, view] of [...member.views]) this.#guarded(reviewer, () => view.refresh());
    this.#emit({ kind: 'refreshed', proposal });
    if (proposal.progress === undefined) this.#rule(proposal);
  }

  removed(member: Member, proposal: Proposal, outcome: OutcomeSummary, ended: Outcome): void {
    for (const view of member.views.values()) view.end(outcome);
    this.#emit({ kind: 'removed', proposal, outcome, ended });
  }

  report(message: string, cause: unknown): void {
    this.#onProblem(new Error(`${message}: ${messageOf(cause)}`, { cause }));
  }

  #rule(proposal: Proposal): void {
    const ruling = this.#ruling(proposal);
    if (ruling !== undefined) void this.#decide(proposal.id, ruling.decision, proposal.revision, ruling.by);
  }

  #show(member: Member, reviewer: Reviewer): void {
    // A listener may have ended it, or attached the reviewer.
    if (member.proposal === undefined || member.hasEnded || member.views.has(reviewer)) return;
    const ending = new AbortController();
    let refreshed = () => {};
    member.views.set(reviewer, {
      end: (outcome) => ending.abort(new ReviewEnded(outcome)),
      refresh: () => refreshed(),
    });
    const review: OpenReview = {
      get proposal() {
        return member.proposal as Proposal; // it never goes
      },
      signal: ending.signal,
      decide: (decision, revision) => this.#decide(member.id, decision, revision, reviewer.name),
      onRefresh: (listener) => {
        refreshed = listener;
      },
      fail: (problem) => this.report(`${reviewer.name} can't show ${member.proposal?.path}`, problem),
    };
    this.#guarded(reviewer, () => reviewer.show(review));
  }

  /** Detaches a reviewer that throws. */
  #guarded(reviewer: Reviewer, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#reviewers.get(reviewer)?.();
      this.report(`The reviewer ${reviewer.name} failed and was detached`, error);
    }
  }

  #emit(event: ReviewEvent): void {
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      try {
        listener.receive(event);
      } catch (error) {
        this.report(`A listener failed on ${event.kind}`, error);
      }
    }
  }
}
