import type { Decision, OutcomeSummary } from '../../proposal.ts';
import type { OpenReview } from '../../reviewer.ts';
import { Entry } from './entry.ts';
import { isMove, move } from './moves.ts';

/** What the view asks its surroundings to do. */
export type Effect =
  | { readonly kind: 'decide'; readonly entry: Entry; readonly decision: Decision }
  | { readonly kind: 'edit'; readonly id: string; readonly path: string; readonly text: string }
  /** The proposal ended although the user had edited it: the text is not to be lost. */
  | { readonly kind: 'keep'; readonly path: string; readonly text: string }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'leave' };

export interface ViewOptions {
  readonly run: (effect: Effect) => void;
  /** `ask` if leaving the view ends the bridge. */
  readonly leaving: 'at once' | 'ask';
}

/** What the view shows of the bridge. */
export interface BridgeStatus {
  readonly folders: readonly string[];
  readonly paused: boolean;
  readonly agents: readonly {
    readonly endpoints: readonly string[];
    readonly clients: readonly { readonly name: string; readonly state: string }[];
  }[];
  readonly shared: { readonly kind: string; readonly path?: string };
  readonly proposals: number;
}

/** The state of the view: proposals, the one on the screen, the last message. It draws nothing and does no I/O. */
export class View {
  readonly leaving: ViewOptions['leaving'];
  readonly #run: (effect: Effect) => void;
  #entries: Entry[] = [];
  #current: Entry | undefined;
  #busy: string | undefined;
  #overlay: 'help' | 'leaving' | undefined;
  status: BridgeStatus | undefined;
  /** The last message to the user. */
  notice = '';

  constructor({ run, leaving }: ViewOptions) {
    this.#run = run;
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

  /** The path relative to the workspace. */
  nameOf({ path }: { readonly path: string }): string {
    const folder = this.status?.folders.find((each) => path.startsWith(`${each}/`));
    return folder === undefined ? path : path.slice(folder.length + 1);
  }

  added(review: OpenReview): void {
    const entry = new Entry(review);
    this.#entries.push(entry);
    if (this.#current === undefined) this.#current = entry;
    else this.notice = `${entry.proposal.agent} proposes another change: ${this.nameOf(entry.proposal)}`;
  }

  refreshed(id: string): void {
    const entry = this.find(id);
    if (entry === undefined) return;
    entry.refreshed();
    this.notice = `${this.nameOf(entry.proposal)}: ${staleNotice(entry)}`;
  }

  removed(id: string, outcome: OutcomeSummary): void {
    // The answer to this user's own decision follows.
    if (id === this.#busy) return;
    const entry = this.find(id);
    if (entry === undefined) return;
    // It stays until a key is pressed: a key that is on its way must not hit the next proposal.
    if (entry === this.#current) entry.outcome = outcome;
    else this.#remove(entry, `${this.nameOf(entry.proposal)}: ${describeOutcome(outcome, 'another')}`);
    this.#keepEdited(entry);
  }

  decided(id: string, outcome: OutcomeSummary): void {
    this.#busy = undefined;
    const entry = this.find(id);
    if (entry !== undefined) this.#remove(entry, `${this.nameOf(entry.proposal)}: ${describeOutcome(outcome, 'you')}`);
  }

  /** Another reviewer was faster, or the agent withdrew it. */
  decidedBefore(id: string, outcome: OutcomeSummary): void {
    this.#busy = undefined;
    this.removed(id, outcome);
  }

  failed(message: string): void {
    this.#busy = undefined;
    this.notice = message;
  }

  edited(id: string, text: string): void {
    const entry = this.find(id);
    if (entry === undefined) return;
    entry.edit(text);
    this.notice =
      entry.edited === undefined
        ? 'Nothing edited.'
        : 'This is your version: a accepts it, e edits again, Esc drops it.';
  }

  find(id: string): Entry | undefined {
    return this.#entries.find((entry) => entry.id === id);
  }

  pressed(key: string): void {
    const entry = this.#current;
    if (key === 'ctrl c') this.#run({ kind: 'leave' });
    else if (this.#overlay === 'leaving') this.#answerLeaving(key);
    else if (this.#overlay === 'help') this.#overlay = undefined;
    else if (entry?.outcome !== undefined) this.#remove(entry, '');
    else if (this.#busy === undefined) {
      this.notice = '';
      if (!this.#pressedAnywhere(key) && entry !== undefined) this.#pressedIn(entry, key);
    }
  }

  #pressedAnywhere(key: string): boolean {
    switch (key) {
      case 'q':
      case 'ctrl d':
        if (this.leaving === 'at once') this.#run({ kind: 'leave' });
        else this.#overlay = 'leaving';
        return true;
      case '?':
        this.#overlay = 'help';
        return true;
      case 'p':
        this.#run({ kind: this.status?.paused === true ? 'resume' : 'pause' });
        return true;
      case 'ctrl z':
        this.#run({ kind: 'suspend' });
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
    if (isMove(key)) move(entry.page, key);
    else if (key === 'a') this.#accept(entry, () => entry.acceptAll());
    else if (key === 'r') this.#decide(entry, { kind: 'rejected' });
    else if (key === 'y') entry.markHunk('yes');
    else if (key === 'n') entry.markHunk('no');
    else if (key === 'u') entry.clearMarks();
    else if (key === 'enter') this.#sendMarks(entry);
    else if (key === 'e') this.#edit(entry);
    else if (key === 'escape') entry.dropEdit();
    else this.notice = `No such key: ${key}. ? shows the keys.`;
  }

  #sendMarks(entry: Entry): void {
    if (!entry.isMarked) this.notice = 'Decide with a, r, or y and n for each hunk.';
    else if (entry.undecided === 0) this.#accept(entry, () => entry.acceptMarked());
    else this.notice = `Not decided yet: ${entry.undecided} of ${entry.hunkCount} hunks.`;
  }

  /** The first key after the file has changed only says so: the user may not have seen the new diff. */
  #accept(entry: Entry, decision: () => Decision): void {
    if (entry.isStale) {
      entry.confirm();
      this.notice = `Press again to accept: ${staleNotice(entry)}`;
    } else this.#decide(entry, decision());
  }

  #edit({ proposal, textToEdit }: Entry): void {
    this.#run({ kind: 'edit', id: proposal.id, path: proposal.path, text: textToEdit });
  }

  #decide(entry: Entry, decision: Decision): void {
    this.#busy = entry.id;
    this.#run({ kind: 'decide', entry, decision });
  }

  #answerLeaving(key: string): void {
    this.#overlay = undefined;
    if (key === 'y') this.#run({ kind: 'leave' });
  }

  #showNext(step: 1 | -1): void {
    const index = this.#current === undefined ? -1 : this.#entries.indexOf(this.#current);
    const next = this.#entries[index + step];
    if (next !== undefined) this.#current = next;
  }

  #keepEdited({ proposal, edited }: Entry): void {
    if (edited !== undefined) this.#run({ kind: 'keep', path: proposal.path, text: edited });
  }

  #remove(entry: Entry, notice: string): void {
    const index = this.#entries.indexOf(entry);
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.notice = notice;
    if (entry === this.#current) this.#current = this.#entries[Math.min(index, this.#entries.length - 1)];
  }
}

export function describeOutcome(outcome: OutcomeSummary, by: 'you' | 'another'): string {
  switch (outcome.kind) {
    case 'accepted':
      return `${outcome.text === 'as proposed' ? 'accepted' : 'accepted with changes'}${by === 'you' ? '' : ' elsewhere'}`;
    case 'rejected':
      return by === 'you' ? 'rejected' : 'rejected elsewhere';
    case 'withdrawn':
      return 'withdrawn by the agent';
  }
}

function staleNotice({ proposal, edited }: Entry): string {
  if (edited !== undefined) return 'the file has changed; compare your version with it';
  switch (proposal.base) {
    case 'original':
      return 'the file is as it was when the change was proposed';
    case 'merged':
      return 'the file has changed; the proposal was merged with it';
    case 'conflict':
      return 'these lines have changed; accepting undoes that change';
  }
}
