import type { DiffDecision, Proposal } from '../src/editor.ts';
import type { Reviewer } from '../src/editors/workspace/open-proposals.ts';

/** A reviewer whose decisions a test makes. */
export class PendingReviews {
  readonly #shown = new Map<string, (decision: DiffDecision) => void>();
  readonly #waiting = new Map<string, () => void>();

  readonly reviewer: Reviewer = (proposal: Proposal) =>
    new Promise((resolve) => {
      this.#shown.set(proposal.id, resolve);
      this.#waiting.get(proposal.id)?.();
    });

  async decide(id: string, decision: DiffDecision): Promise<void> {
    if (!this.#shown.has(id)) await new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    this.#shown.get(id)?.(decision);
  }
}
