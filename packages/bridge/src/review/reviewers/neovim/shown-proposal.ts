import { type ChoiceOnHunk, carryChoices } from '@hawser/diffs/carry-choices';
import { applyHunks, type Hunk, hunksOf } from '@hawser/diffs/hunks';
import { lineFeedHunks } from '@hawser/diffs/line-feed-hunks';
import { mergeTexts } from '@hawser/diffs/merge';
import { asError } from '@hawser/unknown-values/thrown';
import type { Decision, HunkMark, Note, Proposal } from '../../proposal.ts';
import { type OpenReview, ReviewEnded } from '../../reviewer.ts';
import { hunksAt, marksFromBefore } from '../../rounds.ts';
import { earlierNotes } from './earlier-notes.ts';

/** What a reviewer needs of the connection to Neovim. */
export interface NeovimChannel {
  readonly hasEnded: boolean;
  /** Calls a function of the plugin, when Neovim can answer. Calls are answered in order. The signal ends the wait. */
  call(name: string, args: readonly unknown[], options: { readonly signal: AbortSignal }): Promise<unknown>;
}

/** Hunks, and what the user wants of each. */
interface Chosen {
  readonly hunks: readonly Hunk[];
  readonly choices: readonly ChoiceOnHunk[];
}

/**
 * One proposal in Neovim. Neovim shows texts and hunks; it sends the user's text when that changes, and choices about
 * hunks when the user decides. Hunks are computed and applied here.
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
  /** Of the whole change. */
  #whole: Chosen;
  /** What Neovim compares the text with: the file, or what was proposed in the round before. */
  #compares: 'file' | 'round';
  /** What Neovim shows. */
  #shown: Chosen;
  /** The user has decided, and the rest of its set has not: it is not in the way meanwhile. */
  #isPutAside = false;

  constructor(review: OpenReview, channel: NeovimChannel, layout: string) {
    this.#review = review;
    this.#channel = channel;
    this.#layout = layout;
    this.#proposal = review.proposal;
    const { oldText = '', newText, previous } = review.proposal;
    this.#text = newText;
    const hunks = hunksOf(oldText, newText);
    const marks = marksFromBefore(previous, hunks);
    this.#whole = { hunks, choices: hunks.map((_, index) => choiceOf(marks[index])) };
    this.#compares = previous === undefined || previous.newText === newText ? 'file' : 'round';
    this.#shown = this.#shownOf(this.#whole);
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
    this.#call('set_hunks', [this.#id, edit, this.#wireHunks(), this.#shown.choices]);
  }

  /** The user wants to see the whole change, or what is new since the round before: `[choices]`. */
  compared([choices]: readonly unknown[]): void {
    if (this.#proposal.previous === undefined) return;
    this.#take(this.#text, choices);
    this.#compares = this.#compares === 'file' ? 'round' : 'file';
    this.#shown = this.#shownOf(this.#whole);
    this.#call('refresh_proposal', [this.#spec()]);
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
    const { kind, text, choices, notes } = value as {
      kind: string;
      text?: unknown;
      choices?: unknown;
      notes?: unknown;
    };
    this.#take(typeof text === 'string' ? text : this.#text, choices);
    const noted = notesIn(notes);
    const typed = this.#text === this.#proposal.newText ? {} : { text: this.#text };
    if (kind === 'changesRequested') {
      const marks = typed.text === undefined ? { marks: this.#whole.choices.map(markOf) } : {};
      return { kind, ...typed, ...noted, ...marks };
    }
    if (kind !== 'accepted') return { kind: 'rejected', ...typed, ...noted };
    const { hunks, choices: chosen } = this.#whole;
    if (!chosen.includes('rejected')) return { kind: 'accepted', text: this.#text, ...noted };
    const accepted = new Set([...hunks.keys()].filter((index) => chosen[index] !== 'rejected'));
    return { kind: 'accepted', text: applyHunks(this.#proposal.oldText ?? '', hunks, accepted), ...noted };
  }

  /** Takes the user's text and choices. Choices about hunks of an older text are known already. */
  #take(text: string, given: unknown): void {
    const { edit, list } = (given ?? {}) as { edit?: unknown; list?: unknown };
    const choices = edit === this.#edit ? this.#wholeChoices(choicesIn(list)) : this.#whole.choices;
    const hunks = text === this.#text ? this.#whole.hunks : hunksOf(this.#proposal.oldText ?? '', text);
    this.#text = text;
    this.#setWhole(hunks, choices);
  }

  /** The choices about the whole change, from those about the hunks that Neovim shows. */
  #wholeChoices(choices: readonly ChoiceOnHunk[]): readonly ChoiceOnHunk[] {
    if (this.#compares === 'file') return choices;
    const whole = [...this.#whole.choices];
    for (const [index, choice] of choices.entries()) {
      const lines = this.#shown.hunks[index]?.newLines;
      // A hunk that stands for several may have no choice because they differ.
      if (lines === undefined || choice === this.#shown.choices[index]) continue;
      for (const hunk of hunksAt(lines, this.#whole.hunks)) whole[hunk] = choice;
    }
    return whole;
  }

  #setWhole(hunks: readonly Hunk[], choices: readonly ChoiceOnHunk[]): void {
    this.#whole = { hunks, choices: carryChoices(this.#whole.hunks, hunks, choices) };
    this.#shown = this.#shownOf(this.#whole);
  }

  #shownOf(whole: Chosen): Chosen {
    const { previous } = this.#proposal;
    if (this.#compares === 'file' || previous === undefined) return whole;
    const hunks = hunksOf(previous.newText, this.#text);
    const choices = hunks.map(({ newLines }): ChoiceOnHunk => {
      const [first = '', ...others] = hunksAt(newLines, whole.hunks).map((index) => whole.choices[index] ?? '');
      return others.every((choice) => choice === first) ? first : '';
    });
    return { hunks, choices };
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
    this.#setWhole(hunksOf(oldText ?? '', this.#text), this.#whole.choices);
  }

  #close(): void {
    const { reason } = this.#review.signal;
    const outcome = reason instanceof ReviewEnded ? reason.outcome : { kind: 'withdrawn', reason: String(reason) };
    this.#call('close_proposal', [this.#id, outcome]);
  }

  #spec(): object {
    const { id, path, agent, newText, revision, base, set, effect, advice, progress, previous } = this.#proposal;
    const before = this.#before;
    return {
      id,
      revision,
      path,
      agent,
      base,
      ...(set && { set: `${set.title} (${set.index + 1} of ${set.size})` }),
      ...(effect !== undefined && { effect }),
      ...(advice !== undefined && { advice }),
      ...(before !== undefined && { old: before }),
      new: this.#text,
      edit: this.#edit,
      is_edited: this.#text !== newText,
      hunks: this.#wireHunks(),
      choices: this.#shown.choices,
      layout: this.#layout,
      ...(progress?.kind === 'failed' && { failure: progress.reason }),
      ...(previous && {
        round: previous.round + 1,
        compares: this.#compares,
        earlier_notes: earlierNotes(previous, this.#text),
      }),
    };
  }

  /** The text on the old side. */
  get #before(): string | undefined {
    const { previous, oldText } = this.#proposal;
    if (previous === undefined) return oldText;
    return this.#compares === 'round' ? previous.newText : (oldText ?? '');
  }

  /** Lines from 1, as Neovim counts them. */
  #wireHunks() {
    const hunks = lineFeedHunks(this.#before ?? '', this.#text, this.#shown.hunks);
    return hunks.map(([oldLine, oldCount, newLine, newCount]) => [oldLine + 1, oldCount, newLine + 1, newCount]);
  }

  #call(name: string, args: readonly unknown[]): void {
    if (this.#channel.hasEnded) return;
    const { signal } = new AbortController();
    this.#channel.call(name, args, { signal }).catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    if (this.#review.signal.aborted || this.#channel.hasEnded) return;
    this.#review.fail(asError(error));
  }
}

function choicesIn(value: unknown): readonly ChoiceOnHunk[] {
  if (!Array.isArray(value)) return [];
  return value.map((choice) => (choice === 'accepted' || choice === 'rejected' ? choice : ''));
}

function choiceOf(mark: HunkMark | undefined): ChoiceOnHunk {
  return mark === undefined || mark === 'undecided' ? '' : mark;
}

function markOf(choice: ChoiceOnHunk): HunkMark {
  return choice === '' ? 'undecided' : choice;
}

/** Notes as Neovim sends them: `{ text, side, first, count }`, lines from 1; without a side they are about the whole. */
function notesIn(value: unknown): { readonly notes?: readonly Note[] } {
  if (!Array.isArray(value)) return {};
  const notes = value.flatMap((each): Note[] => {
    const { text, side, first, count } = (each ?? {}) as Record<string, unknown>;
    if (typeof text !== 'string') return [];
    if (side !== 'old' && side !== 'new') return [{ text }];
    return [{ text, lines: { side, first: Number(first) - 1, count: Number(count) } }];
  });
  return notes.length === 0 ? {} : { notes };
}
