import { messageOf } from '@hawser/unknown-values/thrown';
import type { Screen } from '../../../terminal/view.ts';
import type { Decision, OutcomeSummary } from '../../proposal.ts';
import { AgentDecisions, type ChangedFiles } from './agent-decisions.ts';
import { describeDelivery, describeEnd, describeOutcome, staleNotice } from './describe.ts';
import type { Entry } from './entry.ts';
import type { OpenChanges } from './open-changes.ts';

export interface DecidingOptions {
  readonly screen: Screen;
  readonly changes: OpenChanges;
  readonly nameOf: (path: string) => string;
  readonly files: ChangedFiles;
  /** Writes a text that would be lost to a file and returns its path. */
  readonly keepText: (path: string, text: string) => string;
}

/** What became of a decision, and what to say about it unless that is said. */
interface Sent {
  readonly kind: 'accepted' | 'rejected' | 'left';
  readonly notice?: string;
}

/** Sends decisions, one by one, and says what became of them. */
export class Deciding {
  readonly #options: DecidingOptions;
  readonly #screen: Screen;
  readonly #changes: OpenChanges;
  readonly #elsewhere: AgentDecisions;
  /** Decisions on their way. */
  readonly #busy = new Set<Entry>();

  constructor(options: DecidingOptions) {
    this.#options = options;
    this.#screen = options.screen;
    this.#changes = options.changes;
    this.#elsewhere = new AgentDecisions(options.files, (entry) => this.#learned(entry));
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

  /** Asks, then decides several changes. What the user decided hunk by hunk stays. */
  decideAll(entry: Entry, kind: 'accept' | 'reject'): void {
    const choices = this.#manyOf(entry);
    const verb = kind === 'accept' ? 'Accept' : 'Reject';
    const named = choices.map(({ key, name }) => `${key} ${name}`).join(', ');
    this.#screen.ask(`${verb}: ${named}; any other key goes back.`, (key) => {
      const chosen = choices.find((choice) => choice.key === key);
      if (chosen !== undefined) void this.#sendAll(chosen.entries, kind);
    });
  }

  /** What can be decided at once, each with a key. One that is no more than the one before is left out. */
  #manyOf(
    entry: Entry,
  ): readonly { readonly key: string; readonly name: string; readonly entries: readonly Entry[] }[] {
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
    if (outcome.kind === 'withdrawn' && outcome.isClosedByAgent === true) void this.#elsewhere.follow(entry);
    if (entry.edited !== undefined) this.keep(entry, entry.edited);
    this.#screen.redraw();
  }

  /** The user has seen what became of it. */
  dismiss(entry: Entry): void {
    this.#elsewhere.forget(entry);
    this.#changes.remove(entry);
  }

  fileChanged(path: string): void {
    this.#elsewhere.fileChanged(path);
  }

  /** Keeps what the user has edited and not sent. */
  close(): void {
    this.#elsewhere.close();
    for (const entry of this.#changes.entries) {
      if (entry.edited === undefined || entry.outcome !== undefined || this.#busy.has(entry)) continue;
      this.#changes.remove(entry);
      this.keep(entry, entry.edited);
    }
  }

  keep({ proposal }: Entry, text: string): void {
    try {
      this.#screen.say(`Your version is kept in ${this.#options.keepText(proposal.path, text)}`);
    } catch (error) {
      this.#screen.say(`Your version could not be kept: ${messageOf(error)}`);
    }
  }

  async #sendAll(entries: readonly Entry[], kind: 'accept' | 'reject'): Promise<void> {
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
  #learned(entry: Entry): void {
    if (this.#changes.has(entry)) this.#screen.redraw();
    else if (entry.fate === 'written' && entry.outcome !== undefined) this.#sayEnd(entry, entry.outcome);
  }

  #sayEnd(entry: Entry, outcome: OutcomeSummary): void {
    this.#screen.say(`${this.#nameOf(entry)}: ${describeEnd(entry, outcome)}`);
  }

  #nameOf({ proposal }: Entry): string {
    return this.#options.nameOf(proposal.path);
  }
}
