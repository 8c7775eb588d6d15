import type { HttpStore, NewEvent, StoredEvent } from '../store.ts';

export interface MemoryStoreOptions {
  /** Beyond it the session unused the longest is forgotten. Default 10 000. */
  readonly maxSessions?: number;
  /** What one session's events may hold before the oldest are forgotten. Default 4 MiB of text. */
  readonly maxEventChars?: number;
}

interface Session {
  state: unknown;
  lastUsed: number;
  readonly streams: Map<string, Stream>;
  eventChars: number;
  eventCount: number;
}

interface Stream {
  readonly events: StoredEvent[];
  followers: Set<(event: StoredEvent) => void> | undefined;
  /** How many of the events somebody was handed. */
  handedOver: number;
  /** Whether the last event is there. */
  over: boolean;
}

/** What an event takes up besides its text. */
const EVENT_CHARS = 200;

/** Remembers everything in this process. */
export function memoryStore(options: MemoryStoreOptions = {}): HttpStore {
  const { maxSessions = 10_000, maxEventChars = 4 * 1024 * 1024 } = options;
  /** In the order of their last use. */
  const sessions = new Map<string, Session>();

  return {
    save: (id, state) => {
      const session = sessions.get(id);
      if (session !== undefined) session.state = state;
      else sessions.set(id, { state, lastUsed: Date.now(), streams: new Map(), eventChars: 0, eventCount: 0 });
      forgetUnused();
    },
    find: (id) => {
      const session = sessions.get(id);
      if (session === undefined) return undefined;
      session.lastUsed = Date.now();
      sessions.delete(id);
      sessions.set(id, session);
      return session.state;
    },
    delete: (id) => {
      sessions.delete(id);
    },
    deleteUnused: (id, milliseconds) => {
      const session = sessions.get(id);
      if (session !== undefined && session.lastUsed <= Date.now() - milliseconds) sessions.delete(id);
    },
    append: (id, name, event) => append(id, name, event),
    locate: (id, eventId) => {
      const name = eventId.slice(0, eventId.lastIndexOf('_'));
      const events = sessions.get(id)?.streams.get(name)?.events;
      const event = events?.find((candidate) => candidate.id === eventId);
      return event && { stream: name, last: event.last };
    },
    follow: (id, name, after, listener) => {
      const session = sessions.get(id);
      if (session === undefined) return () => {};
      const stream = streamOf(session, name);
      const start =
        after === undefined ? stream.handedOver : stream.events.findIndex((event) => event.id === after) + 1;
      stream.followers ??= new Set();
      stream.followers.add(listener);
      const waiting = stream.events.slice(start);
      stream.handedOver = stream.events.length;
      for (const event of waiting) listener(event);
      return () => stream.followers?.delete(listener);
    },
  };

  function append(id: string, name: string, { text, last }: NewEvent): string {
    const session = sessions.get(id);
    // A session that has just been forgotten may still have an answer under way.
    if (session === undefined) return `${name}_0`;
    const stream = streamOf(session, name);
    session.eventCount += 1;
    const event = { id: `${name}_${session.eventCount}`, text, last };
    stream.events.push(event);
    stream.over ||= last;
    session.eventChars += sizeOf(event);
    if (stream.followers !== undefined && stream.followers.size > 0) {
      stream.handedOver = stream.events.length;
      for (const follower of stream.followers) follower(event);
    }
    if (session.eventChars > maxEventChars) forgetEvents(session);
    return event.id;
  }

  function streamOf(session: Session, name: string): Stream {
    let stream = session.streams.get(name);
    if (stream === undefined) {
      stream = { events: [], followers: undefined, handedOver: 0, over: false };
      session.streams.set(name, stream);
    }
    return stream;
  }

  /** Drops events until half of the room is free: first those of streams that are over, the oldest before the others. */
  function forgetEvents(session: Session): void {
    const all = [...session.streams];
    const [over, open] = [all.filter(([, stream]) => stream.over), all.filter(([, stream]) => !stream.over)];
    for (const [name, stream] of [...over, ...open]) {
      let dropped = 0;
      for (const event of stream.events) {
        if (session.eventChars <= maxEventChars / 2) break;
        session.eventChars -= sizeOf(event);
        dropped += 1;
      }
      stream.events.splice(0, dropped);
      stream.handedOver = Math.max(0, stream.handedOver - dropped);
      if (stream.events.length === 0 && !stream.followers?.size) session.streams.delete(name);
    }
  }

  function forgetUnused(): void {
    for (const id of sessions.keys()) {
      if (sessions.size <= maxSessions) return;
      sessions.delete(id);
    }
  }
}

function sizeOf({ text }: StoredEvent): number {
  return text.length + EVENT_CHARS;
}
