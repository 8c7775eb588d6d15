import type { Decision, OutcomeSummary, Proposal } from '../../proposal.ts';
import type { DecideResult, OpenReview } from '../../reviewer.ts';
import { diffOf, resultOf } from './diff.ts';
import { Page } from './page.ts';

export type Mark = 'yes' | 'no';

/** One proposal and what the user has made of it so far. */
export class Entry {
  readonly #review: OpenReview;
  /** Set once it has ended although it is on the screen. */
  outcome: OutcomeSummary | undefined;
  /** The revision that the user knows of. Keys that accept count only for this one. */
  #seenRevision: number;
  #edited: string | undefined;
  #page: Page | undefined;
  #marks = new Map<number, Mark>();

  constructor(review: OpenReview) {
    this.#review = review;
    this.#seenRevision = review.proposal.revision;
  }

  get proposal(): Proposal {
    return this.#review.proposal;
  }

  get id(): string {
    return this.proposal.id;
  }

  /** The diff is computed when it is first looked at. */
  get page(): Page {
    this.#page ??= new Page(diffOf({ oldText: this.proposal.oldText, newText: this.#edited ?? this.proposal.newText }));
    return this.#page;
  }

  /** The user's version of the text, if there is one. */
  get edited(): string | undefined {
    return this.#edited;
  }

  /** The file has changed and the user has not confirmed it yet. */
  get isStale(): boolean {
    return this.#seenRevision !== this.proposal.revision;
  }

  /** The file has changed: what was decided on the old diff is gone; the edited version stays. */
  refreshed(): void {
    this.#show();
  }

  /** The user knows that the file has changed. */
  confirm(): void {
    this.#seenRevision = this.proposal.revision;
  }

  mark(hunk: number): Mark | undefined {
    return this.#marks.get(hunk);
  }

  get hunkCount(): number {
    return this.page.diff.hunks.length;
  }

  /** Hunks that are neither accepted nor rejected. */
  get undecided(): number {
    return this.hunkCount - this.#marks.size;
  }

  get acceptedCount(): number {
    return [...this.#marks.values()].filter((mark) => mark === 'yes').length;
  }

  get isMarked(): boolean {
    return this.#marks.size > 0;
  }

  /** Marks the hunk at the cursor and goes to the next that has no mark. */
  markHunk(mark: Mark): void {
    const { page } = this;
    const { hunk } = page;
    if (hunk === undefined) return;
    this.#marks.set(hunk, mark);
    const all = page.diff.hunks.map((_, index) => index);
    const next = [...all.slice(hunk + 1), ...all.slice(0, hunk)].find((index) => !this.#marks.has(index));
    if (next !== undefined) page.toHunk(next);
  }

  clearMarks(): void {
    this.#marks = new Map();
  }

  /** The user's version replaces what was proposed. */
  edit(text: string): void {
    this.#edited = text === this.proposal.newText ? undefined : text;
    this.#show();
  }

  dropEdit(): void {
    this.edit(this.proposal.newText);
  }

  /** What an edit starts with: everything that is not rejected. */
  get textToEdit(): string {
    const left = new Set(this.page.diff.hunks.map((_, index) => index));
    for (const hunk of this.#hunksWith('no')) left.delete(hunk);
    return resultOf(this.page.diff, left);
  }

  acceptAll(): Decision {
    return { kind: 'accepted', text: this.#edited ?? this.proposal.newText };
  }

  acceptMarked(): Decision {
    const accepted = this.#hunksWith('yes');
    if (accepted.length === 0) return { kind: 'rejected' };
    return { kind: 'accepted', text: resultOf(this.page.diff, new Set(accepted)) };
  }

  decide(decision: Decision): Promise<DecideResult> {
    return this.#review.decide(decision, this.#seenRevision);
  }

  #show(): void {
    this.#marks = new Map();
    this.#page = undefined;
  }

  #hunksWith(mark: Mark): number[] {
    return [...this.#marks].filter(([, given]) => given === mark).map(([hunk]) => hunk);
  }
}
