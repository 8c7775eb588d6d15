import type { Layout } from '@hawser/diffs/items';
import type { NotedLines, OutcomeSummary } from '../../proposal.ts';
import type { OpenReview, Reviewer } from '../../reviewer.ts';
import { Deciding } from '../../viewing/deciding.ts';
import { describeProposal } from '../../viewing/describe.ts';
import type { Mark } from '../../viewing/hunk-choices.ts';
import { OpenChanges } from '../../viewing/open-changes.ts';
import { ReviewedChange } from '../../viewing/reviewed-change.ts';
import { Search } from '../../viewing/search.ts';
import { DiffCursor } from './diff-cursor.ts';

export interface WebReviewOptions {
  /** Something that the page shows has changed. */
  readonly redraw: () => void;
  readonly nameOf: (path: string) => string;
  /** Writes a text that would be lost to a file of the bridge's machine and returns its path. */
  readonly keepText: (path: string, text: string) => Promise<string>;
  /** A change has arrived. */
  readonly arrived?: (change: ReviewedChange) => void;
  /** A change has ended: what was typed for it and is not the user's version yet. It is kept in a file. */
  readonly takeTyped?: (change: ReviewedChange) => string | undefined;
}

/** What became of a change while the page was away is not known. */
const ENDED_AWAY: OutcomeSummary = { kind: 'withdrawn', reason: 'decided or withdrawn while this page was away' };

/** The review as the page has it: the open changes and what the user makes of them. Knows no browser. */
export class WebReview {
  readonly #options: WebReviewOptions;
  readonly changes = new OpenChanges<ReviewedChange>();
  readonly deciding: Deciding<ReviewedChange>;
  readonly #cursors = new WeakMap<ReviewedChange, DiffCursor>();
  /** What the connection of now shows, by id. Those of a lost one end, too, which says nothing. */
  #reviews = new Map<string, OpenReview>();
  #isAway = false;
  #message = '';
  #search: Search | undefined;
  /** As the user has chosen; undefined for what the width allows. */
  chosenLayout: Layout | undefined;

  constructor(options: WebReviewOptions) {
    this.#options = options;
    const screen = { redraw: options.redraw, say: (message: string) => this.say(message) };
    const { nameOf, keepText } = options;
    this.deciding = new Deciding({ screen, changes: this.changes, nameOf, keepText });
  }

  /** Attach this to a queue. */
  readonly reviewer: Reviewer = { name: 'the browser', show: (review) => this.#show(review) };

  get current(): ReviewedChange | undefined {
    return this.changes.current;
  }

  /** The last thing that was said. */
  get message(): string {
    return this.#message;
  }

  /** No connection: nothing can be decided, and what was typed stays. */
  get isAway(): boolean {
    return this.#isAway;
  }

  cursorOf(change: ReviewedChange): DiffCursor {
    const cursor = this.#cursors.get(change) ?? new DiffCursor(change);
    this.#cursors.set(change, cursor);
    return cursor;
  }

  say(message: string): void {
    this.#message = message;
    this.#options.redraw();
  }

  /** The connection has ended. Call it before its reviews end. */
  lost(): void {
    this.#isAway = true;
    this.#reviews = new Map();
    this.#options.redraw();
  }

  /** The reviewer is attached again, and these proposals are open. */
  resumed(open: ReadonlySet<string>): void {
    this.#isAway = false;
    for (const change of this.changes.entries) if (!open.has(change.id)) this.#ended(change, ENDED_AWAY);
    this.#options.redraw();
  }

  accept(): void {
    this.#withCurrent((change) => this.deciding.decide(change, change.acceptRest()));
  }

  reject(): void {
    this.#withCurrent((change) => this.deciding.decide(change, change.rejectRest()));
  }

  /** Sends what the user made of the hunks, once all are decided. */
  sendMarks(): void {
    this.#withCurrent((change) => this.deciding.sendMarks(change));
  }

  /** Sends it back, with one more note if there is a text. */
  askForChanges(text: string): void {
    this.#withCurrent((change) => {
      if (text.trim() !== '') change.addNote({ text: text.trim() });
      if (change.notes.length === 0) this.say('Not sent: say what should change, or reject it.');
      else this.deciding.decide(change, change.askForChanges());
    });
  }

  /** Marks a hunk and goes to the next one that is not decided. */
  markHunk(hunk: number, mark: Mark): void {
    this.#withCurrent((change) => {
      if (!change.setMark(hunk, mark)) {
        return this.say('These lines are as they are in the file now; w shows the whole change.');
      }
      const next = change.undecidedAfter(hunk);
      if (next !== undefined) this.cursorOf(change).toHunk(next);
      const isLast = change.undecided === 0;
      this.say(
        isLast ? `All hunks decided, ${change.count('yes')} of ${change.hunkCount} accepted: Enter sends it.` : '',
      );
    });
  }

  takeBack(): void {
    this.#withCurrent((change) => {
      const undone = change.takeBack();
      if (typeof undone === 'number') this.cursorOf(change).toHunk(undone);
      this.say(undone === undefined ? 'There is nothing to take back.' : '');
    });
  }

  split(): void {
    this.#withCurrent((change) => {
      const { hunk, items, row } = this.cursorOf(change);
      this.deciding.split(change, { hunk, lineInHunk: items.lineInHunk(row) });
    });
  }

  /** The lines that a note at the cursor is about; undefined if there are none, or the note is about the change. */
  linesAt(about: 'line' | 'hunk' | 'change'): NotedLines | undefined {
    const { current } = this;
    if (current === undefined || about === 'change') return undefined;
    return current.notedLines(about, this.cursorOf(current).place);
  }

  addNote(text: string, lines: NotedLines | undefined): void {
    this.#withCurrent((change) => {
      if (text.trim() !== '') change.addNote({ text: text.trim(), ...(lines && { lines }) });
      this.say('');
    });
  }

  removeNote(note: object | undefined): void {
    this.#withCurrent((change) => this.say(change.removeNote(note) ? '' : 'There is no note of yours at the cursor.'));
  }

  switchComparison(): void {
    this.#withCurrent((change) => this.say(change.switchComparison() ? '' : 'There is no round before this one.'));
  }

  showContext(step: 1 | -1): void {
    this.#withCurrent((change) => {
      const all = step === 1 ? 'All unchanged lines are shown.' : 'No unchanged lines are shown.';
      this.say(change.showContext(step) ? '' : all);
    });
  }

  /** What the user looks for. */
  get search(): Search | undefined {
    return this.#search;
  }

  /** Looks for this from now on, and goes to the first match; without a text it forgets what was looked for. */
  searchFor(text: string): void {
    this.#search = text === '' ? undefined : new Search(text);
    if (text === '') this.say('');
    else this.findNext(1);
  }

  findNext(step: 1 | -1): void {
    const [search, change] = [this.#search, this.current];
    if (search === undefined || change === undefined) return;
    const cursor = this.cursorOf(change);
    const shown = () => ({
      items: cursor.items,
      cursor: { item: cursor.row },
      toItem: (item: number) => cursor.toRow(item),
    });
    this.say(search.goTo(change, shown, step) ? '' : `Not found: ${search.text}`);
  }

  showNext(step: 1 | -1): void {
    this.changes.showNext(step);
    this.say('');
  }

  showUndecided(): void {
    this.say(this.changes.showUndecided() ? '' : 'No other change waits for you.');
  }

  select(change: ReviewedChange): void {
    this.changes.show(change);
    this.say('');
  }

  /** Takes a change that has ended off the screen. */
  dismiss(): void {
    if (this.current?.outcome !== undefined) this.deciding.dismiss(this.current);
    this.say('');
  }

  edit(text: string): void {
    this.#withCurrent((change) => {
      change.edit(text);
      const isProposed = change.edited === undefined;
      this.say(isProposed ? 'This is what was proposed.' : 'This is your version: a accepts it, e edits again.');
    });
  }

  dropEdit(): void {
    this.#withCurrent((change) => {
      change.dropEdit();
      this.say('Your version is dropped.');
    });
  }

  #withCurrent(act: (change: ReviewedChange) => void): void {
    const { current } = this;
    if (this.#isAway) this.say('Not connected: nothing is decided until this page is connected again.');
    else if (current !== undefined && current.outcome === undefined && !this.deciding.isBusy) act(current);
  }

  #show(review: OpenReview): void {
    const known = this.changes.entries.find(({ id }) => id === review.proposal.id);
    const change = known ?? new ReviewedChange(review);
    const isFirst = this.current === undefined;
    this.#reviews.set(change.id, review);
    if (known !== undefined) known.resume(review);
    else this.changes.add(change);
    this.deciding.watch(change, review, (outcome) => {
      if (this.#reviews.get(change.id) === review) this.#ended(change, outcome);
    });
    if (known !== undefined) return;
    const { nameOf, arrived } = this.#options;
    this.say(isFirst ? '' : `${nameOf(change.proposal.path)}: ${describeProposal(change.proposal)}`);
    arrived?.(change);
  }

  #ended(change: ReviewedChange, outcome: OutcomeSummary): void {
    this.deciding.ended(change, outcome);
    const typed = this.#options.takeTyped?.(change);
    // Of this user's own decision the outcome follows; what was typed was no part of it.
    if (typed !== undefined && change.outcome !== undefined) this.deciding.keep(change, typed);
  }
}
