import type { DiffDecision, Proposal } from '../../editor.ts';

/** Whoever shows a proposal to a person. When the signal aborts, nobody waits for the answer any more. */
export type Reviewer = (proposal: Proposal, options: { readonly signal: AbortSignal }) => Promise<DiffDecision>;

/** The proposals that wait for a decision, any number at once. */
export class OpenProposals {
  readonly #reviewer: Reviewer;
  readonly #open = new Map<string, AbortController>();

  constructor(reviewer: Reviewer) {
    this.#reviewer = reviewer;
  }

  async show(proposal: Proposal, { signal }: { readonly signal: AbortSignal }): Promise<DiffDecision> {
    signal.throwIfAborted();
    if (this.#open.has(proposal.id)) throw new Error(`This proposal is shown already: ${proposal.id}`);
    const ending = new AbortController();
    const abort = () => ending.abort(signal.reason);
    this.#open.set(proposal.id, ending);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const ended = new Promise<never>((_, reject) => {
        ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true });
      });
      return await Promise.race([this.#reviewer(proposal, { signal: ending.signal }), ended]);
    } finally {
      this.#open.delete(proposal.id);
      signal.removeEventListener('abort', abort);
    }
  }

  close(reason: Error): void {
    for (const ending of this.#open.values()) ending.abort(reason);
  }
}
