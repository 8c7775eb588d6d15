import type { TrafficEntry } from '../../../traffic/traffic.ts';

/** Of all kept messages as JSON. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/** The messages that are kept for the view, the newest ones. */
export class TrafficRing {
  readonly #max: number;
  #entries: TrafficEntry[] = [];
  #characters = 0;
  /** Messages that were lost on the way or had to make room. */
  lost = 0;

  constructor(maxCharacters = MAX_CHARACTERS) {
    this.#max = maxCharacters;
  }

  get entries(): readonly TrafficEntry[] {
    return this.#entries;
  }

  /** Returns how many had to make room. */
  add(entries: readonly TrafficEntry[], dropped: number): number {
    this.lost += dropped;
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#characters += entry.characters;
    }
    let removed = 0;
    while (this.#characters > this.#max && removed < this.#entries.length) {
      this.#characters -= this.#entries[removed]?.characters ?? 0;
      removed += 1;
    }
    if (removed > 0) this.#entries = this.#entries.slice(removed);
    this.lost += removed;
    return removed;
  }

  clear(): void {
    this.#entries = [];
    this.#characters = 0;
    this.lost = 0;
  }
}
