import type { HttpStore, NewEvent, StoredEvent } from '../store.ts';

export interface MemoryStoreOptions {
  /** Beyond it the session unused the longest is forgotten. Default 10 000. */
  readonly maxSessions?: number;
  /** What one session's events may hold before the oldest are forgotten. Default 4 MiB of text. */
  readonly maxEventChars?: number;
}

interface Session {
  state: unknown;
  readonly streams: Map<string, Stream>;
  eventChars: number;
  eventCount: number;
}

interface Stream {
  readonly events: StoredEvent[];
  readonly followers: Set<(event: StoredEvent) => void>;
  /** How many of the events somebody was handed. */
  handedOver: number;
}

/** Remembers everything in this process. */
export function memoryStore(options: MemoryStoreOptions = {}): HttpStore {
  const { maxSessions = 10_000, maxEventChars = 4 * 1024 * 1024 } = options;
  /** In the order of their last use. */
  const sessions = new Map<string, Session>();

  return {
    save: (id, state) => {
      const session = sessions.get(id);
      if (session !== undefined) session.state = state;
      else sessions.set(id, { state, streams: new Map(), eventChars: 0, eventCount: 0 });
      forgetUnused();
    },
    find: (id) => {
      const session = sessions.get(id);
      if (session === undefined) return undefined;
      sessions.delete(id);
      sessions.set(id, session);
      return session.state;
    },
    delete: (id) => {
      sessions.delete(id);
    },
    append: (id, name, event) => append(id, name, event),
    streamOf: (id, eventId) => {
      const name = eventId.slice(0, eventId.lastIndexOf('_'));
      return sessions
        .get(id)
        ?.streams.get(name)
        ?.events.some((event) => event.id === eventId)
        ? name
        : undefined;
    },
    follow: (id, name, after, listener) => {
      const session = sessions.get(id);
      if (session === undefined) return () => {};
      const stream = streamOf(session, name);
      const start =
        after === undefined ? stream.handedOver : stream.events.findIndex((event) => event.id === after) + 1;
      stream.followers.add(listener);
      for (const event of stream.events.slice(start)) listener(event);
      stream.handedOver = stream.events.length;
      return () => stream.followers.delete(listener);
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
    session.eventChars += text.length;
    if (stream.followers.size > 0) stream.handedOver = stream.events.length;
    for (const follower of stream.followers) follower(event);
    if (session.eventChars > maxEventChars) forgetEvents(session);
    return event.id;
  }

  function streamOf(session: Session, name: string): Stream {
    let stream = session.streams.get(name);
    if (stream === undefined) {
      stream = { events: [], followers: new Set(), handedOver: 0 };
      session.streams.set(name, stream);
    }
    return stream;
  }

  /** Drops the oldest streams' events until half of the room is free. */
  function forgetEvents(session: Session): void {
    for (const [name, stream] of session.streams) {
      while (stream.events.length > 0 && session.eventChars > maxEventChars / 2) {
        session.eventChars -= stream.events.shift()?.text.length ?? 0;
        stream.handedOver = Math.max(0, stream.handedOver - 1);
      }
      if (stream.events.length === 0 && stream.followers.size === 0) session.streams.delete(name);
    }
  }

  function forgetUnused(): void {
    for (const id of sessions.keys()) {
      if (sessions.size <= maxSessions) return;
      sessions.delete(id);
    }
  }
}
