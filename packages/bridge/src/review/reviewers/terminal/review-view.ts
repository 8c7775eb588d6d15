import type { Key } from '../../../terminal/keys.ts';
import type { Row } from '../../../terminal/paint.ts';
import type { Size } from '../../../terminal/terminal.ts';
import type { KeyHelp, Screen, View } from '../../../terminal/view.ts';
import type { Decision, OutcomeSummary } from '../../proposal.ts';
import { type OpenReview, ReviewEnded, type Reviewer } from '../../reviewer.ts';
import { describeOutcome, staleNotice } from './describe.ts';
import { drawReview } from './draw-review.ts';
import type { EditOutcome } from './edit-text.ts';
import { Entry } from './entry.ts';
import { REVIEW_HELP } from './help.ts';
import { isMove, move } from './moves.ts';

export interface ReviewViewOptions {
  readonly screen: Screen;
  /** The path as users read it, relative to the workspace. */
  readonly nameOf: (path: string) => string;
  /** Lets the user edit a text in the terminal, which is free meanwhile. */
  readonly editText: (path: string, text: string) => Promise<EditOutcome>;
  /** Writes a text that would be lost to a file and returns its path. */
  readonly keepText: (path: string, text: string) => string;
}

/** Shows proposals one at a time and lets the user decide. */
export class ReviewView implements View {
  readonly name = 'review';
  readonly title = 'Review';
  readonly help: readonly KeyHelp[] = REVIEW_HELP;
  readonly #options: ReviewViewOptions;
  readonly #screen: Screen;
  #entries: Entry[] = [];
  #current: Entry | undefined;
  /** The proposal whose decision is on its way. */
  #busy: string | undefined;

  constructor(options: ReviewViewOptions) {
    this.#options = options;
    this.#screen = options.screen;
  }

  /** Attach this to a queue. */
  readonly reviewer: Reviewer = { name: 'terminal', show: (review) => this.#show(review) };

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get current(): Entry | undefined {
    return this.#current;
  }

  get badge(): string {
    return this.#entries.length === 0 ? '' : String(this.#entries.length);
  }

  get hints(): string {
    return this.#current === undefined ? '' : 'a accept  r reject  y/n hunk  e edit';
  }

  get message(): string {
    const entry = this.#current;
    if (this.#busy !== undefined) return 'Deciding…';
    if (entry?.isMarked !== true || entry.undecided > 0) return '';
    return `All hunks decided, ${entry.acceptedCount} of ${entry.hunkCount} accepted: Enter sends it, u starts over.`;
  }

  /** A change that has ended stays until any key is pressed; while a decision is on its way keys do nothing. */
  get takesAllKeys(): boolean {
    return this.#busy !== undefined || this.#current?.outcome !== undefined;
  }

  draw(size: Size): readonly Row[] {
    return drawReview({ entries: this.#entries, current: this.#current, nameOf: this.#options.nameOf }, size);
  }

  key(key: Key): 'handled' | 'unknown' {
    const entry = this.#current;
    if (entry?.outcome !== undefined) this.#remove(entry);
    else if (this.#busy === undefined) {
      if (key === 'l' || key === 'right') this.#showNext(1);
      else if (key === 'h' || key === 'left') this.#showNext(-1);
      else if (entry !== undefined) return this.#keyIn(entry, key);
      else return 'unknown';
    }
    return 'handled';
  }

  #keyIn(entry: Entry, key: Key): 'handled' | 'unknown' {
    if (isMove(key)) move(entry.page, key);
    else if (key === 'a') this.#accept(entry, () => entry.acceptAll());
    else if (key === 'r') void this.#decide(entry, { kind: 'rejected' });
    else if (key === 'y') entry.markHunk('yes');
    else if (key === 'n') entry.markHunk('no');
    else if (key === 'u') entry.clearMarks();
    else if (key === 'enter') this.#sendMarks(entry);
    else if (key === 'e') void this.#edit(entry);
    else if (key === 'escape') entry.dropEdit();
    else return 'unknown';
    return 'handled';
  }

  #show(review: OpenReview): void {
    const entry = new Entry(review);
    this.#entries.push(entry);
    if (this.#current === undefined) this.#current = entry;
    else this.#screen.say(`${entry.proposal.agent} proposes another change: ${this.#nameOf(entry)}`);
    review.onRefresh(() => {
      entry.refreshed();
      this.#screen.say(`${this.#nameOf(entry)}: ${staleNotice(entry)}`);
    });
    review.signal.addEventListener(
      'abort',
      () => {
        const { reason } = review.signal;
        if (reason instanceof ReviewEnded) this.#ended(entry, reason.outcome);
        this.#screen.redraw();
      },
      { once: true },
    );
    this.#screen.redraw();
  }

  /** It was decided elsewhere or withdrawn. */
  #ended(entry: Entry, outcome: OutcomeSummary): void {
    // The answer to this user's own decision follows.
    if (entry.id === this.#busy || !this.#entries.includes(entry)) return;
    // It stays until a key is pressed: a key that is on its way must not hit the next proposal.
    if (entry === this.#current) entry.outcome = outcome;
    else {
      this.#remove(entry);
      this.#screen.say(`${this.#nameOf(entry)}: ${describeOutcome(outcome, 'another')}`);
    }
    if (entry.edited !== undefined) this.#keep(entry, entry.edited);
  }

  #sendMarks(entry: Entry): void {
    if (!entry.isMarked) this.#screen.say('Decide with a, r, or y and n for each hunk.');
    else if (entry.undecided === 0) this.#accept(entry, () => entry.acceptMarked());
    else this.#screen.say(`Not decided yet: ${entry.undecided} of ${entry.hunkCount} hunks.`);
  }

  /** The first key after the file has changed only says so: the user may not have seen the new diff. */
  #accept(entry: Entry, decision: () => Decision): void {
    if (entry.isStale) {
      entry.confirm();
      this.#screen.say(`Press again to accept: ${staleNotice(entry)}`);
    } else void this.#decide(entry, decision());
  }

  async #decide(entry: Entry, decision: Decision): Promise<void> {
    this.#busy = entry.id;
    const result = await entry.decide(decision);
    this.#busy = undefined;
    if (result.kind === 'decided') {
      this.#remove(entry);
      this.#screen.say(`${this.#nameOf(entry)}: ${describeOutcome(result.outcome, 'you')}`);
    } else if (result.kind === 'ended') this.#ended(entry, result.outcome);
    else if (result.kind === 'stale') {
      this.#screen.say('The file has changed; look at the new diff and decide again.');
    } else this.#screen.say('Not decided: the bridge does not know this change any more.');
    this.#screen.redraw();
  }

  async #edit(entry: Entry): Promise<void> {
    const { path } = entry.proposal;
    const { textToEdit: text } = entry;
    try {
      const outcome = await this.#screen.lend(() => this.#options.editText(path, text));
      if (outcome.kind === 'failed') this.#screen.say(outcome.message);
      else if (this.#entries.includes(entry) && entry.outcome === undefined) this.#edited(entry, outcome.text);
      else if (outcome.text !== text) this.#keep(entry, outcome.text);
    } catch (error) {
      this.#screen.say(`Not edited: ${messageOf(error)}`);
    }
  }

  #edited(entry: Entry, text: string): void {
    entry.edit(text);
    const isSame = entry.edited === undefined;
    this.#screen.say(isSame ? 'Nothing edited.' : 'This is your version: a accepts it, e edits again, Esc drops it.');
  }

  #keep({ proposal }: Entry, text: string): void {
    try {
      this.#screen.say(`Your version is kept in ${this.#options.keepText(proposal.path, text)}`);
    } catch (error) {
      this.#screen.say(`Your version could not be kept: ${messageOf(error)}`);
    }
  }

  #showNext(step: 1 | -1): void {
    const index = this.#current === undefined ? -1 : this.#entries.indexOf(this.#current);
    this.#current = this.#entries[index + step] ?? this.#current;
  }

  #remove(entry: Entry): void {
    const index = this.#entries.indexOf(entry);
    this.#entries = this.#entries.filter((other) => other !== entry);
    if (entry === this.#current) this.#current = this.#entries[Math.min(index, this.#entries.length - 1)];
  }

  #nameOf({ proposal }: Entry): string {
    return this.#options.nameOf(proposal.path);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
