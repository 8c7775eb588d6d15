import type { Layout } from '@hawser/diffs/items';
import { messageOf } from '@hawser/unknown-values/thrown';
import type { WorkspaceFacts } from '../../../terminal/facts.ts';
import type { Key } from '../../../terminal/keys.ts';
import type { MouseEvent } from '../../../terminal/mouse.ts';
import type { Row } from '../../../terminal/paint.ts';
import type { Size } from '../../../terminal/terminal.ts';
import type { KeyHelp, Screen, View } from '../../../terminal/view.ts';
import { placeInWords } from '../../notes.ts';
import { isNoticed } from '../../resolve-decision.ts';
import type { OpenReview, Reviewer } from '../../reviewer.ts';
import type { ChangedFiles } from '../../viewing/agent-decisions.ts';
import { Deciding } from '../../viewing/deciding.ts';
import { describeProposal } from '../../viewing/describe.ts';
import type { Mark } from '../../viewing/hunk-choices.ts';
import { OpenChanges } from '../../viewing/open-changes.ts';
import { reviewKeys } from '../../viewing/review-keys.ts';
import { Search } from '../../viewing/search.ts';
import { type DrawnReview, drawReview } from './draw-review.ts';
import type { EditOutcome } from './edit-text.ts';
import { Entry } from './entry.ts';
import { Looks, type LooksOptions } from './looks.ts';
import { move } from './moves.ts';
import type { Page } from './page.ts';

export interface ReviewViewOptions extends LooksOptions {
  /** The path as users read it, relative to the workspace. */
  readonly nameOf: (path: string) => string;
  /** Files of changes that agents have closed; pass changes of them to `fileChanged`. */
  readonly files: ChangedFiles;
  /** Lets the user edit a text in the terminal, which is free meanwhile; in `file` if it is there already. */
  readonly editText: (path: string, text: string, file: string | undefined) => Promise<EditOutcome>;
  /** Writes a text that would be lost to a file and returns its path. */
  readonly keepText: (path: string, text: string) => string;
  /** What is told while nothing waits; undefined while nothing is known. */
  readonly facts?: () => WorkspaceFacts | undefined;
  /** Runs the demo, which the user can start while nothing waits; there is none without this. */
  readonly demo?: (() => void) | undefined;
}

const WHEEL_ROWS = 3;

/** Shows proposals one at a time and lets the user decide. */
export class ReviewView implements View {
  readonly name = 'review';
  readonly title = 'Review';
  readonly help: readonly KeyHelp[] = reviewKeys('terminal');
  readonly #options: ReviewViewOptions;
  readonly #screen: Screen;
  readonly #changes = new OpenChanges<Entry>();
  readonly #deciding: Deciding<Entry>;
  readonly #looks: Looks;
  /** As the user has chosen; undefined for what the width allows. */
  #chosenLayout: Layout | undefined;
  /** The hunk that the user wants to accept without having seen all of it. */
  #warned: { readonly page: Page; readonly hunk: number } | undefined;
  /** As last drawn. */
  #drawn: DrawnReview | undefined;

  constructor(options: ReviewViewOptions) {
    this.#options = options;
    this.#screen = options.screen;
    this.#deciding = new Deciding({ ...options, changes: this.#changes });
    this.#looks = new Looks(options);
  }

  /** Attach this to a queue. */
  readonly reviewer: Reviewer = { name: 'terminal', show: (review) => this.#show(review) };

  get entries(): readonly Entry[] {
    return this.#changes.entries;
  }

  get current(): Entry | undefined {
    return this.#changes.current;
  }

  get badge(): string {
    const { length } = this.entries.filter(({ outcome }) => outcome === undefined);
    return length === 0 ? '' : String(length);
  }

  get hints(): string {
    if (this.current === undefined || this.takesAllKeys) return '';
    if (isNoticed(this.current.proposal.effect)) return 'a keep  r take back  y/n hunk  e edit';
    const round = this.current.proposal.previous === undefined ? '' : '  w whole';
    return `a accept  r reject  y/n hunk  i note  C ask for changes  e edit${round}`;
  }

  get message(): string {
    const entry = this.current;
    if (this.#deciding.isBusy) return 'Deciding…';
    if (entry?.isMarked !== true || entry.undecided > 0) return '';
    return `All hunks decided, ${entry.count('yes')} of ${entry.hunkCount} accepted: Enter sends it, u takes the last back.`;
  }

  /** A change that has ended stays until any key is pressed; while a decision is on its way keys do nothing. */
  get takesAllKeys(): boolean {
    return this.#deciding.isBusy || this.current?.outcome !== undefined;
  }

  draw(size: Size): readonly Row[] {
    const { entries, current } = this;
    const { nameOf, demo, facts } = this.#options;
    const decorate = current === undefined ? () => [] : this.#looks.decorateIn(current);
    const chosenLayout = this.#chosenLayout;
    const idle = { facts: facts?.(), hasDemo: demo !== undefined };
    const groupOf = (entry: Entry) => this.#changes.groupOf(entry);
    this.#drawn = drawReview({ entries, current, chosenLayout, nameOf, groupOf, decorate, ...idle }, size);
    if (current !== undefined) this.#looks.load(() => this.current?.page.forget());
    return this.#drawn.rows;
  }

  key(key: Key): 'handled' | 'unknown' {
    const entry = this.current;
    if (this.#deciding.isBusy) return 'handled';
    if (entry?.outcome !== undefined) this.#deciding.dismiss(entry);
    else if (key === 'l' || key === 'right') this.#changes.showNext(1);
    else if (key === 'h' || key === 'left') this.#changes.showNext(-1);
    else if (key === 'o') this.#say(this.#changes.showUndecided() ? '' : 'No other change waits for you.');
    else if (entry !== undefined) return this.#keyIn(entry, key);
    else if (key === 'd' && this.#options.demo !== undefined) this.#options.demo();
    else return 'unknown';
    return 'handled';
  }

  fileChanged(path: string): void {
    this.#deciding.fileChanged(path);
  }

  /** Keeps what the user has edited and not sent. */
  close(): void {
    this.#deciding.close();
  }

  mouse(event: MouseEvent): void {
    const target = this.#drawn?.targetAt(event.row, event.column);
    const entry = this.current;
    if (this.takesAllKeys) return;
    if (event.kind === 'wheel') entry?.page.byRows(event.step * WHEEL_ROWS);
    else if (target?.kind === 'entry') this.#changes.show(target.entry);
    else if (target?.kind === 'line' && entry !== undefined) {
      const isFold = entry.page.items.at(target.item)?.cells[0]?.kind === 'fold';
      entry.page.toItem(target.item, target.row);
      if (isFold) entry.showContext(1);
    }
  }

  #keyIn(entry: Entry, key: Key): 'handled' | 'unknown' {
    if (move(entry.page, key)) return 'handled';
    if (key === 'y') this.#mark(entry, 'yes');
    else if (key === 'n') this.#mark(entry, 'no');
    else if (key === 'a') this.#deciding.decide(entry, entry.acceptRest());
    else if (key === 'r') this.#deciding.decide(entry, entry.rejectRest());
    else if (key === 'A') this.#decideAll(entry, 'accept');
    else if (key === 'R') this.#decideAll(entry, 'reject');
    else if (key === 'enter') this.#deciding.sendMarks(entry);
    else if (key === 'u') this.#say(entry.undo() ? '' : 'There is nothing to take back.');
    else if (key === 'U') entry.clearMarks();
    else if (key === 's') this.#deciding.split(entry, entry.page);
    else if (key === 'e') void this.#edit(entry);
    else if (key === 'escape') this.#escape(entry);
    else if (key === 'c') this.#copy(entry);
    else if (key === 'i') this.#note(entry, 'line');
    else if (key === 'H') this.#note(entry, 'hunk');
    else if (key === 'I') this.#note(entry, 'change');
    else if (key === 'd') this.#say(entry.removeNoteAtCursor() ? '' : 'There is no note of yours at the cursor.');
    else if (key === 'C') this.#askForChanges(entry);
    else if (key === 'w') this.#say(entry.switchComparison() ? '' : 'There is no round before this one.');
    else if (key === '+' || key === '=') this.#say(entry.showContext(1) ? '' : 'All unchanged lines are shown.');
    else if (key === '-') this.#say(entry.showContext(-1) ? '' : 'No unchanged lines are shown.');
    else if (key === 'v') this.#switchLayout();
    else if (key === '/') this.#askForSearch(entry);
    else if (key === '.') this.#find(entry, 1);
    else if (key === ',') this.#find(entry, -1);
    else return 'unknown';
    return 'handled';
  }

  /** Asks which. */
  #decideAll(entry: Entry, kind: 'accept' | 'reject'): void {
    const choices = this.#deciding.manyOf(entry);
    const verb = kind === 'accept' ? 'Accept' : 'Reject';
    const named = choices.map(({ key, name }) => `${key} ${name}`).join(', ');
    this.#screen.ask(`${verb}: ${named}; any other key goes back.`, (key) => {
      const chosen = choices.find((choice) => choice.key === key);
      if (chosen !== undefined) void this.#deciding.decideAll(chosen.entries, kind);
    });
  }

  #show(review: OpenReview): void {
    const entry = new Entry(review);
    const isFirst = this.current === undefined;
    this.#changes.add(entry);
    // What was said of the change before is not about this one.
    this.#say(isFirst ? '' : `${this.#nameOf(entry)}: ${describeProposal(entry.proposal)}`);
    this.#deciding.watch(entry, review, (outcome) => this.#deciding.ended(entry, outcome));
    this.#screen.redraw();
  }

  /** Only what is on the screen is decided. */
  #mark(entry: Entry, mark: Mark): void {
    const { page } = entry;
    const { hunk } = page;
    const isWarned = this.#warned?.page === page && this.#warned.hunk === hunk;
    const unseen = hunk === undefined ? 0 : page.unseenOf(hunk);
    this.#warned = undefined;
    if (hunk === undefined) this.#say('There is no hunk; a accepts the change, r rejects it.');
    else if (!page.isShown(hunk)) {
      page.toHunk(hunk);
      this.#say(`Hunk ${hunk + 1} was not on the screen; look at it, then decide.`);
    } else if (mark === 'yes' && unseen > 0 && !isWarned) {
      this.#warned = { page, hunk };
      const [lines, them] = unseen === 1 ? ['line', 'it'] : ['lines', 'them'];
      const are = unseen === 1 ? 'is' : 'are';
      this.#say(
        `${unseen} ${lines} of hunk ${hunk + 1} ${are} not seen yet: Space shows more, y again accepts ${them}.`,
      );
    } else if (!entry.markHunk(hunk, mark)) {
      this.#say('These lines are as they are in the file now; w shows the whole change.');
    }
  }

  #note(entry: Entry, about: 'line' | 'hunk' | 'change'): void {
    const lines = about === 'change' ? undefined : entry.linesAt(about);
    if (about !== 'change' && lines === undefined) {
      this.#say(`There is no ${about} at the cursor; I writes a note on the whole change.`);
      return;
    }
    const place = lines === undefined ? 'the change' : placeInWords(lines);
    this.#screen.prompt({
      label: `note on ${place}: `,
      enter: (text) => {
        if (text.trim() !== '') entry.addNote({ text: text.trim(), ...(lines && { lines }) });
      },
    });
  }

  /** The last note can be written here: an agent that gets none does not know what to change. */
  #askForChanges(entry: Entry): void {
    const { length } = entry.notes;
    const sent = length === 0 ? '' : ` (Enter sends your ${length === 1 ? 'note' : `${length} notes`})`;
    this.#screen.prompt({
      label: `what should change${sent}: `,
      enter: (text) => {
        if (text.trim() !== '') entry.addNote({ text: text.trim() });
        if (entry.notes.length === 0) this.#say('Not sent: say what should change, or r rejects it.');
        else this.#deciding.decide(entry, entry.askForChanges());
      },
    });
  }

  #switchLayout(): void {
    if (this.#drawn?.canSplit === true) this.#chosenLayout = this.#drawn.layout === 'split' ? 'unified' : 'split';
    else this.#say('The screen is too narrow to show both sides.');
  }

  async #edit(entry: Entry): Promise<void> {
    const { path } = entry.proposal;
    const draft = entry.draft ?? { text: entry.textToEdit, file: undefined };
    entry.draft = undefined;
    try {
      const outcome = await this.#screen.lend(() => this.#options.editText(path, draft.text, draft.file));
      if (outcome.kind === 'failed') this.#say(outcome.message);
      else if (outcome.kind === 'unchanged') {
        entry.draft = { file: outcome.file, text: draft.text };
        this.#say('Nothing edited. If your editor is open elsewhere, save there, then press e again.');
      } else if (this.#changes.has(entry) && entry.outcome === undefined) this.#edited(entry, outcome.text);
      else this.#deciding.keep(entry, outcome.text);
    } catch (error) {
      this.#say(`Not edited: ${messageOf(error)}`);
    }
  }

  #edited(entry: Entry, text: string): void {
    entry.edit(text);
    const isProposed = entry.edited === undefined;
    this.#say(
      isProposed ? 'This is what was proposed.' : 'This is your version: a accepts it, e edits again, Esc drops it.',
    );
  }

  #escape(entry: Entry): void {
    if (this.#looks.search !== undefined) this.#looks.setSearch(entry, undefined);
    else if (entry.edited !== undefined) {
      this.#screen.ask('Drop your version? y drops it, any other key goes back.', (key) => {
        if (key === 'y') entry.dropEdit();
      });
    }
  }

  /** What the hunk adds; if it adds nothing, what it removes. */
  #copy(entry: Entry): void {
    const { hunk } = entry.page;
    const { newText = '', oldText = '' } = (hunk === undefined ? undefined : entry.hunks[hunk]) ?? {};
    const text = newText === '' ? oldText : newText;
    if (text === '') this.#say('There is nothing to copy.');
    else if (this.#screen.copy(text))
      this.#say(`The ${newText === '' ? 'removed' : 'new'} lines of hunk ${(hunk ?? 0) + 1} are copied.`);
    else this.#say('The hunk is too long for the clipboard of a terminal.');
  }

  #askForSearch(entry: Entry): void {
    this.#screen.prompt({
      label: '/',
      enter: (text) => {
        this.#looks.setSearch(entry, text === '' ? undefined : new Search(text));
        if (text !== '') this.#find(entry, 1);
      },
    });
  }

  #find(entry: Entry, step: 1 | -1): void {
    const { search } = this.#looks;
    if (search === undefined) this.#askForSearch(entry);
    else if (!search.goTo(entry, () => entry.page, step)) this.#say(`Not found: ${search.text}`);
  }

  #say(message: string): void {
    this.#screen.say(message);
  }

  #nameOf({ proposal }: Entry): string {
    return this.#options.nameOf(proposal.path);
  }
}
