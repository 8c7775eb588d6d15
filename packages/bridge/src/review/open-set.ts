import { lineEndsOf } from '../comparable-text.ts';
import type { EntryWrite, FileWrite } from './applier.ts';
import type { Outcome, OutcomeSummary, Proposal, ProposedChange, Withdrawn, Writer, Written } from './proposal.ts';
import { isNoticed, presentText, type Resolved, targetText } from './resolve-decision.ts';
import type { Reviewer } from './reviewer.ts';

/** Who proposes, until when, and what is done with what the user accepts. */
export interface ProposeOptions {
  /** The connection that proposes. */
  readonly owner: object;
  /** Aborting it withdraws the proposal. */
  readonly signal: AbortSignal;
  /** What the owner calls the proposal to withdraw it. A later proposal of the same name and owner replaces it. */
  readonly name?: string | undefined;
  /** Who writes an accepted text. Default: the agent. */
  readonly writer?: Writer | ((text: string) => Writer) | undefined;
  /** What the bridge does besides, if a change of the set is accepted; by its place in the set. */
  readonly entries?: ReadonlyMap<number, EntryWrite> | undefined;
}

/** One proposal, or a set of them: each is decided by itself, and all end together. */
export interface OpenSet {
  readonly options: ProposeOptions;
  readonly members: readonly Member[];
  /** Ends it: the proposer is answered with an outcome for each member, or with an error. */
  readonly resolve: (outcomes: readonly Outcome[]) => void;
  readonly reject: (error: unknown) => void;
  /** Removes the listener from the request's signal. */
  stop: () => void;
  /** Resolves when what was accepted is written, or could not be. Undefined if nothing is being written. */
  applying?: Promise<void> | undefined;
  /** Why it is to be withdrawn, unless what is being written succeeds. */
  withdrawal?: string | undefined;
}

/** One change of a set, or the only one. */
export interface Member {
  readonly id: string;
  readonly arrival: number;
  readonly views: Map<Reviewer, MemberView>;
  /** Undefined while its file is being read. It stays after the end. */
  proposal?: Proposal;
  hasEnded: boolean;
  /** As the agent proposed it. */
  change?: ProposedChange;
  /** What the user has decided, and where, until the set ends. */
  decision?: { readonly resolved: Resolved; readonly by: string } | undefined;
  /** The user's version, and the file that keeps it until it is written. */
  kept?: { readonly file: string; readonly text: string } | undefined;
}

export interface MemberView {
  readonly end: (outcome: OutcomeSummary) => void;
  readonly refresh: () => void;
}

/** Who writes what was accepted of a member: an agent writes neither back what it did unasked, nor what it can't. */
export function writerOf({ options: { writer = 'agent' } }: OpenSet, { proposal, decision }: Member): Writer {
  if (isNoticed(proposal?.effect)) return 'bridge';
  if (typeof writer !== 'function') return writer;
  return decision?.resolved.kind === 'accepted' ? writer(decision.resolved.text) : 'bridge';
}

/** What the bridge has to write for each decided member. */
export function writesOf(set: OpenSet): ReadonlyMap<Member, FileWrite> {
  const writes = set.members.map((member) => [member, writeOf(set, member)] as const);
  return new Map(writes.flatMap(([member, write]) => (write === undefined ? [] : [[member, write] as const])));
}

/** Undefined if the agent writes it, or the file stays as it is. */
function writeOf(set: OpenSet, member: Member): FileWrite | undefined {
  const { proposal, decision } = member;
  if (proposal === undefined || decision === undefined || proposal.effect === 'command') return undefined;
  const { path, effect, newText } = proposal;
  const [expected, text] = [presentText(proposal), targetText(decision.resolved, proposal)];
  if (writerOf(set, member) === 'agent' || expected === text) return undefined;
  return { path, expected, text, lineEnds: isNoticed(effect) ? 'exact' : lineEndsOf(newText) };
}

/** What the bridge does besides writing texts, for the changes that were accepted. */
export function entriesOf({ options: { entries }, members }: OpenSet): readonly EntryWrite[] {
  return members.flatMap(({ decision }, index) =>
    decision?.resolved.kind === 'accepted' ? (entries?.get(index) ?? []) : [],
  );
}

/** The text that the user has typed, and the agent did not propose. */
export function ownText({ proposal, decision }: Member): string | undefined {
  if (decision === undefined) return undefined;
  const { resolved } = decision;
  if (resolved.kind !== 'accepted') return resolved.typed;
  return resolved.text === proposal?.newText ? undefined : resolved.text;
}

/** The outcome of a member whose set has ended by decisions. */
export function outcomeOf({ decision, proposal }: Member, written: Written | undefined): Exclude<Outcome, Withdrawn> {
  // A set ends by decisions when each member has one.
  const [resolved, shown] = [decision?.resolved as Resolved, proposal as Proposal];
  if (resolved.kind !== 'accepted') return { kind: resolved.kind, notes: resolved.notes, proposal: shown };
  return { ...resolved, proposal: shown, ...(written && { written }) };
}

export function withdrawn({ kept }: Member, reason: string): Withdrawn {
  return { kind: 'withdrawn', reason: kept === undefined ? reason : `${reason}; your version is kept in ${kept.file}` };
}

/** What reviewers are told of an outcome. */
export function summaryOf(outcome: Outcome, writer: Writer, { decision, kept }: Member): OutcomeSummary {
  if (outcome.kind === 'withdrawn') return outcome;
  const by = decision?.by ?? '';
  if (outcome.kind !== 'accepted') return { kind: outcome.kind, by, ...(kept && { kept: kept.file }) };
  const { text, proposal } = outcome;
  return { kind: 'accepted', text: text === proposal.newText ? 'as proposed' : 'changed', writer, by };
}
