import type { Entry } from './entry.ts';

/** The proposals that the view shows, in the order in which they were proposed, and the one on the screen. */
export class OpenChanges {
  #entries: readonly Entry[] = [];
  #current: Entry | undefined;

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
  }

  show(entry: Entry): void {
    if (this.has(entry)) this.#current = entry;
  }

  showNext(step: 1 | -1): void {
    const index = this.#current === undefined ? -1 : this.#entries.indexOf(this.#current);
    this.#current = this.#entries[index + step] ?? this.#current;
  }

  /** After the one on the screen comes the one that follows it, or the last. */
  remove(entry: Entry): void {
    const index = this.#entries.indexOf(entry);
    this.#entries = this.#entries.filter((other) => other !== entry);
    if (entry === this.#current) this.#current = this.#entries[Math.min(index, this.#entries.length - 1)];
  }
}
