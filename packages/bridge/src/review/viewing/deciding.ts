import { messageOf } from '@hawser/unknown-values/thrown';
import type { Decision, OutcomeSummary } from '../proposal.ts';
import { type OpenReview, ReviewEnded } from '../reviewer.ts';
import { AgentDecisions, type ChangedFiles } from './agent-decisions.ts';
import { describeDelivery, describeEnd, describeOutcome, staleNotice } from './describe.ts';
import type { OpenChanges } from './open-changes.ts';
import type { ReviewedChange } from './reviewed-change.ts';

export interface DecidingOptions<Entry extends ReviewedChange> {
  readonly screen: {
    redraw(): void;
    say(message: string): void;
  };
  readonly changes: OpenChanges<Entry>;
  readonly nameOf: (path: string) => string;
  /** To find out what was decided in an agent's own terminal. */
  readonly files?: ChangedFiles | undefined;
  /** Writes a text that would be lost to a file and returns its path. */
  readonly keepText: (path: string, text: string) => string | Promise<string>;
}

/** Changes that can be decided at once, and the key for it. */
export interface Many<Entry> {
  readonly key: string;
  readonly name: string;
  readonly entries: readonly Entry[];
}

/** What became of a decision, and what to say about it unless that is said. */
interface Sent {
  readonly kind: 'accepted' | 'rejected' | 'left';
  readonly notice?: string;
}

/** Sends decisions, one by one, and says what became of them. */
export class Deciding<Entry extends ReviewedChange> {
  readonly #options: DecidingOptions<Entry>;
  readonly #screen: DecidingOptions<Entry>['screen'];
  readonly #changes: OpenChanges<Entry>;
  readonly #elsewhere: AgentDecisions | undefined;
  /** Decisions on their way. */
  readonly #busy = new Set<Entry>();

  constructor(options: DecidingOptions<Entry>) {
    this.#options = options;
    this.#screen = options.screen;
    this.#changes = options.changes;
    this.#elsewhere = options.files && new AgentDecisions(options.files, (entry) => this.#learned(entry));
  }

  get isBusy(): boolean {
    return this.#busy.size > 0;
  }

  /** The first key after the file has changed only says so: the user may not have seen the new diff. */
  decide(entry: Entry, decision: Decision): void {
    if (decision.kind === 'accepted' && entry.isStale) {
      entry.confirm();
      this.#screen.say(`Press again to accept: ${staleNotice(entry)}`);
    } else void this.#send(entry, decision).then(({ notice }) => notice === undefined || this.#screen.say(notice));
  }

  /** Sends what the user made of the hunks, once all are decided. */
  sendMarks(entry: Entry): void {
    if (!entry.isMarked) this.#screen.say('Decide with a, r, or y and n for each hunk.');
    else if (entry.undecided === 0) this.decide(entry, entry.rejectRest());
    else {
      const hidden = entry.comparedRound === undefined ? '' : ' w shows the whole change.';
      this.#screen.say(`Not decided yet: ${entry.undecided} of ${entry.hunkCount} hunks.${hidden}`);
    }
  }

  /** Makes two hunks of the one at the cursor. */
  split(entry: Entry, { hunk, lineInHunk }: { readonly hunk: number | undefined; readonly lineInHunk: number }): void {
    const isSplit = hunk !== undefined && entry.split(hunk, Math.max(1, lineInHunk));
    const why = entry.comparedRound === undefined ? '' : ' w shows the whole change, where it can.';
    this.#screen.say(
      isSplit ? `Hunk ${hunk + 1} is two hunks now; u makes it one again.` : `It can’t be split here.${why}`,
    );
  }

  /** Says and draws what happens to the proposal of an entry. */
  watch(entry: Entry, review: OpenReview, ended: (outcome: OutcomeSummary) => void): void {
    review.onRefresh(() => {
      if (entry.refreshed() === 'file changed') this.#screen.say(`${this.#nameOf(entry)}: ${staleNotice(entry)}`);
      this.#screen.redraw();
    });
    const { signal } = review;
    const end = () => signal.reason instanceof ReviewEnded && ended(signal.reason.outcome);
    signal.addEventListener('abort', end, { once: true });
  }

  /** What can be decided at once, each with a key. One that is no more than the one before is left out. */
  manyOf(entry: Entry): readonly Many<Entry>[] {
    const { agent, set, path } = entry.proposal;
    const open = this.#changes.entries.filter(({ outcome }) => outcome === undefined);
    const ofFile = open.filter(({ proposal }) => proposal.path === path);
    const ofGroup = this.#changes.groupOf(entry).entries.filter(({ outcome }) => outcome === undefined);
    const ofAgent = open.filter(({ proposal }) => proposal.agent === agent);
    const group = set === undefined ? 'of this turn' : `of “${set.title}”`;
    const all = [
      { key: 'f', name: `the ${ofFile.length} of this file`, entries: ofFile },
      { key: set === undefined ? 't' : 's', name: `the ${ofGroup.length} ${group}`, entries: ofGroup },
      {
        key: 'y',
        name: ofAgent.length === 1 ? `the only change of ${agent}` : `all ${ofAgent.length} changes of ${agent}`,
        entries: ofAgent,
      },
      { key: 'e', name: `all ${open.length} changes of every agent`, entries: open },
    ];
    return all.filter(({ key, entries }) => {
      if (key === 'y') return true;
      if (key === 'e') return entries.length > ofAgent.length;
      if (key === 's') return true;
      return entries.length > 1 && !(key === 't' && entries.length === ofAgent.length);
    });
  }

  /** It was decided elsewhere or withdrawn. */
  ended(entry: Entry, outcome: OutcomeSummary): void {
    // The answer to this user's own decision follows.
    if (this.#busy.has(entry) || !this.#changes.has(entry)) return;
    entry.outcome = outcome;
    // It stays until a key is pressed: a key that is on its way must not hit the next proposal.
    if (entry !== this.#changes.current) {
      this.#changes.remove(entry);
      this.#sayEnd(entry, outcome);
    }
    if (outcome.kind === 'withdrawn' && outcome.isClosedByAgent === true) void this.#elsewhere?.follow(entry);
    if (entry.edited !== undefined) this.keep(entry, entry.edited);
    this.#screen.redraw();
  }

  /** The user has seen what became of it. */
  dismiss(entry: Entry): void {
    this.#elsewhere?.forget(entry);
    this.#changes.remove(entry);
  }

  fileChanged(path: string): void {
    this.#elsewhere?.fileChanged(path);
  }

  /** Keeps what the user has edited and not sent. */
  close(): void {
    this.#elsewhere?.close();
    for (const entry of this.#changes.entries) {
      if (entry.edited === undefined || entry.outcome !== undefined || this.#busy.has(entry)) continue;
      this.#changes.remove(entry);
      this.keep(entry, entry.edited);
    }
  }

  keep({ proposal }: Entry, text: string): void {
    const kept = (file: string) => this.#screen.say(`Your version is kept in ${file}`);
    const failed = (error: unknown) => this.#screen.say(`Your version could not be kept: ${messageOf(error)}`);
    try {
      const file = this.#options.keepText(proposal.path, text);
      if (typeof file === 'string') kept(file);
      else file.then(kept, failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Decides several changes. What the user decided hunk by hunk stays. */
  async decideAll(entries: readonly Entry[], kind: 'accept' | 'reject'): Promise<void> {
    const sendable = entries.filter((entry) => kind === 'reject' || !entry.isStale);
    const counts = { accepted: 0, rejected: 0 };
    for (const entry of sendable) {
      const decision = kind === 'accept' ? entry.acceptRest() : entry.rejectRest();
      const { kind: result } = await this.#send(entry, decision);
      if (result !== 'left') counts[result] += 1;
    }
    const [asked, other] =
      kind === 'accept' ? (['accepted', 'rejected'] as const) : (['rejected', 'accepted'] as const);
    const others = counts[other] === 0 ? '' : `, ${counts[other]} ${other}`;
    const done = `${counts[asked]} ${counts[asked] === 1 ? 'change' : 'changes'} ${asked}${others}`;
    const left = entries.length - counts.accepted - counts.rejected;
    this.#screen.say(
      left === 0 ? `${done}.` : `${done}, ${left} left: look at them one by one, their files may have changed.`,
    );
  }

  async #send(entry: Entry, decision: Decision): Promise<Sent> {
    this.#busy.add(entry);
    const result = await entry.decide(decision);
    this.#busy.delete(entry);
    switch (result.kind) {
      case 'decided': {
        this.#changes.remove(entry);
        const isAccepted = result.outcome.kind === 'accepted';
        const said = [describeOutcome(result.outcome, 'you'), describeDelivery(entry)].filter((each) => each !== '');
        const notice = `${this.#nameOf(entry)}: ${said.join('; ')}`;
        return { kind: isAccepted ? 'accepted' : 'rejected', notice };
      }
      case 'waiting': {
        this.#changes.showUndecided();
        const notice = `${this.#nameOf(entry)}: decided, ${result.decided} of ${result.size}; it takes effect when all are.`;
        return { kind: decision.kind === 'accepted' ? 'accepted' : 'rejected', notice };
      }
      case 'ended':
        this.ended(entry, result.outcome);
        return { kind: 'left' };
      case 'failed':
        return { kind: 'left', notice: `Not written: ${result.reason}` };
      case 'stale':
        return { kind: 'left', notice: 'The file has changed; look at the new diff and decide again.' };
      case 'unknown':
        return { kind: 'left', notice: 'Not decided: the bridge does not know this change any more.' };
    }
  }

  /** Of an entry that is not on the screen only an acceptance is news. */
  #learned(entry: ReviewedChange): void {
    if (this.#changes.entries.some((each) => each === entry)) this.#screen.redraw();
    else if (entry.fate === 'written' && entry.outcome !== undefined) this.#sayEnd(entry, entry.outcome);
  }

  #sayEnd(entry: ReviewedChange, outcome: OutcomeSummary): void {
    this.#screen.say(`${this.#nameOf(entry)}: ${describeEnd(entry, outcome)}`);
  }

  #nameOf({ proposal }: ReviewedChange): string {
    return this.#options.nameOf(proposal.path);
  }
}
