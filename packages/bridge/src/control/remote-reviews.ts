import type { Decision, OutcomeSummary, Proposal } from '../review/proposal.ts';
import { type DecideResult, ReviewEnded, type Reviewer } from '../review/reviewer.ts';
import type { Removed } from './calls.ts';

type Decide = (id: string, decision: Decision, revision: number) => Promise<DecideResult>;

/** Shows the proposals of a bridge in another process, or behind a connection, to one reviewer. */
export class RemoteReviews {
  readonly #reviewer: Reviewer;
  readonly #decide: Decide;
  readonly #open = new Map<string, OpenRemote>();

  constructor(reviewer: Reviewer, decide: Decide) {
    this.#reviewer = reviewer;
    this.#decide = decide;
  }

  added(proposal: Proposal): void {
    const ending = new AbortController();
    const open: OpenRemote = { proposal, refresh: () => {}, end: (outcome) => ending.abort(new ReviewEnded(outcome)) };
    this.#open.set(proposal.id, open);
    this.#reviewer.show({
      get proposal() {
        return open.proposal;
      },
      signal: ending.signal,
      decide: (decision, revision) => this.#decideFor(open, decision, revision),
      onRefresh: (listener) => {
        open.refresh = listener;
      },
      // The reviewer's own process shows the problem to the user.
      fail: () => {},
    });
  }

  refreshed(proposal: Proposal): void {
    const open = this.#open.get(proposal.id);
    if (open === undefined) return;
    open.proposal = proposal;
    open.refresh();
  }

  removed({ id, outcome }: Removed): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.end(outcome);
  }

  /** The connection has ended. */
  close(): void {
    for (const id of [...this.#open.keys()]) {
      this.removed({ id, outcome: { kind: 'withdrawn', reason: 'the bridge ended' } });
    }
  }

  async #decideFor({ proposal }: OpenRemote, decision: Decision, revision: number): Promise<DecideResult> {
    try {
      return await this.#decide(proposal.id, withoutKnownText(decision, proposal), revision);
    } catch {
      // It ends with the connection.
      return { kind: 'unknown' };
    }
  }
}

interface OpenRemote {
  proposal: Proposal;
  refresh: () => void;
  readonly end: (outcome: OutcomeSummary) => void;
}

/** The bridge has the proposal's text already. */
function withoutKnownText(decision: Decision, { newText }: Proposal): Decision {
  if (decision.text !== newText) return decision;
  const { text: _, ...rest } = decision;
  return rest;
}
