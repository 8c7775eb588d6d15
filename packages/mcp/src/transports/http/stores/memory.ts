import { largestShare } from '../../../jsonrpc/in-flight.ts';
import { storedBytes } from '../../../jsonrpc/limits.ts';
import { MEMORY_STORE_LIMITS } from '../server/limits.ts';
import type { HttpStore, StoredState } from '../store.ts';
import { EventLog, type EventLogOptions } from './event-log.ts';

/** See MEMORY_STORE_LIMITS. */
export type MemoryStoreOptions = { readonly [Name in keyof typeof MEMORY_STORE_LIMITS]?: number };

/** A session, which is also what `find` returns: making another object for each request takes time. */
class MemorySession implements StoredState {
  state: unknown;
  version = 1;
  stateBytes: number;
  /** The bytes of the log that are part of the total. */
  countedBytes = 0;
  lastUsed = Date.now();
  readonly keepMs: number;
  readonly client: string | undefined;
  readonly log: EventLog;

  constructor(state: unknown, keepMs: number, client: string | undefined, log: EventLog) {
    this.client = client;
    this.state = state;
    this.stateBytes = sizeOf(state);
    this.keepMs = keepMs;
    this.log = log;
  }

  get position(): string | undefined {
    return this.log.position;
  }
}

/** Keeps everything in this process. */
export function memoryStore(options: MemoryStoreOptions = {}): HttpStore {
  const { maxSessions, maxEventBytes, maxEndedStreams, maxTotalBytes } = { ...MEMORY_STORE_LIMITS, ...options };
  /** In the order of their last use. */
  const sessions = new Map<string, MemorySession>();
  /** When the lease of each process runs out. */
  const leases = new Map<string, number>();
  const logOptions: EventLogOptions = {
    maxBytes: maxEventBytes,
    maxEndedStreams,
    leaseEnd: (process) => leases.get(process) ?? 0,
  };
  let lastUsed: MemorySession | undefined;
  let totalBytes = 0;

  const forget = (id: string, session: MemorySession, why: string) => {
    sessions.delete(id);
    totalBytes -= session.stateBytes + session.countedBytes;
    session.log.end(new Error(why));
  };
  const count = (session: MemorySession) => {
    totalBytes += session.log.bytes - session.countedBytes;
    session.countedBytes = session.log.bytes;
  };
  /** The sessions of the client that takes the most, the least recently used first. */
  const largest = (sizeOf: (session: MemorySession) => number) =>
    largestShare(
      sessions,
      ([, { client }]) => client,
      ([, session]) => sizeOf(session),
    );
  const makeRoom = () => {
    while (totalBytes > maxTotalBytes) {
      const before = totalBytes;
      for (const [, session] of largest(({ countedBytes }) => countedBytes)) {
        session.log.clear();
        count(session);
        if (totalBytes <= maxTotalBytes / 2) break;
      }
      if (totalBytes === before) break; // no session has events
    }
    while (sessions.size > 1 && (sessions.size > maxSessions || totalBytes > maxTotalBytes)) {
      const isFull = totalBytes > maxTotalBytes;
      const [oldest] = largest((session) => (isFull ? session.stateBytes : 1));
      if (oldest === undefined) return;
      forget(...oldest, 'Evicted: the session store is full');
    }
  };

  return {
    create: (id, state, { keepMs, client, position }) => {
      const known = sessions.get(id);
      if (known !== undefined) forget(id, known, GONE);
      lastUsed = new MemorySession(state, keepMs, client, new EventLog(logOptions, position));
      totalBytes += lastUsed.stateBytes;
      sessions.set(id, lastUsed);
      makeRoom();
      return 1;
    },
    find: (id) => {
      const session = sessions.get(id);
      if (session === undefined) return undefined;
      const now = Date.now();
      if (session.lastUsed < now - session.keepMs) {
        forget(id, session, GONE);
        return undefined;
      }
      session.lastUsed = now;
      if (session !== lastUsed) {
        sessions.delete(id);
        sessions.set(id, session);
        lastUsed = session;
      }
      return session;
    },
    update: (id, state, version) => {
      const session = sessions.get(id);
      if (session?.version !== version) return undefined;
      const stateBytes = sizeOf(state);
      totalBytes += stateBytes - session.stateBytes;
      session.stateBytes = stateBytes;
      session.state = state;
      session.version += 1;
      session.log.changed(session);
      makeRoom();
      return version + 1;
    },
    delete: (id) => {
      const session = sessions.get(id);
      if (session !== undefined) forget(id, session, GONE);
    },
    deleteUnused: (id, milliseconds) => {
      const session = sessions.get(id);
      if (session !== undefined && session.lastUsed <= Date.now() - milliseconds) forget(id, session, GONE);
    },
    append: (id, stream, event) => {
      const session = sessions.get(id);
      if (session === undefined) return undefined;
      const eventId = session.log.append(stream, event);
      // A follower may have deleted the session.
      if (sessions.get(id) === session) count(session);
      if (totalBytes > maxTotalBytes) makeRoom();
      return eventId;
    },
    erase: (id, eventId) => {
      const session = sessions.get(id);
      if (session === undefined) return;
      session.log.erase(eventId);
      count(session);
    },
    locate: (id, eventId) => sessions.get(id)?.log.locate(eventId),
    follow: (id, stream, start, follower) => {
      const session = sessions.get(id);
      if (session !== undefined) return session.log.follow(stream, start, follower);
      follower.lost(new Error(GONE));
      return () => {};
    },
    renew: (process, milliseconds) => {
      const now = Date.now();
      for (const [other, end] of leases) if (end < now) leases.delete(other);
      leases.set(process, now + milliseconds);
    },
  };
}

const GONE = 'The session is gone';

/** What a session takes besides its state: measured, with the objects that serve it. */
const SESSION_BYTES = 4096;

function sizeOf(state: unknown): number {
  return SESSION_BYTES + storedBytes(state);
}
