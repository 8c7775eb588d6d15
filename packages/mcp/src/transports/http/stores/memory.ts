import { MEMORY_STORE_LIMITS } from '../server/limits.ts';
import type { HttpStore } from '../store.ts';
import { EventLog } from './event-log.ts';

/** See MEMORY_STORE_LIMITS. */
export type MemoryStoreOptions = { readonly [Name in keyof typeof MEMORY_STORE_LIMITS]?: number };

interface Session {
  state: unknown;
  stateBytes: number;
  /** The bytes of the log that are part of the total. */
  countedBytes: number;
  lastUsed: number;
  readonly log: EventLog;
}

/** Keeps everything in this process. */
export function memoryStore(options: MemoryStoreOptions = {}): HttpStore {
  const { maxSessions, maxEventBytes, maxEndedStreams, maxTotalBytes } = { ...MEMORY_STORE_LIMITS, ...options };
  /** In the order of their last use. */
  const sessions = new Map<string, Session>();
  let lastUsed: Session | undefined;
  let totalBytes = 0;

  const forget = (id: string, session: Session) => {
    sessions.delete(id);
    totalBytes -= session.stateBytes + session.countedBytes;
  };
  const count = (session: Session) => {
    totalBytes += session.log.bytes - session.countedBytes;
    session.countedBytes = session.log.bytes;
  };
  const makeRoom = () => {
    if (totalBytes > maxTotalBytes) {
      for (const session of sessions.values()) {
        session.log.clear();
        count(session);
        if (totalBytes <= maxTotalBytes / 2) break;
      }
    }
    for (const [id, session] of sessions) {
      if (sessions.size <= maxSessions && totalBytes <= maxTotalBytes) return;
      forget(id, session);
      session.log.end();
    }
  };

  return {
    save: (id, state) => {
      const stateBytes = sizeOf(state);
      const known = sessions.get(id);
      if (known !== undefined) {
        totalBytes += stateBytes - known.stateBytes;
        known.state = state;
        known.stateBytes = stateBytes;
      } else {
        const log = new EventLog(maxEventBytes, maxEndedStreams);
        lastUsed = { state, stateBytes, countedBytes: 0, lastUsed: Date.now(), log };
        totalBytes += stateBytes;
        sessions.set(id, lastUsed);
      }
      makeRoom();
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
      const session = sessions.get(id);
      if (session !== undefined) forget(id, session);
    },
    deleteUnused: (id, milliseconds) => {
      const session = sessions.get(id);
      if (session !== undefined && session.lastUsed <= Date.now() - milliseconds) forget(id, session);
    },
    append: (id, stream, event) => {
      const session = sessions.get(id);
      // A session that was just forgotten may still have an answer under way.
      if (session === undefined) return '0';
      const eventId = session.log.append(stream, event);
      // A listener may have deleted the session.
      if (sessions.get(id) === session) count(session);
      if (totalBytes > maxTotalBytes) makeRoom();
      return eventId;
    },
    locate: (id, eventId) => sessions.get(id)?.log.locate(eventId),
    follow: (id, stream, after, listener) => sessions.get(id)?.log.follow(stream, after, listener) ?? (() => {}),
  };
}

/** What a session takes besides its state: measured, with the objects that serve it. */
const SESSION_BYTES = 4096;

/** Two bytes for each character, which is the most that a string takes in memory. */
function sizeOf(state: unknown): number {
  return SESSION_BYTES + 2 * (JSON.stringify(state)?.length ?? 0);
}
