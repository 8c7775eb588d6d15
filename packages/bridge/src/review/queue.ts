import { messageOf } from '@hawser/unknown-values/thrown';
import { AgentLabels } from './agent-labels.ts';
import type { Applier, FileWrite } from './applier.ts';
import { Audience, type ReviewEvent, type Ruling } from './audience.ts';
import { type KeptTexts, KeptVersions } from './kept-texts.ts';
import {
  entriesOf,
  type Member,
  type OpenSet,
  outcomeOf,
  type ProposeOptions,
  summaryOf,
  withdrawn,
  writerOf,
  writesOf,
} from './open-set.ts';
import { OpenSets } from './open-sets.ts';
import type { Accepted, Decision, HunkMark, Outcome, Progress, Proposal, ProposedChange, Written } from './proposal.ts';
import { noticedAgain, rebased } from './rebase.ts';
import { isNoticed, presentText, resolveDecision } from './resolve-decision.ts';
import type { DecideResult, Reviewer } from './reviewer.ts';
import { Rounds } from './rounds.ts';
import { SHARE_LIMITS, type ShareLimits, Shares } from './shares.ts';

export interface ReviewQueueOptions extends Partial<ShareLimits> {
  /** Receives failures of reviewers and listeners. */
  readonly onProblem?: (problem: Error) => void;
  /** Writes what agents leave to the bridge; without it, that can't be accepted. */
  readonly applier?: Applier | undefined;
  /** Keeps what the user typed until it is written. */
  readonly kept?: KeptTexts | undefined;
  /** What is decided without a user; undefined if the user decides. */
  readonly ruling?: ((proposal: Proposal) => Ruling | undefined) | undefined;
  /** Called after an agent was handed a text to write. `kept` is the file that keeps it, if the user typed it. */
  readonly onHandover?: ((accepted: Accepted, kept: string | undefined) => void) | undefined;
}

/** Every open proposal of every agent, in order of arrival. Each one ends exactly once, and only here. */
export class ReviewQueue {
  readonly #open = new OpenSets();
  readonly #endedOwners = new WeakSet<object>();
  /** The newest turn of each agent: its changes that are open at once are taken for those of one prompt. */
  readonly #turns = new WeakMap<object, number>();
  readonly #labels = new AgentLabels();
  readonly #rounds = new Rounds();
  readonly #shares: Shares;
  readonly #audience: Audience;
  readonly #versions: KeptVersions;
  readonly #options: ReviewQueueOptions;
  #arrivals = 0;

  constructor(options: ReviewQueueOptions = {}) {
    this.#options = options;
    this.#shares = new Shares({ ...SHARE_LIMITS, ...options });
    this.#audience = new Audience(this.decide.bind(this), options.onProblem ?? (() => {}), options.ruling);
    this.#versions = new KeptVersions(options.kept, (message, error) => this.#audience.report(message, error));
  }

  /**
   * Resolves when the user decides or the proposal is withdrawn. It is in the queue from this call on and can be
   * withdrawn while `change` is pending; reviewers see it once that resolves. Rejects if `change` rejects or a limit is
   * reached, never because of a reviewer.
   */
  async propose(change: ProposedChange | Promise<ProposedChange>, options: ProposeOptions): Promise<Outcome> {
    const [outcome] = await this.#propose([change], options);
    return outcome as Outcome; // there is one for each change
  }

  /**
   * Proposes changes of several files as one set. Resolves, in the order of the changes, when all are decided: what the
   * bridge writes is written as a whole or not at all. Asking for changes of one, or withdrawing one, ends them all.
   */
  proposeSet(
    changes: readonly ProposedChange[],
    { title, ...options }: ProposeOptions & { readonly title: string },
  ): Promise<readonly Outcome[]> {
    const [id, size] = [crypto.randomUUID(), changes.length];
    const members = changes.map((change, index) => ({ ...change, set: { id, title, index, size } }));
    return this.#propose(members, options);
  }

  /** The owner's proposal of that name, if reviewers see it. */
  find(owner: object, name: string): Proposal | undefined {
    return this.#open.named(owner, name)?.members[0]?.proposal;
  }

  /** Withdraws the owner's proposal of that name. False if it has none. */
  withdraw(owner: object, name: string, reason: string): boolean {
    const set = this.#open.named(owner, name);
    return set !== undefined && this.#withdraw(set, reason, { isClosedByAgent: true });
  }

  /** Withdraws everything this owner has open and returns how many that were. */
  withdrawAll(owner: object, reason: string): number {
    const own = this.#open.all().filter((set) => set.options.owner === owner);
    return own.filter((set) => this.#withdraw(set, reason)).length;
  }

  /** Call when the connection closes. Withdraws this owner's proposals and any it makes later. */
  removeOwner(owner: object, reason: string): void {
    this.#endedOwners.add(owner);
    this.#labels.remove(owner);
    this.withdrawAll(owner, reason);
  }

  /** Shows all open proposals to the reviewer, and each new one. Call the result to detach it. */
  attach(reviewer: Reviewer): () => void {
    return this.#audience.attach(reviewer, () => this.#open.members());
  }

  reviewerNames(): readonly string[] {
    return this.#audience.names;
  }

  /** Calls the listener with each event until the returned function is called. One that throws is reported. */
  subscribe(receive: (event: ReviewEvent) => void): () => void {
    return this.#audience.subscribe(receive);
  }

  list(): readonly Proposal[] {
    return this.#open.members().flatMap(({ proposal }) => proposal ?? []);
  }

  get(id: string): Proposal | undefined {
    return this.#open.find(id)?.proposal;
  }

  /** Ids of open proposals that start like this, else those of ended ones; a complete id is the only match. */
  idsStartingWith(start: string): readonly string[] {
    return this.#open.idsStartingWith(start);
  }

  /**
   * Decides a proposal in the name of a reviewer. Resolves when that has taken effect. A late caller gets the outcome
   * that won. An acceptance that changes nothing is a rejection.
   */
  async decide(id: string, decision: Decision, revision: number, by: string): Promise<DecideResult> {
    const found = this.#open.find(id);
    if (found === undefined) {
      const outcome = this.#open.outcomeOf(id);
      return outcome === undefined ? { kind: 'unknown' } : { kind: 'ended', outcome };
    }
    const { set, member, proposal } = found;
    if (set.applying !== undefined) {
      await set.applying;
      return this.decide(id, decision, revision, by);
    }
    const touchesFile = decision.kind === 'accepted' || isNoticed(proposal.effect);
    if (touchesFile && revision !== proposal.revision) return { kind: 'stale', revision: proposal.revision };
    try {
      member.decision = { resolved: resolveDecision(decision, proposal), by };
    } catch (error) {
      return { kind: 'failed', reason: messageOf(error) };
    }
    // At once, so that nothing that happens from now on can lose it.
    this.#versions.keep(member);
    const { kind } = member.decision.resolved;
    if (kind === 'changesRequested') {
      const marks = decision.kind === 'changesRequested' ? decision.marks : undefined;
      return this.#requestChanges(set, member, marks ?? [], by);
    }
    const decided = set.members.filter((each) => each.decision !== undefined).length;
    if (decided === set.members.length) return await this.#conclude(set, member);
    this.#setProgress(member, { kind: 'decided', decision: kind, by });
    return { kind: 'waiting', decided, size: set.members.length };
  }

  /** The file now contains this. Merges the proposal with it where that is clean, and shows the result to all reviewers. */
  refresh(id: string, fileText: string | undefined): void {
    const found = this.#open.find(id);
    if (found === undefined) return;
    const { set, member, proposal } = found;
    const { change = proposal } = member;
    // What is being written is our own change.
    if (set.applying !== undefined || presentText(proposal) === fileText) return;
    const next = isNoticed(proposal.effect) ? noticedAgain(proposal, fileText) : rebased(proposal, change, fileText);
    if (next === undefined) return void this.#withdraw(set, 'the file is as it was before');
    const unmerged: Proposal = { ...next, newText: change.newText, base: 'conflict' };
    const fitting = this.#shares.replace(set.options.owner, proposal, [next, unmerged]);
    if (fitting === undefined) return void this.#withdraw(set, 'the file has grown too large to be reviewed');
    member.decision = undefined;
    const { progress, ...rest } = fitting;
    // What the user had made of it when it could not be written stays.
    member.proposal = progress?.kind === 'failed' ? fitting : rest;
    this.#audience.refreshed(member, member.proposal);
  }

  /** Rejects every open proposal with the error: the user can't decide any more. */
  fail(error: Error): void {
    for (const set of this.#open.all()) if (set.applying === undefined) this.#refuse(set, error);
  }

  /** Withdraws everything and detaches all reviewers, once nothing is being written. */
  async close(reason: string): Promise<void> {
    const sets = this.#open.all();
    for (const set of sets) this.#withdraw(set, reason);
    await Promise.all(sets.map(({ applying }) => applying));
    this.#audience.detachAll();
  }

  #propose(
    changes: readonly (ProposedChange | Promise<ProposedChange>)[],
    options: ProposeOptions,
  ): Promise<readonly Outcome[]> {
    const { owner, signal, name } = options;
    const loading = changes.map((change) => Promise.resolve(change));
    for (const each of loading) each.catch(() => {});
    if (signal.aborted || this.#endedOwners.has(owner)) {
      return Promise.resolve(changes.map(() => ({ kind: 'withdrawn', reason: 'the request ended before' })));
    }
    if (!this.#open.all().some((set) => set.options.owner === owner)) {
      this.#turns.set(owner, (this.#turns.get(owner) ?? -1) + 1);
    }
    const refusal = this.#shares.open(owner, changes.length);
    if (refusal !== undefined) return Promise.reject(new Error(refusal));
    return new Promise((resolve, reject) => {
      const members = changes.map((): Member => {
        this.#arrivals += 1;
        return { id: crypto.randomUUID(), arrival: this.#arrivals - 1, views: new Map(), hasEnded: false };
      });
      const set: OpenSet = { options, members, resolve, reject, stop: () => {} };
      const cancelled = () => void this.#withdraw(set, 'its request was cancelled');
      const replaced = name === undefined ? undefined : this.#open.named(owner, name);
      this.#open.add(set);
      signal.addEventListener('abort', cancelled, { once: true });
      set.stop = () => signal.removeEventListener('abort', cancelled);
      if (replaced !== undefined) this.#withdraw(replaced, 'the agent replaced it');
      for (const [index, member] of members.entries()) {
        loading[index]?.then(
          (change) => this.#opened(set, member, change),
          (error: unknown) => this.#refuse(set, error),
        );
      }
    });
  }

  #opened(set: OpenSet, member: Member, change: ProposedChange): void {
    if (member.hasEnded) return;
    const { owner } = set.options;
    const refusal = this.#shares.add(owner, change);
    if (refusal !== undefined) return void this.#refuse(set, new Error(refusal));
    const previous = this.#rounds.before(owner, change.path);
    member.change = change;
    member.proposal = {
      ...change,
      // A change that was noticed has another owner than the agent.
      agent: isNoticed(change.effect) ? change.agent : this.#labels.labelOf(owner, change.agent),
      id: member.id,
      arrival: member.arrival,
      revision: 0,
      base: 'original',
      turn: this.#turns.get(owner) ?? 0,
      ...(previous && { previous }),
    };
    this.#audience.added(member, member.proposal);
  }

  /** Nothing of the set is written, and the agent gets the notes on all of it. */
  #requestChanges(set: OpenSet, decided: Member, marks: readonly HunkMark[], by: string): DecideResult {
    for (const member of set.members) {
      const notes = member.decision?.resolved.notes ?? [];
      member.decision = { resolved: { kind: 'changesRequested', notes }, by };
      if (member.proposal === undefined) continue;
      this.#rounds.remember(set.options.owner, member.proposal, notes, member === decided ? marks : []);
    }
    this.#endDecided(set, new Map());
    return this.#resultOf(decided);
  }

  /** All members are decided: writes what the bridge has to write, and ends the set if that succeeds. */
  async #conclude(set: OpenSet, decided: Member): Promise<DecideResult> {
    const writes = writesOf(set);
    if (writes.size + entriesOf(set).length === 0) this.#endDecided(set, new Map());
    else {
      // It must not settle within this call: what waits for it looks at the set again.
      set.applying = Promise.resolve().then(() => this.#apply(set, writes));
      await set.applying;
    }
    return this.#resultOf(decided);
  }

  async #apply(set: OpenSet, writes: ReadonlyMap<Member, FileWrite>): Promise<void> {
    try {
      for (const member of set.members) {
        this.#setProgress(member, { kind: 'applying', by: member.decision?.by ?? '' });
      }
      const { applier } = this.#options;
      if (applier === undefined) throw new Error('This bridge does not write files');
      const written = await applier.apply([...writes.values()], entriesOf(set));
      set.applying = undefined;
      this.#endDecided(set, new Map([...writes.keys()].map((member, index) => [member, written[index]])));
    } catch (error) {
      set.applying = undefined;
      this.#failed(set, messageOf(error));
    }
  }

  /** Nothing was written: the user decides again, with what they had made of it. */
  #failed(set: OpenSet, message: string): void {
    for (const member of set.members) {
      const { decision, kept, proposal } = member;
      member.decision = undefined;
      const reason = kept === undefined ? message : `${message}. Your version is kept in ${kept.file}`;
      const text = decision?.resolved.kind === 'accepted' ? decision.resolved.text : proposal?.newText;
      this.#setProgress(member, { kind: 'failed', reason, text: text ?? '' });
    }
    if (set.withdrawal !== undefined) this.#withdraw(set, set.withdrawal);
  }

  #resultOf({ id, proposal }: Member): DecideResult {
    const outcome = this.#open.outcomeOf(id);
    if (outcome !== undefined) return { kind: 'decided', outcome };
    const reason = proposal?.progress?.kind === 'failed' ? proposal.progress.reason : 'It is open again';
    return { kind: 'failed', reason };
  }

  /** The agent is answered first: what reviewers and listeners do can't lose the answer. */
  #endDecided(set: OpenSet, written: ReadonlyMap<Member, Written | undefined>): void {
    if (!this.#remove(set)) return;
    const outcomes = set.members.map((member) => outcomeOf(member, written.get(member)));
    set.resolve(outcomes);
    for (const [index, member] of set.members.entries()) {
      const outcome = outcomes[index];
      const isHandedOver = outcome?.kind === 'accepted' && writerOf(set, member) === 'agent';
      if (outcome?.kind === 'accepted') this.#rounds.forget(set.options.owner, outcome.proposal.path);
      // Words with it mean that the user expects another proposal.
      else if (outcome?.kind === 'rejected' && outcome.notes.length > 0) {
        this.#rounds.remember(set.options.owner, outcome.proposal, outcome.notes, []);
      }
      if (isHandedOver && outcome.proposal.effect !== 'command') {
        const { file, text } = member.kept ?? {};
        this.#options.onHandover?.(outcome, text === outcome.text ? file : undefined);
      } else if (outcome?.kind === 'accepted') this.#versions.written(member);
    }
    this.#tell(set, outcomes);
  }

  /** False if it had ended, or ends after what is being written. */
  #withdraw(set: OpenSet, reason: string, more: { readonly isClosedByAgent?: true } = {}): boolean {
    if (set.applying !== undefined) {
      set.withdrawal ??= reason;
      return false;
    }
    if (!this.#remove(set)) return false;
    const outcomes = set.members.map((member) => ({ ...withdrawn(member, reason), ...more }));
    set.resolve(outcomes);
    this.#tell(set, outcomes);
    return true;
  }

  /** Ends a set with an error for the agent. */
  #refuse(set: OpenSet, error: unknown): void {
    if (!this.#remove(set)) return;
    set.reject(error);
    this.#tell(
      set,
      set.members.map((member) => withdrawn(member, messageOf(error))),
    );
  }

  /** Tells reviewers and listeners how the members of a set have ended. */
  #tell(set: OpenSet, outcomes: readonly Outcome[]): void {
    for (const [index, member] of set.members.entries()) {
      const { id, proposal } = member;
      const ended = outcomes[index];
      if (proposal === undefined || ended === undefined) continue;
      const outcome = summaryOf(ended, writerOf(set, member), member);
      this.#open.ended(id, outcome);
      this.#audience.removed(member, proposal, outcome, ended);
    }
  }

  #setProgress(member: Member, progress: Progress): void {
    if (member.proposal === undefined) return;
    member.proposal = { ...member.proposal, progress };
    this.#audience.refreshed(member, member.proposal);
  }

  /** True the first time. */
  #remove(set: OpenSet): boolean {
    if (!this.#open.remove(set)) return false;
    const { owner } = set.options;
    set.stop();
    for (const { proposal } of set.members) if (proposal !== undefined) this.#shares.remove(owner, proposal);
    this.#shares.close(owner, set.members.length);
    return true;
  }
}
