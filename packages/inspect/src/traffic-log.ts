import type { TrafficBatch, TrafficEntry } from './calls.ts';

export interface TrafficLimits {
  readonly maxEntries: number;
  /** Of all entries together. */
  readonly maxCharacters: number;
  /** Of the text of one entry; a longer one is cut. */
  readonly maxEntryCharacters: number;
}

const LIMITS: TrafficLimits = {
  maxEntries: 5000,
  maxCharacters: 16 * 1024 * 1024,
  maxEntryCharacters: 1024 * 1024,
};
/** What an entry costs besides its text. */
const OVERHEAD = 100;

/** The last messages between the command and servers, for a page that is loaded again. The oldest go first. */
export class TrafficLog {
  readonly #limits: TrafficLimits;
  readonly #entries: TrafficEntry[] = [];
  #listener: ((entry: TrafficEntry) => void) | undefined;
  #characters = 0;
  #number = 0;
  #session = 0;
  #dropped = 0;

  constructor(limits: Partial<TrafficLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** What is kept. */
  get kept(): TrafficBatch {
    return { entries: [...this.#entries], dropped: this.#dropped };
  }

  /** Gets each entry from now on, instead of the listener before. Returns a function that ends it. */
  listen(listener: (entry: TrafficEntry) => void): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  add(kind: TrafficEntry['kind'], whole: string): void {
    if (kind === 'opened') this.#session += 1;
    const { maxEntries, maxCharacters, maxEntryCharacters } = this.#limits;
    const isCut = whole.length > maxEntryCharacters;
    const text = isCut ? whole.slice(0, maxEntryCharacters) : whole;
    this.#number += 1;
    const entry: TrafficEntry = {
      number: this.#number,
      time: Date.now(),
      session: this.#session,
      kind,
      text,
      ...(isCut && { cutFrom: whole.length }),
      characters: text.length + OVERHEAD,
    };
    this.#entries.push(entry);
    this.#characters += entry.characters;
    while (this.#entries.length > maxEntries || this.#characters > maxCharacters) {
      this.#characters -= this.#entries.shift()?.characters ?? 0;
      this.#dropped += 1;
    }
    this.#listener?.(entry);
  }
}
