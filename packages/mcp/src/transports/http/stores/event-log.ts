import type { NewEvent, StoredEvent } from '../store.ts';

interface LoggedEvent extends NewEvent {
  /** Counts all events of the session; its digits are the event's id. */
  readonly number: number;
  readonly stream: string;
}

type Listener = (event: StoredEvent) => void;

/** What an event takes in memory besides its text. */
const EVENT_BYTES = 200;

/** The events of all streams of one session, within limits. */
export class EventLog {
  readonly #maxBytes: number;
  readonly #maxEndedStreams: number;
  /** In the order of their numbers. */
  #events: LoggedEvent[] = [];
  #bytes = 0;
  #endedStreams = 0;
  #eventCount = 0;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** The number of the last event of a stream that a listener got. */
  readonly #handedOver = new Map<string, number>();

  constructor(maxBytes: number, maxEndedStreams: number) {
    this.#maxBytes = maxBytes;
    this.#maxEndedStreams = maxEndedStreams;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Forgets every event. */
  clear(): void {
    this.#drop(() => true);
  }

  /** Tells every listener that nothing follows, because the session was forgotten. */
  end(): void {
    for (const listeners of [...this.#listeners.values()]) {
      for (const listener of [...listeners]) listener({ id: '0', text: '', last: true });
    }
  }

  append(stream: string, { text, last }: NewEvent): string {
    this.#eventCount += 1;
    const event = { number: this.#eventCount, stream, text, last };
    this.#events.push(event);
    this.#bytes += sizeOf(event);
    const listeners = this.#listeners.get(stream);
    if (listeners !== undefined) {
      this.#handedOver.set(stream, event.number);
      for (const listener of listeners) listener(asStored(event));
    }
    if (last) this.#endedStreams += 1;
    if (this.#bytes > this.#maxBytes || this.#endedStreams > this.#maxEndedStreams) this.#forget();
    return String(event.number);
  }

  locate(id: string): { readonly stream: string; readonly last: boolean } | undefined {
    const number = Number(id);
    const event = String(number) === id ? this.#events[this.#indexAfter(number - 1)] : undefined;
    return event?.number === number ? { stream: event.stream, last: event.last } : undefined;
  }

  follow(stream: string, after: string | undefined, listener: Listener): () => void {
    const start = after === undefined ? (this.#handedOver.get(stream) ?? 0) : Number(after);
    const waiting = this.#events.slice(this.#indexAfter(start)).filter((event) => event.stream === stream);
    const listeners = this.#listeners.get(stream) ?? new Set();
    this.#listeners.set(stream, listeners.add(listener));
    this.#handedOver.set(stream, this.#eventCount);
    for (const event of waiting) listener(asStored(event));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(stream) === listeners) this.#listeners.delete(stream);
    };
  }

  /** The index of the first event with a greater number. */
  #indexAfter(number: number): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as LoggedEvent).number <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Frees half of the room: drops finished streams, the oldest first, then the oldest events. */
  #forget(): void {
    const ended = this.#events.filter(({ last }) => last).map(({ stream }) => stream);
    if (this.#endedStreams > this.#maxEndedStreams) {
      const surplus = new Set(ended.slice(0, ended.length - this.#maxEndedStreams / 2));
      this.#drop(({ stream }) => surplus.has(stream));
    }
    if (this.#bytes > this.#maxBytes) {
      const finished = new Set(ended);
      this.#drop(({ stream }) => this.#isCrowded && finished.has(stream));
      this.#drop(() => this.#isCrowded);
    }
    for (const stream of ended) if (!this.#listeners.has(stream)) this.#handedOver.delete(stream);
  }

  get #isCrowded(): boolean {
    return this.#bytes > this.#maxBytes / 2;
  }

  #drop(isDropped: (event: LoggedEvent) => boolean): void {
    this.#events = this.#events.filter((event) => {
      if (!isDropped(event)) return true;
      this.#bytes -= sizeOf(event);
      if (event.last) this.#endedStreams -= 1;
      return false;
    });
  }
}

function asStored({ number, text, last }: LoggedEvent): StoredEvent {
  return { id: String(number), text, last };
}

/** Two bytes for each character, which is the most that a string takes in memory. */
function sizeOf({ text }: NewEvent): number {
  return 2 * text.length + EVENT_BYTES;
}
