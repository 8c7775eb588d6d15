import { AgentLabels } from './agent-labels.ts';
import { mergeTexts } from './hunks/merge.ts';
import type { Decision, Outcome, OutcomeSummary, Proposal, ProposedChange } from './proposal.ts';
import { type DecideResult, type OpenReview, ReviewEnded, type Reviewer } from './reviewer.ts';

export interface ReviewQueueOptions {
  /** Receives failures of reviewers and listeners. */
  readonly onProblem?: (problem: Error) => void;
  /** Default 1000. */
  readonly maxOpen?: number;
  /** Bytes of the texts of all open proposals. Default 256 MiB. */
  readonly maxBytes?: number;
}

export interface ProposeOptions {
  /** The connection that proposes. */
  readonly owner: object;
  /** Aborting it withdraws the proposal. */
  readonly signal: AbortSignal;
  /** What the owner calls the proposal to withdraw it. A later proposal of the same name and owner replaces it. */
  readonly name?: string | undefined;
}

export type ReviewEvent =
  | { readonly kind: 'added'; readonly proposal: Proposal }
  | { readonly kind: 'refreshed'; readonly proposal: Proposal }
  | { readonly kind: 'removed'; readonly proposal: Proposal; readonly outcome: OutcomeSummary };

/** The outcomes of this many ended proposals are kept for late callers. */
const MAX_REMEMBERED = 1000;

/** Every open proposal of every agent, in order of arrival. Each one ends exactly once. */
export class ReviewQueue {
  readonly #entries = new Map<string, Entry>();
  readonly #outcomes = new Map<string, OutcomeSummary>();
  readonly #reviewers = new Map<Reviewer, () => void>();
  readonly #listeners = new Set<{ readonly receive: (event: ReviewEvent) => void }>();
  readonly #endedOwners = new WeakSet<object>();
  readonly #labels = new AgentLabels();
  readonly #onProblem: (problem: Error) => void;
  readonly #maxOpen: number;
  readonly #maxBytes: number;
  #bytes = 0;
  #arrivals = 0;

  constructor({ onProblem = () => {}, maxOpen = 1000, maxBytes = 256 * 1024 * 1024 }: ReviewQueueOptions = {}) {
    this.#onProblem = onProblem;
    this.#maxOpen = maxOpen;
    this.#maxBytes = maxBytes;
  }

  /**
   * Resolves when the user decides or the proposal is withdrawn. It is in the queue from this call on and can be
   * withdrawn while `change` is pending; reviewers see it once that resolves. Rejects if `change` rejects or a limit is
   * reached, never because of a reviewer.
   */
  propose(change: ProposedChange | Promise<ProposedChange>, options: ProposeOptions): Promise<Outcome> {
    const { owner, signal, name } = options;
    const loading = Promise.resolve(change);
    if (signal.aborted || this.#endedOwners.has(owner)) {
      loading.catch(() => {});
      return Promise.resolve({ kind: 'withdrawn', reason: 'the request ended before' });
    }
    if (this.#entries.size >= this.#maxOpen) {
      loading.catch(() => {});
      return Promise.reject(new Error(`${this.#maxOpen} proposals are open already; decide or withdraw some first`));
    }
    return new Promise((resolve, reject) => {
      const [id, arrival] = [crypto.randomUUID(), this.#arrivals];
      const entry: Entry = { id, arrival, owner, name, resolve, reject, views: new Map(), stop: () => {} };
      this.#arrivals += 1;
      const cancelled = () => this.#withdraw(entry, 'its request was cancelled');
      const replaced = name === undefined ? undefined : this.#named(owner, name);
      this.#entries.set(entry.id, entry);
      signal.addEventListener('abort', cancelled, { once: true });
      entry.stop = () => signal.removeEventListener('abort', cancelled);
      if (replaced !== undefined) this.#withdraw(replaced, 'the agent replaced it');
      loading.then(
        (loaded) => this.#open(entry, loaded),
        (error: unknown) => this.#remove(entry) && entry.reject(error),
      );
    });
  }

  /** The owner's proposal of that name, if reviewers see it. */
  find(owner: object, name: string): Proposal | undefined {
    return this.#named(owner, name)?.proposal;
  }

  /** Withdraws the owner's proposal of that name. False if it has none. */
  withdraw(owner: object, name: string, reason: string): boolean {
    const entry = this.#named(owner, name);
    return entry !== undefined && this.#withdraw(entry, reason);
  }

  /** Withdraws everything this owner has open and returns how many that were. */
  withdrawAll(owner: object, reason: string): number {
    const own = [...this.#entries.values()].filter((entry) => entry.owner === owner);
    return own.filter((entry) => this.#withdraw(entry, reason)).length;
  }

  /** The same when its connection has closed: a proposal that it makes later is withdrawn at once. */
  removeOwner(owner: object, reason: string): void {
    this.#endedOwners.add(owner);
    this.#labels.remove(owner);
    this.withdrawAll(owner, reason);
  }

  /** Shows all open proposals to the reviewer, and each new one. Call the result to detach it. */
  attach(reviewer: Reviewer): () => void {
    const detach = () => {
      if (!this.#reviewers.delete(reviewer)) return;
      for (const entry of this.#entries.values())
        entry.views.get(reviewer)?.end({ kind: 'withdrawn', reason: 'detached' });
      for (const entry of this.#entries.values()) entry.views.delete(reviewer);
    };
    this.#reviewers.set(reviewer, detach);
    for (const entry of [...this.#entries.values()]) if (entry.proposal !== undefined) this.#show(entry, reviewer);
    return detach;
  }

  reviewerNames(): readonly string[] {
    return [...this.#reviewers.keys()].map(({ name }) => name);
  }

  list(): readonly Proposal[] {
    return [...this.#entries.values()].flatMap(({ proposal }) => proposal ?? []);
  }

  get(id: string): Proposal | undefined {
    return this.#entries.get(id)?.proposal;
  }

  /** Ids of open proposals that start like this, else those of ended ones; a complete id is the only match. */
  idsStartingWith(start: string): readonly string[] {
    if (this.get(start) !== undefined || this.#outcomes.has(start)) return [start];
    const open = this.list().flatMap(({ id }) => (id.startsWith(start) ? id : []));
    return open.length > 0 ? open : [...this.#outcomes.keys()].filter((id) => id.startsWith(start));
  }

  /** Decides a proposal. A late caller gets the outcome that won. An acceptance that changes nothing is a rejection. */
  decide(id: string, decision: Decision, revision: number): DecideResult {
    const entry = this.#entries.get(id);
    if (entry?.proposal === undefined) {
      const outcome = this.#outcomes.get(id);
      return outcome === undefined ? { kind: 'unknown' } : { kind: 'ended', outcome };
    }
    const { proposal } = entry;
    if (decision.kind === 'accepted' && revision !== proposal.revision) {
      return { kind: 'stale', revision: proposal.revision };
    }
    const changesNothing = decision.kind === 'accepted' && decision.text === proposal.oldText;
    const isAccepted = decision.kind === 'accepted' && !changesNothing;
    const outcome = this.#end(entry, isAccepted ? { ...decision, proposal } : { kind: 'rejected' });
    return { kind: 'decided', outcome };
  }

  /** The file now contains this. Merges the proposal with it where that is clean, and shows the result to all reviewers. */
  refresh(id: string, oldText: string | undefined): void {
    const entry = this.#entries.get(id);
    if (entry?.proposal === undefined || entry.proposal.oldText === oldText) return;
    const { agentChange, proposal } = entry;
    // Always from what the agent proposed, so that a conflict ends when the file is changed back.
    const [base, newText] = [agentChange?.oldText, agentChange?.newText ?? proposal.newText];
    const merged = base === oldText ? newText : mergeTexts({ base, ours: newText, theirs: oldText });
    const next: Proposal = {
      ...proposal,
      oldText,
      newText: merged ?? newText,
      revision: proposal.revision + 1,
      base: base === oldText ? 'original' : merged === undefined ? 'conflict' : 'merged',
    };
    this.#bytes += bytesOf(next) - bytesOf(proposal);
    entry.proposal = next;
    for (const [reviewer, view] of [...entry.views]) this.#guarded(reviewer, () => view.refresh());
    this.#emit({ kind: 'refreshed', proposal: next });
  }

  /** Calls the listener with each event until the returned function is called. One that throws is reported. */
  subscribe(receive: (event: ReviewEvent) => void): () => void {
    const listener = { receive };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Rejects every open proposal with the error: the user can't decide any more. */
  fail(error: Error): void {
    for (const entry of [...this.#entries.values()]) {
      if (!this.#remove(entry)) continue;
      entry.reject(error);
      this.#ended(entry, { kind: 'withdrawn', reason: error.message });
    }
  }

  /** Withdraws everything and detaches all reviewers. */
  close(reason: string): void {
    for (const entry of [...this.#entries.values()]) this.#withdraw(entry, reason);
    for (const detach of [...this.#reviewers.values()]) detach();
  }

  #open(entry: Entry, change: ProposedChange): void {
    if (!this.#entries.has(entry.id)) return;
    const agent = this.#labels.labelOf(entry.owner, change.agent);
    const proposal: Proposal = {
      ...change,
      agent,
      id: entry.id,
      arrival: entry.arrival,
      revision: 0,
      base: 'original',
    };
    if (this.#bytes + bytesOf(proposal) > this.#maxBytes) {
      this.#remove(entry);
      entry.reject(new Error(`Open proposals hold ${this.#maxBytes} bytes already; decide or withdraw some first`));
      return;
    }
    this.#bytes += bytesOf(proposal);
    entry.proposal = proposal;
    entry.agentChange = change;
    this.#emit({ kind: 'added', proposal });
    for (const reviewer of [...this.#reviewers.keys()]) this.#show(entry, reviewer);
  }

  #show(entry: Entry, reviewer: Reviewer): void {
    if (!this.#entries.has(entry.id) || entry.views.has(reviewer)) return;
    const ending = new AbortController();
    let refreshed = () => {};
    entry.views.set(reviewer, {
      end: (outcome) => ending.abort(new ReviewEnded(outcome)),
      refresh: () => refreshed(),
    });
    const review: OpenReview = {
      get proposal() {
        return entry.proposal as Proposal; // a view is made once there is one
      },
      signal: ending.signal,
      decide: async (decision, revision) => this.decide(entry.id, decision, revision),
      onRefresh: (listener) => {
        refreshed = listener;
      },
      fail: (problem) => this.#report(`${reviewer.name} can't show ${entry.proposal?.path}`, problem),
    };
    this.#guarded(reviewer, () => reviewer.show(review));
  }

  /** Detaches a reviewer that throws. */
  #guarded(reviewer: Reviewer, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#reviewers.get(reviewer)?.();
      this.#report(`The reviewer ${reviewer.name} failed and was detached`, error);
    }
  }

  #named(owner: object, name: string): Entry | undefined {
    return [...this.#entries.values()].find((entry) => entry.owner === owner && entry.name === name);
  }

  /** False if it had ended. */
  #withdraw(entry: Entry, reason: string): boolean {
    if (!this.#entries.has(entry.id)) return false;
    this.#end(entry, { kind: 'withdrawn', reason });
    return true;
  }

  /** The agent is answered first: what reviewers and listeners do can't lose the answer. */
  #end(entry: Entry, outcome: Outcome): OutcomeSummary {
    const summary = summaryOf(outcome, entry.proposal);
    this.#remove(entry);
    entry.resolve(outcome);
    this.#ended(entry, summary);
    return summary;
  }

  #ended({ id, proposal, views }: Entry, outcome: OutcomeSummary): void {
    if (proposal === undefined) return;
    this.#outcomes.set(id, outcome);
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > MAX_REMEMBERED && oldest !== undefined) this.#outcomes.delete(oldest);
    for (const view of views.values()) view.end(outcome);
    this.#emit({ kind: 'removed', proposal, outcome });
  }

  /** True the first time. */
  #remove(entry: Entry): boolean {
    if (!this.#entries.delete(entry.id)) return false;
    entry.stop();
    if (entry.proposal !== undefined) this.#bytes -= bytesOf(entry.proposal);
    return true;
  }

  #emit(event: ReviewEvent): void {
    for (const listener of [...this.#listeners]) {
      if (!this.#listeners.has(listener)) continue;
      try {
        listener.receive(event);
      } catch (error) {
        this.#report(`A listener failed on ${event.kind}`, error);
      }
    }
  }

  #report(message: string, cause: unknown): void {
    const detail = cause instanceof Error ? cause.message : String(cause);
    this.#onProblem(new Error(`${message}: ${detail}`, { cause }));
  }
}

interface Entry {
  readonly id: string;
  readonly arrival: number;
  readonly owner: object;
  readonly name: string | undefined;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
  readonly views: Map<Reviewer, View>;
  /** Removes the listener from the request's signal. */
  stop: () => void;
  /** Undefined while it is loading. */
  proposal?: Proposal;
  agentChange?: ProposedChange;
}

interface View {
  readonly end: (outcome: OutcomeSummary) => void;
  readonly refresh: () => void;
}

function summaryOf(outcome: Outcome, proposal: Proposal | undefined): OutcomeSummary {
  if (outcome.kind !== 'accepted') return outcome;
  return { kind: 'accepted', text: outcome.text === proposal?.newText ? 'as proposed' : 'changed' };
}

function bytesOf({ oldText = '', newText }: Proposal): number {
  return Buffer.byteLength(oldText) + Buffer.byteLength(newText);
}
