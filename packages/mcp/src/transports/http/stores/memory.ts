import type { HttpStore, NewEvent, StoredEvent } from '../store.ts';

export interface MemoryStoreOptions {
  /** Beyond it the session unused the longest is forgotten. Default 10 000. */
  readonly maxSessions?: number;
  /** What one session's events may hold before the oldest are forgotten. Default 4 MiB of text. */
  readonly maxEventChars?: number;
  /** Of how many streams that are over one session keeps the events, so that a client can fetch what it missed. Default 500. */
  readonly maxEndedStreams?: number;
}

/** Remembers everything in this process. */
export function memoryStore(options: MemoryStoreOptions = {}): HttpStore {
  const { maxSessions = 10_000, maxEventChars = 4 * 1024 * 1024, maxEndedStreams = 500 } = options;
  /** In the order of their last use. */
  const sessions = new Map<string, Session>();
  let lastUsed: Session | undefined;

  return {
    save: (id, state) => {
      const session = sessions.get(id);
      if (session !== undefined) {
        session.state = state;
        return;
      }
      lastUsed = new Session(state, maxEventChars, maxEndedStreams);
      sessions.set(id, lastUsed);
      for (const oldest of sessions.keys()) {
        if (sessions.size <= maxSessions) return;
        sessions.delete(oldest);
      }
    },
    find: (id) => {
      const session = sessions.get(id);
      if (session === undefined) return undefined;
      session.lastUsed = Date.now();
      if (session !== lastUsed) {
        sessions.delete(id);
        sessions.set(id, session);
        lastUsed = session;
      }
      return session.state;
    },
    delete: (id) => {
      sessions.delete(id);
    },
    deleteUnused: (id, milliseconds) => {
      const session = sessions.get(id);
      if (session !== undefined && session.lastUsed <= Date.now() - milliseconds) sessions.delete(id);
    },
    // A session that has just been forgotten may still have an answer under way.
    append: (id, stream, event) => sessions.get(id)?.append(stream, event) ?? '0',
    locate: (id, eventId) => sessions.get(id)?.locate(eventId),
    follow: (id, stream, after, listener) => sessions.get(id)?.follow(stream, after, listener) ?? (() => {}),
  };
}

interface LoggedEvent extends NewEvent {
  /** Counts all events of the session; its digits are the event's id. */
  readonly number: number;
  readonly stream: string;
}

type Listener = (event: StoredEvent) => void;

/** What an event takes up besides its text. */
const EVENT_CHARS = 200;

class Session {
  state: unknown;
  lastUsed = Date.now();
  readonly #maxEventChars: number;
  readonly #maxEndedStreams: number;
  /** Of all streams, in the order of their numbers. */
  #events: LoggedEvent[] = [];
  #eventChars = 0;
  #endedStreams = 0;
  #eventCount = 0;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** The number of the last event of a stream that somebody was handed. */
  readonly #handedOver = new Map<string, number>();

  constructor(state: unknown, maxEventChars: number, maxEndedStreams: number) {
    this.state = state;
    this.#maxEventChars = maxEventChars;
    this.#maxEndedStreams = maxEndedStreams;
  }

  append(stream: string, { text, last }: NewEvent): string {
    this.#eventCount += 1;
    const event = { number: this.#eventCount, stream, text, last };
    this.#events.push(event);
    this.#eventChars += sizeOf(event);
    const listeners = this.#listeners.get(stream);
    if (listeners !== undefined) {
      this.#handedOver.set(stream, event.number);
      for (const listener of listeners) listener(asStored(event));
    }
    if (last) this.#endedStreams += 1;
    if (this.#eventChars > this.#maxEventChars || this.#endedStreams > this.#maxEndedStreams) this.#forget();
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

  /** Where the first event stands whose number is greater. */
  #indexAfter(number: number): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as LoggedEvent).number <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Makes room by half: first streams that are over go, the oldest before the others, then whatever is oldest. */
  #forget(): void {
    const ended = this.#events.filter(({ last }) => last).map(({ stream }) => stream);
    if (this.#endedStreams > this.#maxEndedStreams) {
      const surplus = new Set(ended.slice(0, ended.length - this.#maxEndedStreams / 2));
      this.#drop(({ stream }) => surplus.has(stream));
    }
    if (this.#eventChars > this.#maxEventChars) {
      const over = new Set(ended);
      this.#drop(({ stream }) => this.#isCrowded && over.has(stream));
      this.#drop(() => this.#isCrowded);
    }
    for (const stream of ended) if (!this.#listeners.has(stream)) this.#handedOver.delete(stream);
  }

  get #isCrowded(): boolean {
    return this.#eventChars > this.#maxEventChars / 2;
  }

  #drop(mayGo: (event: LoggedEvent) => boolean): void {
    this.#events = this.#events.filter((event) => {
      if (!mayGo(event)) return true;
      this.#eventChars -= sizeOf(event);
      if (event.last) this.#endedStreams -= 1;
      return false;
    });
  }
}

function asStored({ number, text, last }: LoggedEvent): StoredEvent {
  return { id: String(number), text, last };
}

function sizeOf({ text }: NewEvent): number {
  return text.length + EVENT_CHARS;
}
