import type { ReviewedChange } from './reviewed-change.ts';

/** The proposals that the view shows, in the order in which they were proposed, and the one on the screen. */
export class OpenChanges<Entry extends ReviewedChange> {
  #entries: readonly Entry[] = [];
  #current: Entry | undefined;
  /** How many proposals of a group there were since none was open. */
  readonly #groups = new Map<string, number>();

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get current(): Entry | undefined {
    return this.#current;
  }

  has(entry: Entry): boolean {
    return this.#entries.includes(entry);
  }

  add(entry: Entry): void {
    const later = this.#entries.findIndex((other) => other.proposal.arrival > entry.proposal.arrival);
    this.#entries = this.#entries.toSpliced(later === -1 ? this.#entries.length : later, 0, entry);
    this.#current ??= entry;
    const group = groupOf(entry);
    this.#groups.set(group, (this.#groups.get(group) ?? 0) + 1);
  }

  /** The open proposals of the same turn, or set, and how far the user has come with them. */
  groupOf(entry: Entry): Group<Entry> {
    const entries = this.#entries.filter((other) => groupOf(other) === groupOf(entry));
    const size = this.#groups.get(groupOf(entry)) ?? entries.length;
    const open = entries.filter((other) => other.outcome === undefined && !other.isDecided);
    return { entries, size, decided: size - open.length };
  }

  show(entry: Entry): void {
    if (this.has(entry)) this.#current = entry;
  }

  showNext(step: 1 | -1): void {
    const index = this.#current === undefined ? -1 : this.#entries.indexOf(this.#current);
    this.#current = this.#entries[index + step] ?? this.#current;
  }

  /** The next one that is not decided, from the first one after the last. False if there is no other. */
  showUndecided(): boolean {
    const index = this.#current === undefined ? -1 : this.#entries.indexOf(this.#current);
    const order = [...this.#entries.slice(index + 1), ...this.#entries.slice(0, Math.max(0, index))];
    const next = order.find((entry) => !entry.isDecided && entry.outcome === undefined);
    this.#current = next ?? this.#current;
    return next !== undefined;
  }

  /** After the one on the screen comes the one that follows it, or the last. */
  remove(entry: Entry): void {
    const index = this.#entries.indexOf(entry);
    this.#entries = this.#entries.filter((other) => other !== entry);
    if (entry === this.#current) this.#current = this.#entries[Math.min(index, this.#entries.length - 1)];
    const group = groupOf(entry);
    if (!this.#entries.some((other) => groupOf(other) === group)) this.#groups.delete(group);
    // It is no longer to be decided.
    else if (entry.outcome?.kind === 'withdrawn') this.#groups.set(group, (this.#groups.get(group) ?? 1) - 1);
  }
}

export interface Group<Entry extends ReviewedChange> {
  readonly entries: readonly Entry[];
  /** With those that are decided and gone. */
  readonly size: number;
  readonly decided: number;
}

/** Proposals of one set belong together, and those of one turn of an agent. */
function groupOf({ proposal: { set, agent, turn } }: ReviewedChange): string {
  return set === undefined ? JSON.stringify([agent, turn]) : set.id;
}
