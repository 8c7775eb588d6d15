import { hunksOfChange } from '../../hunks/accept.ts';
import { applyHunks, type Hunk } from '../../hunks/hunks.ts';
import { splitHunk } from '../../hunks/split-hunk.ts';
import type { Decision, OutcomeSummary, Proposal } from '../../proposal.ts';
import type { DecideResult, OpenReview } from '../../reviewer.ts';
import type { Fate } from './agent-decisions.ts';
import { type Colouring, Decoration } from './decoration.ts';
import { DiffLines } from './diff-lines.ts';
import { Items, type Layout } from './items.ts';
import { Page } from './page.ts';

export type Mark = 'yes' | 'no';

/** Hunks, as the user has split them, and what the user thinks of each. */
interface Choices {
  readonly hunks: readonly Hunk[];
  readonly marks: readonly (Mark | undefined)[];
}

/** How many unchanged lines are shown around each hunk. */
const CONTEXTS = [0, 3, 10, 30, 100, Number.MAX_SAFE_INTEGER] as const;
const USUAL_CONTEXT = 1;
/** How many marks and splits can be taken back. */
const MAX_UNDO = 100;

/** One proposal and what the user has made of it so far. */
export class Entry {
  readonly #review: OpenReview;
  /** Set once it has ended although it is on the screen. */
  outcome: OutcomeSummary | undefined;
  /** What its file says, once its agent has closed it. */
  fate: Fate | undefined;
  /** The revision that the user knows of. Keys that accept count only for this one. */
  #seenRevision: number;
  #edited: string | undefined;
  /** The hunks as they were found, none of them marked. */
  #found: Choices | undefined;
  #choices: Choices | undefined;
  /** Earlier choices, for undo. */
  #past: Choices[] = [];
  #context = USUAL_CONTEXT;
  #lines: DiffLines | undefined;
  #page: { readonly page: Page; readonly layout: Layout } | undefined;
  #decoration: Decoration | undefined;

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

  /** The user's version of the text, if there is one. */
  get edited(): string | undefined {
    return this.#edited;
  }

  /** The text that is accepted if nothing is rejected. */
  get newText(): string {
    return this.#edited ?? this.proposal.newText;
  }

  /** The file has changed and the user has not confirmed it yet. */
  get isStale(): boolean {
    return this.#seenRevision !== this.proposal.revision;
  }

  /** The file has changed: what was decided on the old diff is gone; the edited version stays. */
  refreshed(): void {
    this.#startOver();
  }

  /** The user knows that the file has changed. */
  confirm(): void {
    this.#seenRevision = this.proposal.revision;
  }

  /** The page as it was last laid out. */
  get page(): Page {
    return this.pageIn(this.#page?.layout ?? 'unified');
  }

  /** Made when it is first looked at. In another layout the cursor stays at its line. */
  pageIn(layout: Layout): Page {
    if (this.#page?.layout !== layout) this.#layOut(layout);
    return this.#page?.page as Page; // made above
  }

  decorationWith(colouring: Colouring, onReady: () => void): Decoration {
    const { path, oldText = '' } = this.proposal;
    this.#decoration ??= new Decoration({ path, oldText, newText: this.newText }, colouring, onReady);
    return this.#decoration;
  }

  get hunks(): readonly Hunk[] {
    return this.#now().hunks;
  }

  /** The highest line number on either side. */
  get lineCount(): number {
    return Math.max(this.#diffLines.oldCount, this.#diffLines.newCount);
  }

  /** The function or class that a hunk is in. */
  enclosing(hunk: number): string | undefined {
    const lines = this.hunks[hunk]?.newLines;
    return lines === undefined ? undefined : this.#diffLines.enclosing(lines.first);
  }

  get hunkCount(): number {
    return this.hunks.length;
  }

  mark(hunk: number): Mark | undefined {
    return this.#now().marks[hunk];
  }

  count(mark: Mark | undefined): number {
    return this.#now().marks.filter((each) => each === mark).length;
  }

  /** Hunks that are neither accepted nor rejected. */
  get undecided(): number {
    return this.count(undefined);
  }

  get isMarked(): boolean {
    return this.undecided < this.hunkCount;
  }

  /** Marks a hunk and goes to the next one without a mark. */
  markHunk(hunk: number, mark: Mark): void {
    const { hunks, marks } = this.#now();
    if (marks[hunk] !== mark) {
      this.#choose({ hunks, marks: marks.map((each, index) => (index === hunk ? mark : each)) });
    }
    const order = [...hunks.keys()];
    const next = [...order.slice(hunk + 1), ...order.slice(0, hunk)].find((index) => this.mark(index) === undefined);
    if (next !== undefined) this.page.toHunk(next);
  }

  /** Makes two hunks of one; both keep its mark. False if it can't be split there. */
  split(hunk: number, lines: number): boolean {
    const { hunks, marks } = this.#now();
    const whole = hunks[hunk];
    const parts = whole === undefined ? undefined : splitHunk(whole, lines);
    if (parts === undefined) return false;
    this.#choose({
      hunks: hunks.flatMap((each, index) => (index === hunk ? parts : [each])),
      marks: marks.flatMap((each, index) => (index === hunk ? [each, each] : [each])),
    });
    this.#layOut();
    return true;
  }

  /** Takes the last mark or split back. False if there is none. */
  undo(): boolean {
    const before = this.#past.pop();
    if (before === undefined) return false;
    const { hunks, marks } = this.#now();
    const isSplit = before.hunks.length !== hunks.length;
    const changed = before.marks.findIndex((mark, index) => mark !== marks[index]);
    this.#choices = before;
    if (isSplit) this.#layOut();
    else if (changed !== -1) this.page.toHunk(changed);
    return true;
  }

  clearMarks(): void {
    this.#past = [];
    this.#choices = this.#found;
    this.#layOut();
  }

  /** Shows more or fewer unchanged lines. False if there are no more, or no fewer. */
  showContext(step: 1 | -1): boolean {
    const next = this.#context + step;
    if (CONTEXTS[next] === undefined) return false;
    this.#context = next;
    this.#layOut();
    return true;
  }

  /** Shows all unchanged lines. */
  unfold(): void {
    this.#context = CONTEXTS.length - 1;
    this.#layOut();
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
    return { kind: 'accepted', text: this.#textWith((mark) => mark !== 'no') };
  }

  /** Rejects what is not accepted. */
  rejectRest(): Decision {
    if (this.count('yes') === 0) return { kind: 'rejected' };
    return { kind: 'accepted', text: this.#textWith((mark) => mark === 'yes') };
  }

  decide(decision: Decision): Promise<DecideResult> {
    return this.#review.decide(decision, this.#seenRevision);
  }

  #textWith(isAccepted: (mark: Mark | undefined) => boolean): string {
    const { hunks, marks } = this.#now();
    const accepted = [...hunks.keys()].filter((hunk) => isAccepted(marks[hunk]));
    if (accepted.length === hunks.length) return this.newText;
    return applyHunks(this.proposal.oldText ?? '', hunks, new Set(accepted));
  }

  get #diffLines(): DiffLines {
    const { path, oldText = '' } = this.proposal;
    this.#lines ??= new DiffLines(path, oldText, this.newText);
    return this.#lines;
  }

  #now(): Choices {
    if (this.#choices === undefined) {
      const hunks = hunksOfChange({ oldText: this.proposal.oldText, newText: this.newText });
      this.#found = { hunks, marks: hunks.map(() => undefined) };
      this.#choices = this.#found;
    }
    return this.#choices;
  }

  #choose(choices: Choices): void {
    this.#past = [...this.#past.slice(-MAX_UNDO), this.#now()];
    this.#choices = choices;
  }

  /** The cursor stays where it was if that is still there. */
  #layOut(layout = this.#page?.layout): void {
    if (layout === undefined) return;
    const { oldText } = this.proposal;
    const items = new Items({
      lines: this.#diffLines,
      hunks: this.hunks,
      contextLines: CONTEXTS[this.#context] ?? 0,
      layout,
      note: oldText === undefined ? 'A new file without any text.' : 'The text stays as it is.',
    });
    const page = new Page(items);
    const line = this.#page?.page.line;
    if (line !== undefined && 'oldLine' in line) page.toItem(items.indexOf(line) ?? page.cursor.item);
    this.#page = { page, layout };
  }

  #startOver(): void {
    this.#choices = undefined;
    this.#past = [];
    this.#lines = undefined;
    this.#page = undefined;
    this.#decoration = undefined;
  }
}
