import type { FullProposal, Summary, WireChoice } from '../../../control/calls.ts';
import type { Ending } from '../../../desk.ts';
import { diffOf, resultOf } from './diff.ts';
import { Page } from './page.ts';

export type Mark = 'yes' | 'no';

/** One proposal as a person works on it. */
export class Entry {
  readonly summary: Summary;
  /** Set once it has ended although it is on the screen. */
  ending: Ending | undefined;
  #proposal: FullProposal | undefined;
  #edited: string | undefined;
  #page: Page | undefined;
  #marks = new Map<number, Mark>();

  constructor(summary: Summary) {
    this.summary = summary;
  }

  /** Undefined until its texts are here. */
  get page(): Page | undefined {
    return this.#page;
  }

  get isEdited(): boolean {
    return this.#edited !== undefined;
  }

  mark(hunk: number): Mark | undefined {
    return this.#marks.get(hunk);
  }

  get hunkCount(): number {
    return this.#page?.diff.hunks.length ?? 0;
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

  load(proposal: FullProposal): void {
    this.#proposal = proposal;
    this.#show(proposal.newText);
  }

  /** Marks the hunk at the cursor and goes to the next that has no mark. */
  markHunk(mark: Mark): void {
    const page = this.#page;
    const hunk = page?.hunk;
    if (page === undefined || hunk === undefined) return;
    this.#marks.set(hunk, mark);
    const all = page.diff.hunks.map((_, index) => index);
    const next = [...all.slice(hunk + 1), ...all.slice(0, hunk)].find((index) => !this.#marks.has(index));
    if (next !== undefined) page.toHunk(next);
  }

  clearMarks(): void {
    this.#marks = new Map();
  }

  /** What a person makes of it in an editor takes the place of what was proposed. */
  edit(text: string): void {
    if (this.#proposal === undefined) return;
    this.#edited = text === this.#proposal.newText ? undefined : text;
    this.#show(text);
  }

  dropEdit(): void {
    if (this.#proposal !== undefined) this.edit(this.#proposal.newText);
  }

  /** What to begin an edit with: all that is not rejected. */
  get textToEdit(): string {
    return this.#textWithout('no');
  }

  choiceOfAll(): WireChoice {
    return this.#edited === undefined ? { kind: 'all' } : { kind: 'edited', text: this.#edited };
  }

  choiceOfMarks(): WireChoice {
    const accepted = this.#hunksWith('yes');
    if (accepted.length === 0) return { kind: 'none' };
    if (this.#page === undefined || this.#edited === undefined) return { kind: 'some', hunks: accepted };
    return { kind: 'edited', text: resultOf(this.#page.diff, new Set(accepted)) };
  }

  #show(newText: string): void {
    this.#marks = new Map();
    this.#page = new Page(diffOf({ oldText: this.#proposal?.oldText, newText }));
  }

  #hunksWith(mark: Mark): number[] {
    return [...this.#marks].filter(([, given]) => given === mark).map(([hunk]) => hunk);
  }

  #textWithout(mark: Mark): string {
    if (this.#page === undefined) return '';
    const left = new Set(this.#page.diff.hunks.map((_, index) => index));
    for (const hunk of this.#hunksWith(mark)) left.delete(hunk);
    return resultOf(this.#page.diff, left);
  }
}
