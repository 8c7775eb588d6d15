import { restoreLineEnds } from '@hawser/diffs/line-ends';
import type { WireDecision, WireProgress, WireProposal } from '@hawser/editor-protocol';
import { isSameText, sizeOf } from './text-edits.ts';

export type Note = NonNullable<WireDecision['notes']>[number];

/** What the user has made of a proposal; kept in a file until it is decided. */
export interface Draft {
  readonly path: string;
  /** The proposed text that the user began with. */
  readonly before: string;
  /** Undefined: as proposed. */
  readonly text?: string | undefined;
  readonly notes: readonly Note[];
}

/** A proposal that waits for a decision. */
export class OpenProposal {
  #proposal: WireProposal;
  #text: string | undefined;
  #before: string;
  /** Of the text as it is now; undefined until the bridge has computed them. */
  hunks: readonly (readonly number[])[] | undefined;
  notes: readonly Note[] = [];
  progress: WireProgress = { kind: 'undecided' };
  /** The file has changed where the user edited. */
  hasConflict = false;

  constructor(proposal: WireProposal, draft?: Draft) {
    this.#proposal = proposal;
    this.#before = draft?.before ?? proposal.newText ?? '';
    this.#text = draft?.text;
    this.notes = draft?.notes ?? [];
    this.hunks = this.#text === undefined ? proposal.hunks : undefined;
  }

  get wire(): WireProposal {
    return this.#proposal;
  }

  get id(): string {
    return this.#proposal.id;
  }

  get oldText(): string {
    return this.#proposal.oldText ?? '';
  }

  get newText(): string {
    return this.#proposal.newText ?? '';
  }

  /** What is shown: the user's text, or the proposed one. */
  get text(): string {
    return this.#text ?? this.newText;
  }

  get isEdited(): boolean {
    return this.#text !== undefined;
  }

  /** The proposed text that the user's began with is not the one of this revision. */
  get isBehind(): boolean {
    return this.isEdited && this.#before !== this.newText;
  }

  get draft(): Draft {
    return { path: this.#proposal.uri, before: this.#before, text: this.#text, notes: this.notes };
  }

  get hasDraft(): boolean {
    return this.isEdited || this.notes.length > 0;
  }

  get size(): ReturnType<typeof sizeOf> {
    return sizeOf([this.oldText, this.text], (this.hunks ?? []).length);
  }

  /** The user typed. A text that differs in line ends alone is that of the proposal, exactly. */
  edit(text: string): void {
    const isSame = isSameText(text, this.newText);
    if (isSame ? !this.isEdited : text === this.#text) return;
    if (!this.isEdited) this.#before = this.newText;
    this.#text = isSame ? undefined : text;
    this.hunks = isSame ? this.#proposal.hunks : undefined;
  }

  /** A new revision. What the user has edited stays until it is merged. */
  update(proposal: WireProposal): void {
    this.#proposal = proposal;
    if (this.isEdited && isSameText(this.text, this.newText)) this.#text = undefined;
    if (!this.isEdited) this.#before = this.newText;
    this.hunks = this.isEdited ? undefined : proposal.hunks;
  }

  /** The user's text with the new revision in it, or undefined if both changed the same lines. */
  merge(text: string | undefined): void {
    this.#before = this.newText;
    this.hasConflict = text === undefined;
    if (text !== undefined) this.edit(text);
  }

  decision(kind: WireDecision['kind'], more: readonly Note[] = []): WireDecision {
    const notes = [...this.notes, ...more];
    const edited = this.#text === undefined ? {} : { text: this.#exactText(this.#text) };
    return { kind, ...edited, ...(notes.length > 0 && { notes }) };
  }

  /** A document has one kind of line end; the file may have both. */
  #exactText(text: string): string {
    const isMixed = this.newText.includes('\r\n');
    return isMixed ? restoreLineEnds(text.replaceAll('\r\n', '\n'), this.newText) : text;
  }
}

/** Proposals as the view lists them: the members of a set together. */
export interface ProposalGroup {
  readonly set: NonNullable<WireProposal['set']> | undefined;
  readonly agent: string;
  readonly members: readonly OpenProposal[];
}

/** The open proposals, in the order in which they came. */
export class Proposals {
  readonly #open = new Map<string, OpenProposal>();

  get size(): number {
    return this.#open.size;
  }

  get(id: string | undefined): OpenProposal | undefined {
    return id === undefined ? undefined : this.#open.get(id);
  }

  all(): readonly OpenProposal[] {
    return [...this.#open.values()];
  }

  add(proposal: OpenProposal): void {
    this.#open.set(proposal.id, proposal);
  }

  remove(id: string): OpenProposal | undefined {
    const proposal = this.#open.get(id);
    this.#open.delete(id);
    return proposal;
  }

  clear(): void {
    this.#open.clear();
  }

  /** The one after it, or before it, around the end; without one, the first. */
  beside(id: string | undefined, step: 1 | -1): OpenProposal | undefined {
    const all = this.all();
    const at = all.findIndex((each) => each.id === id);
    return at === -1 ? all[0] : all[(at + step + all.length) % all.length];
  }

  groups(): readonly ProposalGroup[] {
    const groups = new Map<string, { set: ProposalGroup['set']; agent: string; members: OpenProposal[] }>();
    for (const each of this.#open.values()) {
      const { set, agent } = each.wire;
      const key = set?.id ?? each.id;
      const group = groups.get(key) ?? { set, agent, members: [] };
      group.members.push(each);
      groups.set(key, group);
    }
    return [...groups.values()];
  }

  /** All members of a set of several that have come; undefined until then. */
  wholeSet({ wire: { set } }: OpenProposal): readonly OpenProposal[] | undefined {
    if (set === undefined || set.size < 2) return undefined;
    const members = this.all().filter((each) => each.wire.set?.id === set.id);
    return members.length === set.size ? members : undefined;
  }
}
