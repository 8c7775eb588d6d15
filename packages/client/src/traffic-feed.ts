export interface FeedEntry {
  /** What it costs to keep and send, as characters of JSON. */
  readonly characters: number;
}

export interface FeedBatch<Entry> {
  readonly entries: readonly Entry[];
  /** How many entries before these the reader has lost. */
  readonly dropped: number;
}

export interface TrafficFeedOptions<Entry> {
  readonly send: (batch: FeedBatch<Entry>) => void;
  /** Settles when the reader has read enough of what was sent. */
  readonly drained: () => Promise<void>;
  /** What waits for the reader, as characters of JSON. Default 2 Mi. */
  readonly maxWaiting?: number;
}

const MAX_WAITING = 2 * 1024 * 1024;
/** Messages that arrive within this time leave together. */
const COLLECT_MS = 20;

/** Sends recorded messages to one reader. A reader that is too slow loses the oldest ones, and learns how many. */
export class TrafficFeed<Entry extends FeedEntry> {
  readonly #options: Required<TrafficFeedOptions<Entry>>;
  #waiting: Entry[] = [];
  #characters = 0;
  #dropped = 0;
  #isSending = false;
  #isClosed = false;

  constructor(options: TrafficFeedOptions<Entry>) {
    this.#options = { maxWaiting: MAX_WAITING, ...options };
  }

  add(entry: Entry): void {
    if (this.#isClosed) return;
    this.#waiting.push(entry);
    this.#characters += entry.characters;
    while (this.#characters > this.#options.maxWaiting) {
      const oldest = this.#waiting.shift();
      if (oldest === undefined) break;
      this.#characters -= oldest.characters;
      this.#dropped += 1;
    }
    if (!this.#isSending) void this.#send();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
  }

  /** Never rejects. */
  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#waiting.length > 0 || this.#dropped > 0) {
        await new Promise((resolve) => setTimeout(resolve, COLLECT_MS).unref());
        if (this.#isClosed) return;
        const batch = { entries: this.#waiting, dropped: this.#dropped };
        [this.#waiting, this.#characters, this.#dropped] = [[], 0, 0];
        this.#options.send(batch);
        await this.#options.drained();
      }
    } catch {
      // The connection has closed.
    } finally {
      this.#isSending = false;
    }
  }
}
