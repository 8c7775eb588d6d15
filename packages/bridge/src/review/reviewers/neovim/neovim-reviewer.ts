import { hunksOfChange } from '../../hunks/accept.ts';
import type { Decision, Proposal } from '../../proposal.ts';
import type { OpenReview, Reviewer } from '../../reviewer.ts';

/** What this reviewer needs of the connection to Neovim. */
export interface NeovimChannel {
  readonly hasEnded: boolean;
  /** Calls a function of the plugin, when Neovim can answer. Aborting the signal ends the wait. */
  call(name: string, args: readonly unknown[], options: { readonly signal: AbortSignal }): Promise<unknown>;
}

export type Layout = 'split' | 'tab' | 'inline';

/** Shows proposals in Neovim's windows, or as soon as Neovim can show them. */
export class NeovimReviewer implements Reviewer {
  readonly name = 'neovim';
  readonly #channel: NeovimChannel;
  readonly #layout: Layout;
  readonly #open = new Map<string, Shown>();

  constructor(channel: NeovimChannel, layout: Layout) {
    this.#channel = channel;
    this.#layout = layout;
  }

  show(review: OpenReview): void {
    const { id } = review.proposal;
    const shown: Shown = { review, revision: review.proposal.revision };
    this.#open.set(id, shown);
    review.signal.addEventListener(
      'abort',
      () => {
        this.#open.delete(id);
        this.#close(id);
      },
      { once: true },
    );
    review.onRefresh(() => this.#showAgain(shown));
    this.#display(shown);
  }

  /** The user's decision, as the plugin sends it. One on a proposal that has ended or changed decides nothing. */
  decide(id: string, decision: Decision): void {
    const shown = this.#open.get(id);
    if (shown === undefined) return;
    void shown.review.decide(decision, shown.revision).then(({ kind }) => {
      if (kind === 'stale') this.#showAgain(shown);
    });
  }

  #showAgain(shown: Shown): void {
    if (shown.review.signal.aborted) return;
    this.#close(shown.review.proposal.id);
    this.#display(shown);
  }

  #display(shown: Shown): void {
    const { review } = shown;
    shown.revision = review.proposal.revision;
    // A prompt can keep Neovim from showing it for as long as the user likes.
    this.#channel
      .call('show_diff', [specOf(review.proposal, this.#layout)], { signal: review.signal })
      .catch((error) => {
        if (!review.signal.aborted) review.fail(error instanceof Error ? error : new Error(String(error)));
      });
  }

  /** Calls are answered in order, so it never overtakes the call that shows the proposal. */
  #close(id: string): void {
    if (this.#channel.hasEnded) return;
    this.#channel.call('close_diff', [id], { signal: new AbortController().signal }).catch(() => undefined);
  }
}

interface Shown {
  readonly review: OpenReview;
  /** The one that Neovim shows. */
  revision: number;
}

function specOf({ id, title, path, agent, oldText, newText, revision, base }: Proposal, layout: Layout): object {
  const hunks = hunksOfChange({ oldText, newText }).map(({ oldLines, newLines }) => [
    oldLines.first + 1,
    oldLines.count,
    newLines.first + 1,
    newLines.count,
  ]);
  const old = oldText === undefined ? {} : { old: oldText };
  return { id, title, path, from: agent, ...old, new: newText, layout, hunks, revision, base };
}
