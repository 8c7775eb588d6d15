import { type ChoiceOnHunk, carryChoices } from '../../hunks/carry-choices.ts';
import { applyHunks, type Hunk, hunksOf } from '../../hunks/hunks.ts';
import { mergeTexts } from '../../hunks/merge.ts';
import type { Decision, Proposal } from '../../proposal.ts';
import { type OpenReview, ReviewEnded } from '../../reviewer.ts';
import { wireHunks } from './wire-hunks.ts';

/** What a reviewer needs of the connection to Neovim. */
export interface NeovimChannel {
  readonly hasEnded: boolean;
  /** Calls a function of the plugin, when Neovim can answer. Calls are answered in order. The signal ends the wait. */
  call(name: string, args: readonly unknown[], options: { readonly signal: AbortSignal }): Promise<unknown>;
}

/**
 * One proposal in Neovim. Neovim shows texts and hunks; it sends the user's text when that changes, and choices about
 * hunks when the user accepts. Hunks are computed and applied here.
 */
export class ShownProposal {
  readonly #review: OpenReview;
  readonly #channel: NeovimChannel;
  readonly #layout: string;
  /** The revision that Neovim shows. */
  #proposal: Proposal;
  /** The text of the new side: the proposal's, or the user's if `#edit` is not 0. */
  #text: string;
  #edit = 0;
  #hunks: readonly Hunk[];
  #choices: readonly ChoiceOnHunk[] = [];
  /** The user has decided, and the rest of its set has not: it is not in the way meanwhile. */
  #isPutAside = false;

  constructor(review: OpenReview, channel: NeovimChannel, layout: string) {
    this.#review = review;
    this.#channel = channel;
    this.#layout = layout;
    this.#proposal = review.proposal;
    this.#text = review.proposal.newText;
    this.#hunks = hunksOf(review.proposal.oldText ?? '', this.#text);
  }

  open(): void {
    const { signal } = this.#review;
    signal.addEventListener('abort', () => this.#close(), { once: true });
    this.#review.onRefresh(() => this.#refresh());
    // A prompt can keep Neovim from showing it for as long as the user likes.
    this.#channel.call('show_proposal', [this.#spec()], { signal }).catch((error: unknown) => this.#fail(error));
  }

  /** The user has changed the text: `[edit, text, choices]`. `choices` is `{ edit, list }`, the edit whose hunks they are about. */
  edited([edit, text, choices]: readonly unknown[]): void {
    if (typeof edit !== 'number' || typeof text !== 'string') return;
    this.#take(text, choices);
    this.#edit = edit;
    this.#call('set_hunks', [this.#id, edit, this.#wireHunks(), this.#choices]);
  }

  /** The user has decided: `[revision, decision]`. */
  decided([revision, decision]: readonly unknown[]): void {
    if (typeof revision !== 'number') return;
    void this.#review.decide(this.#decisionOf(decision), revision).then((result) => {
      if (result.kind === 'stale') this.#call('refuse_stale', [this.#id]);
      if (result.kind === 'failed') this.#call('message', ['ERROR', `not written: ${result.reason}`]);
    });
  }

  get #id(): string {
    return this.#proposal.id;
  }

  #decisionOf(value: unknown): Decision {
    const { kind, text, choices } = value as { kind: string; text?: unknown; choices?: unknown };
    if (kind !== 'accepted') return { kind: 'rejected' };
    this.#take(typeof text === 'string' ? text : this.#text, choices);
    const rejected = this.#choices.filter((choice) => choice === 'rejected').length;
    if (rejected === 0) return { kind: 'accepted', text: this.#text };
    const accepted = new Set([...this.#hunks.keys()].filter((index) => this.#choices[index] !== 'rejected'));
    return { kind: 'accepted', text: applyHunks(this.#proposal.oldText ?? '', this.#hunks, accepted) };
  }

  /** Takes the user's text and choices. Choices about hunks of an older text are known already. */
  #take(text: string, choices: unknown): void {
    const { edit, list } = choices as { edit?: unknown; list?: unknown };
    const before = this.#hunks;
    if (text !== this.#text) this.#hunks = hunksOf(this.#proposal.oldText ?? '', text);
    this.#text = text;
    this.#choices = carryChoices(before, this.#hunks, edit === this.#edit ? choicesIn(list) : this.#choices);
  }

  #refresh(): void {
    const { progress } = this.#review.proposal;
    if (progress?.kind === 'applying') return;
    if (progress?.kind === 'decided') {
      if (!this.#isPutAside) this.#call('close_proposal', [this.#id, { kind: progress.decision, by: progress.by }]);
      this.#isPutAside = true;
      return;
    }
    this.#update();
    this.#call(this.#isPutAside ? 'show_proposal' : 'refresh_proposal', [this.#spec()]);
    this.#isPutAside = false;
  }

  /** The file has changed, or could not be written. What the user made of it stays, merged where that is possible. */
  #update(): void {
    const before = this.#proposal;
    this.#proposal = this.#review.proposal;
    const { oldText, newText, progress } = this.#proposal;
    if (progress?.kind === 'failed') this.#text = progress.text;
    const isEdited = this.#text !== before.newText;
    if (isEdited) {
      this.#text = mergeTexts({ base: before.oldText, ours: this.#text, theirs: oldText }) ?? this.#text;
    } else {
      this.#text = newText;
    }
    const hunks = hunksOf(oldText ?? '', this.#text);
    this.#choices = carryChoices(this.#hunks, hunks, this.#choices);
    this.#hunks = hunks;
  }

  #close(): void {
    const { reason } = this.#review.signal;
    const outcome = reason instanceof ReviewEnded ? reason.outcome : { kind: 'withdrawn', reason: String(reason) };
    this.#call('close_proposal', [this.#id, outcome]);
  }

  #spec(): object {
    const { id, path, agent, oldText, revision, base, set, effect, advice } = this.#proposal;
    return {
      id,
      revision,
      path,
      agent,
      base,
      ...(set && { set: `${set.title} (${set.index + 1} of ${set.size})` }),
      ...(effect !== undefined && { effect }),
      ...(advice !== undefined && { advice }),
      ...(oldText !== undefined && { old: oldText }),
      new: this.#text,
      edit: this.#edit,
      hunks: this.#wireHunks(),
      choices: this.#choices,
      layout: this.#layout,
    };
  }

  #wireHunks() {
    return wireHunks(this.#proposal.oldText ?? '', this.#text, this.#hunks);
  }

  #call(name: string, args: readonly unknown[]): void {
    if (this.#channel.hasEnded) return;
    const { signal } = new AbortController();
    this.#channel.call(name, args, { signal }).catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    if (this.#review.signal.aborted || this.#channel.hasEnded) return;
    this.#review.fail(error instanceof Error ? error : new Error(String(error)));
  }
}

function choicesIn(value: unknown): readonly ChoiceOnHunk[] {
  if (!Array.isArray(value)) return [];
  return value.map((choice) => (choice === 'accepted' || choice === 'rejected' ? choice : ''));
}
