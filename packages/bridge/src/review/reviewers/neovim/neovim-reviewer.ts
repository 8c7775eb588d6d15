import type { OpenReview, Reviewer } from '../../reviewer.ts';
import { type NeovimChannel, ShownProposal } from './shown-proposal.ts';

export type Layout = 'auto' | 'split' | 'inline' | 'tab';

/** Shows proposals in Neovim's windows, or as soon as Neovim can show them. */
export class NeovimReviewer implements Reviewer {
  readonly name = 'neovim';
  readonly #channel: NeovimChannel;
  readonly #layout: Layout;
  readonly #open = new Map<string, ShownProposal>();

  constructor(channel: NeovimChannel, layout: Layout) {
    this.#channel = channel;
    this.#layout = layout;
  }

  show(review: OpenReview): void {
    const { id } = review.proposal;
    const shown = new ShownProposal(review, this.#channel, this.#layout);
    this.#open.set(id, shown);
    review.signal.addEventListener('abort', () => this.#open.delete(id), { once: true });
    shown.open();
  }

  /** What the user does, as the plugin sends it. Returns false for an event that is not about proposals. */
  receive(event: string, [id, ...args]: readonly unknown[]): boolean {
    const shown = this.#open.get(String(id));
    if (event === 'proposal_edited') shown?.edited(args);
    else if (event === 'proposal_compared') shown?.compared(args);
    else if (event === 'proposal_decided') shown?.decided(args);
    else return false;
    return true;
  }
}
