import type { DiffDecision, Proposal } from '../../editor.ts';
import { hunksOf } from '../../review/hunks/hunks.ts';
import type { NeovimLink } from './link.ts';
import type { Layout } from './wire.ts';

/** The proposals that Neovim shows, or will show as soon as it can. */
export class Diffs {
  readonly #link: NeovimLink;
  readonly #layout: Exclude<Layout, 'off'>;
  readonly #open = new Map<string, OpenDiff>();

  constructor(link: NeovimLink, layout: Exclude<Layout, 'off'>) {
    this.#link = link;
    this.#layout = layout;
  }

  async show(proposal: Proposal, { signal }: { readonly signal: AbortSignal }): Promise<DiffDecision> {
    signal.throwIfAborted();
    const { id } = proposal;
    if (this.#open.has(id)) throw new Error(`This proposal is shown already: ${id}`);
    const ending = new AbortController();
    const decided = new Promise<DiffDecision>((resolve, reject) => {
      this.#open.set(id, { resolve, end: (reason) => ending.abort(reason) });
      ending.signal.addEventListener('abort', () => reject(ending.signal.reason), { once: true });
    });
    const abort = () => ending.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      // A prompt may keep Neovim from showing it for as long as the user likes.
      const shown = this.#link.call('show_diff', [specOf(proposal, this.#layout)], { signal: ending.signal });
      shown.catch((error) => ending.abort(error));
      return await decided;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#open.delete(id);
      if (ending.signal.aborted && !this.#link.hasEnded) this.#withdraw(id);
    }
  }

  /** What a user decided; later ones are ignored. */
  decide(id: string, decision: DiffDecision): void {
    this.#open.get(id)?.resolve(decision);
    this.#open.delete(id);
  }

  close(reason: Error): void {
    for (const { end } of [...this.#open.values()]) end(reason);
  }

  /** In the order of its own request, so that it never overtakes what shows it. */
  #withdraw(id: string): void {
    this.#link.call('close_diff', [id], { signal: new AbortController().signal }).catch(() => undefined);
  }
}

interface OpenDiff {
  readonly resolve: (decision: DiffDecision) => void;
  readonly end: (reason: unknown) => void;
}

function specOf({ id, title, path, from, oldText, newText }: Proposal, layout: string): object {
  const hunks = hunksOf(oldText ?? '', newText).map(({ oldLines, newLines }) => [
    oldLines.first + 1,
    oldLines.count,
    newLines.first + 1,
    newLines.count,
  ]);
  return { id, title, path, from, ...(oldText !== undefined && { old: oldText }), new: newText, layout, hunks };
}
