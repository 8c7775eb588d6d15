import { hunksOfChange } from '@hawser/diffs/accept';
import { type DiffLine, DiffLines, isTextLine } from '@hawser/diffs/diff-lines';
import { type Hunk, hunksOf } from '@hawser/diffs/hunks';
import { Items, type Layout } from '@hawser/diffs/items';
import type { Decision, Note, NotedLines, OutcomeSummary, PreviousRound, Proposal } from '../proposal.ts';
import type { DecideResult, OpenReview } from '../reviewer.ts';
import { hunksAt, marksFromBefore } from '../rounds.ts';
import { HunkChoices, type Mark } from './hunk-choices.ts';
import { placedNotes } from './placed-notes.ts';

/** How many unchanged lines are shown around each hunk. */
const CONTEXTS = [0, 3, 10, 30, 100, Number.MAX_SAFE_INTEGER] as const;
const USUAL_CONTEXT = 1;

/** What the file of a change says about the decision in the agent's own terminal. */
export type Fate = 'written' | 'not written' | 'written otherwise';

/** One proposal and what the user has made of it so far. */
export class ReviewedChange {
  #review: OpenReview;
  /** Set once it has ended although it is on the screen. */
  outcome: OutcomeSummary | undefined;
  /** What its file says, once its agent has closed it. */
  fate: Fate | undefined;
  /** The revision that the user knows of. Keys that accept count only for this one. */
  #seenRevision: number;
  #edited: string | undefined;
  #notes: readonly Note[] = [];
  #choices: HunkChoices | undefined;
  /** What the diff compares the new text with: the file, or what was proposed in the round before. */
  #compares: 'file' | 'round';
  #hunks: readonly Hunk[] | undefined;
  #context = USUAL_CONTEXT;
  #lines: DiffLines | undefined;
  #items: { readonly items: Items; readonly layout: Layout } | undefined;

  constructor(review: OpenReview) {
    this.#review = review;
    const { revision, previous, newText } = review.proposal;
    this.#seenRevision = revision;
    this.#compares = previous === undefined || previous.newText === newText ? 'file' : 'round';
  }

  /** The same proposal over another connection. What the user has made of it stays. */
  resume(review: OpenReview): void {
    this.#review = review;
    this.refreshed();
  }

  get proposal(): Proposal {
    return this.#review.proposal;
  }

  get id(): string {
    return this.proposal.id;
  }

  /** The user's version of the text, if there is one. */
  get edited(): string | undefined {
    return this.#edited;
  }

  /** The text that is accepted if nothing is rejected. */
  get newText(): string {
    return this.#edited ?? this.proposal.newText;
  }

  /** The text on the left of the diff. */
  get before(): string {
    return this.comparedRound?.newText ?? this.proposal.oldText ?? '';
  }

  /** The file has changed and the user has not confirmed it yet. */
  get isStale(): boolean {
    return this.#seenRevision !== this.proposal.revision;
  }

  /** The user has decided, and the rest of its set has not been decided yet. */
  get isDecided(): boolean {
    return this.proposal.progress?.kind === 'decided';
  }

  /**
   * The proposal was replaced. If the file has changed, what was decided on the old diff is gone; the edited version
   * stays. What could not be written becomes the user's version, wherever they made it.
   */
  refreshed(): 'file changed' | 'progress' {
    const { progress, newText } = this.proposal;
    if (this.isStale) {
      this.#startOver();
      return 'file changed';
    }
    const isUntouched = this.#edited === undefined && this.#choices?.isTouched !== true;
    if (progress?.kind === 'failed' && isUntouched && progress.text !== newText) this.edit(progress.text);
    return 'progress';
  }

  /** The user knows that the file has changed. */
  confirm(): void {
    this.#seenRevision = this.proposal.revision;
  }

  /** The rows of the diff. The same object until they change. */
  itemsIn(layout: Layout): Items {
    if (this.#items?.layout !== layout) {
      const items = new Items({
        lines: this.lines,
        hunks: this.hunks,
        contextLines: CONTEXTS[this.#context] ?? 0,
        layout,
        about: this.#about,
        notes: placedNotes(this.#notes, this.proposal, this.#compares),
      });
      this.#items = { items, layout };
    }
    return this.#items.items;
  }

  /** The lines of the diff. Another object for other texts. */
  get lines(): DiffLines {
    this.#lines ??= new DiffLines(this.proposal.path, this.before, this.newText);
    return this.#lines;
  }

  /** The round before, if the diff shows what has changed since. */
  get comparedRound(): PreviousRound | undefined {
    return this.#compares === 'round' ? this.proposal.previous : undefined;
  }

  /** Shows what has changed since the round before, or the whole change. False if there is no other round. */
  switchComparison(): boolean {
    if (this.proposal.previous === undefined) return false;
    this.#compares = this.#compares === 'round' ? 'file' : 'round';
    this.#forgetDiff();
    return true;
  }

  /** The hunks of the diff. */
  get hunks(): readonly Hunk[] {
    if (this.comparedRound === undefined) return this.#decided.hunks;
    this.#hunks ??= hunksOf(this.before, this.newText);
    return this.#hunks;
  }

  /** The function or class that a hunk of the diff is in. */
  enclosing(hunk: number): string | undefined {
    const lines = this.hunks[hunk]?.newLines;
    return lines === undefined ? undefined : this.lines.enclosing(lines.first);
  }

  /** How many hunks of the change are to be decided. */
  get hunkCount(): number {
    return this.#decided.hunks.length;
  }

  /** What the user thinks of a hunk of the diff. */
  mark(hunk: number): Mark | undefined {
    const { marks } = this.#decided;
    const [first, ...others] = this.#hunksBehind(hunk).map((index) => marks[index]);
    return others.every((mark) => mark === first) ? first : undefined;
  }

  count(mark: Mark | undefined): number {
    return this.#decided.count(mark);
  }

  /** Hunks that are neither accepted nor rejected. */
  get undecided(): number {
    return this.count(undefined);
  }

  get isMarked(): boolean {
    return this.undecided < this.hunkCount;
  }

  /** Marks a hunk of the diff. False if nothing of the change is there. */
  setMark(hunk: number, mark: Mark): boolean {
    const behind = this.#hunksBehind(hunk);
    this.#decided.mark(behind, mark);
    return behind.length > 0;
  }

  /** The next hunk of the diff without a mark, from the first one after the last. */
  undecidedAfter(hunk: number): number | undefined {
    const order = [...this.hunks.keys()];
    return [...order.slice(hunk + 1), ...order.slice(0, hunk)].find(
      (index) => this.mark(index) === undefined && this.#hunksBehind(index).length > 0,
    );
  }

  /** Makes two hunks of one; both keep its mark. False if it can't be split there. */
  split(hunk: number, lines: number): boolean {
    const isSplit = this.comparedRound === undefined && this.#decided.split(hunk, lines);
    if (isSplit) this.#items = undefined;
    return isSplit;
  }

  /** Takes the last mark or split back. The hunk of the diff whose mark has changed; undefined if there is none. */
  takeBack(): number | 'split' | 'mark' | undefined {
    const undone = this.#decided.undo();
    if (undone === 'split') this.#items = undefined;
    if (undone === undefined || undone === 'split') return undone;
    return undone === -1 || this.comparedRound !== undefined ? 'mark' : undone;
  }

  clearMarks(): void {
    this.#decided.clear();
    this.#items = undefined;
  }

  /** What the user says about the change, in the order in which they said it. */
  get notes(): readonly Note[] {
    return this.#notes;
  }

  addNote(note: Note): void {
    this.#notes = [...this.#notes, note];
    this.#items = undefined;
  }

  /** False if it is none of theirs. */
  removeNote(note: object | undefined): boolean {
    const others = this.#notes.filter((each) => each !== note);
    if (others.length === this.#notes.length) return false;
    this.#notes = others;
    this.#items = undefined;
    return true;
  }

  /** This line, or the lines of this hunk; undefined if a note can't be about them. */
  notedLines(what: 'line' | 'hunk', { line, hunk }: DiffPlace): NotedLines | undefined {
    const { newLines, oldLines } = (hunk === undefined ? undefined : this.hunks[hunk]) ?? {};
    if (what === 'hunk') {
      if (newLines === undefined || oldLines === undefined) return undefined;
      return newLines.count === 0 && this.comparedRound === undefined
        ? { side: 'old', ...oldLines }
        : { side: 'new', first: newLines.first, count: Math.max(1, newLines.count) };
    }
    if (!isTextLine(line)) return undefined;
    if (line.newLine !== undefined) return { side: 'new', first: line.newLine, count: 1 };
    // A line of the round before is in neither text.
    if (this.comparedRound !== undefined) return { side: 'new', first: newLines?.first ?? 0, count: 1 };
    return { side: 'old', first: line.oldLine ?? 0, count: 1 };
  }

  /** Shows more or fewer unchanged lines. False if there are no more, or no fewer. */
  showContext(step: 1 | -1): boolean {
    const next = this.#context + step;
    if (CONTEXTS[next] === undefined) return false;
    this.#context = next;
    this.#items = undefined;
    return true;
  }

  /** Shows all unchanged lines. */
  unfold(): void {
    this.#context = CONTEXTS.length - 1;
    this.#items = undefined;
  }

  /** The user's version replaces what was proposed. */
  edit(text: string): void {
    this.#edited = text === this.proposal.newText ? undefined : text;
    this.#startOver();
  }

  dropEdit(): void {
    this.edit(this.proposal.newText);
  }

  /** What an edit starts with: everything that is not rejected. */
  get textToEdit(): string {
    return this.#textWith((mark) => mark !== 'no');
  }

  /** Accepts what is not rejected. */
  acceptRest(): Decision {
    return { kind: 'accepted', text: this.#textWith((mark) => mark !== 'no'), ...this.#noted };
  }

  /** Rejects what is not accepted. */
  rejectRest(): Decision {
    if (this.count('yes') === 0) return { kind: 'rejected', ...this.#typed, ...this.#noted };
    return { kind: 'accepted', text: this.#textWith((mark) => mark === 'yes'), ...this.#noted };
  }

  /** Sends it back with the notes. Marks on the user's own version say nothing about what was proposed. */
  askForChanges(): Decision {
    const marks = this.#edited === undefined ? { marks: this.#decided.marksAsFound() } : {};
    return { kind: 'changesRequested', ...this.#typed, ...this.#noted, ...marks };
  }

  decide(decision: Decision): Promise<DecideResult> {
    return this.#review.decide(decision, this.#seenRevision);
  }

  get #typed(): { readonly text?: string } {
    return this.#edited === undefined ? {} : { text: this.#edited };
  }

  get #noted(): { readonly notes?: readonly Note[] } {
    return this.#notes.length === 0 ? {} : { notes: this.#notes };
  }

  #textWith(isAccepted: (mark: Mark | undefined) => boolean): string {
    if (this.#decided.marks.every(isAccepted)) return this.newText;
    return this.#decided.apply(this.proposal.oldText ?? '', isAccepted);
  }

  /** The hunks of the change that a hunk of the diff shows. */
  #hunksBehind(hunk: number): readonly number[] {
    if (this.comparedRound === undefined) return [hunk];
    const lines = this.hunks[hunk]?.newLines;
    return lines === undefined ? [] : hunksAt(lines, this.#decided.hunks);
  }

  get #decided(): HunkChoices {
    if (this.#choices === undefined) {
      const hunks = hunksOfChange({ oldText: this.proposal.oldText, newText: this.newText });
      this.#choices = new HunkChoices(hunks, marksFromBefore(this.proposal.previous, hunks));
    }
    return this.#choices;
  }

  get #about(): string {
    if (this.comparedRound !== undefined)
      return 'Nothing has changed since the round before; w shows the whole change.';
    return this.proposal.oldText === undefined ? 'A new file without any text.' : 'The text stays as it is.';
  }

  #startOver(): void {
    this.#choices = undefined;
    this.#forgetDiff();
  }

  #forgetDiff(): void {
    this.#hunks = undefined;
    this.#lines = undefined;
    this.#items = undefined;
  }
}

/** A line of the diff, and the hunk there or after it. */
export interface DiffPlace {
  readonly line: DiffLine | undefined;
  readonly hunk: number | undefined;
}
