import type { FullProposal, Status, Summary, WireChoice } from '../../../control/calls.ts';
import type { Ending } from '../../../desk.ts';
import { Entry } from './entry.ts';

/** What the view asks of its surroundings. */
export type Wish =
  | { readonly kind: 'load'; readonly id: string }
  | { readonly kind: 'decide'; readonly id: string; readonly choice: WireChoice }
  | { readonly kind: 'edit'; readonly id: string; readonly path: string; readonly text: string }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'leave' };

export interface ReviewOptions {
  readonly wish: (wish: Wish) => void;
  /** `ask` when to leave the view is to end the bridge. */
  readonly leaving: 'at once' | 'ask';
}

/** All that the view knows: proposals, which one is on the screen, what was said. It draws nothing and asks nobody. */
export class Review {
  readonly leaving: ReviewOptions['leaving'];
  readonly #wish: (wish: Wish) => void;
  #entries: Entry[] = [];
  #current: Entry | undefined;
  #busy: string | undefined;
  #overlay: 'help' | 'leaving' | undefined;
  status: Status | undefined;
  /** The last thing that happened, in words. */
  notice = '';

  constructor({ wish, leaving }: ReviewOptions) {
    this.#wish = wish;
    this.leaving = leaving;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get current(): Entry | undefined {
    return this.#current;
  }

  get overlay(): 'help' | 'leaving' | undefined {
    return this.#overlay;
  }

  get isBusy(): boolean {
    return this.#busy !== undefined;
  }

  /** The path as seen from the workspace. */
  nameOf({ path }: { readonly path: string }): string {
    const folder = this.status?.folders.find((each) => path.startsWith(`${each}/`));
    return folder === undefined ? path : path.slice(folder.length + 1);
  }

  came(summary: Summary): void {
    const entry = new Entry(summary);
    this.#entries.push(entry);
    if (this.#current === undefined) this.#show(entry);
    else this.notice = `${summary.from} proposes another change: ${this.nameOf(summary)}`;
  }

  went(id: string, ending: Ending): void {
    // Ours: the answer to our own decision tells.
    if (id === this.#busy) return;
    const entry = this.#entries.find(({ summary }) => summary.id === id);
    if (entry === undefined) return;
    // It stays until a key is pressed: a key on its way must not hit what would come in its place.
    if (entry === this.#current) entry.ending = ending;
    else this.#remove(entry, `${this.nameOf(entry.summary)}: ${wordFor(ending, 'another')}`);
  }

  loaded(proposal: FullProposal): void {
    this.#find(proposal.id)?.load(proposal);
  }

  decided(id: string, ending: Ending): void {
    if (this.#busy === id) this.#busy = undefined;
    const entry = this.#find(id);
    if (entry !== undefined) this.#remove(entry, `${this.nameOf(entry.summary)}: ${wordFor(ending, 'you')}`);
  }

  /** Somebody else was faster. */
  decidedBefore(id: string, ending: Ending): void {
    if (this.#busy === id) this.#busy = undefined;
    this.went(id, ending);
  }

  failed(id: string, message: string): void {
    if (this.#busy === id) this.#busy = undefined;
    this.notice = message;
  }

  edited(id: string, text: string): void {
    const entry = this.#find(id);
    if (entry === undefined) return;
    entry.edit(text);
    this.notice = entry.isEdited
      ? 'This is your version: a accepts it, e edits again, Esc drops it.'
      : 'Nothing edited.';
  }

  pressed(key: string): void {
    const entry = this.#current;
    if (key === 'ctrl c') this.#wish({ kind: 'leave' });
    else if (this.#overlay === 'leaving') this.#answerLeaving(key);
    else if (this.#overlay === 'help') this.#overlay = undefined;
    else if (entry?.ending !== undefined) this.#remove(entry, '');
    else if (this.#busy === undefined) {
      this.notice = '';
      if (!this.#pressedAnywhere(key) && entry?.page !== undefined) this.#pressedIn(entry, key);
    }
  }

  #pressedAnywhere(key: string): boolean {
    switch (key) {
      case 'q':
      case 'ctrl d':
        if (this.leaving === 'at once') this.#wish({ kind: 'leave' });
        else this.#overlay = 'leaving';
        return true;
      case '?':
        this.#overlay = 'help';
        return true;
      case 'p':
        this.#wish({ kind: this.status?.paused === true ? 'resume' : 'pause' });
        return true;
      case 'ctrl z':
        this.#wish({ kind: 'suspend' });
        return true;
      case 'l':
      case 'right':
        this.#showNext(1);
        return true;
      case 'h':
      case 'left':
        this.#showNext(-1);
        return true;
      default:
        return false;
    }
  }

  #pressedIn(entry: Entry, key: string): void {
    if (MOVES.has(key)) move(entry, key);
    else if (key === 'a') this.#decide(entry, entry.choiceOfAll());
    else if (key === 'r') this.#decide(entry, { kind: 'none' });
    else if (key === 'y') entry.markHunk('yes');
    else if (key === 'n') entry.markHunk('no');
    else if (key === 'u') entry.clearMarks();
    else if (key === 'enter') this.#sendMarks(entry);
    else if (key === 'e') this.#edit(entry);
    else if (key === 'escape') entry.dropEdit();
    else this.notice = `No such key: ${key}. ? tells the keys.`;
  }

  #sendMarks(entry: Entry): void {
    if (!entry.isMarked) this.notice = 'Decide with a, r, or y and n for each hunk.';
    else if (entry.undecided === 0) this.#decide(entry, entry.choiceOfMarks());
    else this.notice = `Not decided yet: ${entry.undecided} of ${entry.hunkCount} hunks.`;
  }

  #edit({ summary, textToEdit }: Entry): void {
    this.#wish({ kind: 'edit', id: summary.id, path: summary.path, text: textToEdit });
  }

  #decide({ summary }: Entry, choice: WireChoice): void {
    this.#busy = summary.id;
    this.#wish({ kind: 'decide', id: summary.id, choice });
  }

  #answerLeaving(key: string): void {
    this.#overlay = undefined;
    if (key === 'y') this.#wish({ kind: 'leave' });
  }

  #find(id: string): Entry | undefined {
    return this.#entries.find(({ summary }) => summary.id === id);
  }

  #showNext(step: 1 | -1): void {
    const index = this.#current === undefined ? -1 : this.#entries.indexOf(this.#current);
    const next = this.#entries[index + step];
    if (next !== undefined) this.#show(next);
  }

  #show(entry: Entry | undefined): void {
    this.#current = entry;
    if (entry !== undefined && entry.page === undefined) this.#wish({ kind: 'load', id: entry.summary.id });
  }

  #remove(entry: Entry, notice: string): void {
    const index = this.#entries.indexOf(entry);
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.notice = notice;
    if (entry === this.#current) this.#show(this.#entries[Math.min(index, this.#entries.length - 1)]);
  }
}

export function wordFor(ending: Ending, by: 'you' | 'another'): string {
  switch (ending.kind) {
    case 'accepted':
      return `${ending.how === 'whole' ? 'accepted' : 'accepted with changes'}${by === 'you' ? '' : ' elsewhere'}`;
    case 'rejected':
      return by === 'you' ? 'rejected' : 'rejected elsewhere';
    case 'withdrawn':
      return 'withdrawn by the agent';
  }
}

const MOVES = new Set([
  'j',
  'k',
  'down',
  'up',
  ' ',
  'b',
  'page down',
  'page up',
  'g',
  'G',
  'home',
  'end',
  'tab',
  ']',
  '[',
  'shift tab',
]);

function move({ page }: Entry, key: string): void {
  if (key === 'j' || key === 'down') page?.byRows(1);
  else if (key === 'k' || key === 'up') page?.byRows(-1);
  else if (key === ' ' || key === 'page down') page?.byPages(1);
  else if (key === 'b' || key === 'page up') page?.byPages(-1);
  else if (key === 'g' || key === 'home') page?.toStart();
  else if (key === 'G' || key === 'end') page?.toEnd();
  else if (key === 'tab' || key === ']') page?.byHunks(1);
  else page?.byHunks(-1);
}
