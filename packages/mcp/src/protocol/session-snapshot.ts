import type { ClientCapabilities, Implementation, LogLevel } from './types.ts';

/** What another process needs to continue a session; plain JSON. */
export interface SessionSnapshot {
  readonly protocolVersion: string;
  readonly clientInfo?: Implementation;
  readonly clientCapabilities: ClientCapabilities;
  readonly ready: boolean;
  readonly logLevel: LogLevel;
  readonly subscriptions: readonly string[];
}

/** For transports whose sessions outlive a connection, or a process. */
export interface SessionPersistence {
  /** The session ends with its request, so nothing can be sent to the client later. */
  readonly ephemeral?: boolean;
  /** Continues from here instead of waiting for `initialize`. */
  readonly snapshot?: SessionSnapshot | undefined;
  /** The position on the event bus of the newest change that the client was notified of. */
  readonly position?: string | undefined;
  /** Called with a new snapshot after each change. */
  readonly save?: (snapshot: SessionSnapshot) => void;
  /** Called with a function that takes what another process has saved. */
  readonly follow?: (catchUp: (snapshot: SessionSnapshot) => void) => void;
}

/** Joins what two processes made of one snapshot at the same time. */
export function mergeSnapshots(base: SessionSnapshot, mine: SessionSnapshot, theirs: SessionSnapshot): SessionSnapshot {
  const added = mine.subscriptions.filter((uri) => !base.subscriptions.includes(uri));
  const removed = new Set(base.subscriptions.filter((uri) => !mine.subscriptions.includes(uri)));
  return {
    ...theirs,
    ready: mine.ready || theirs.ready,
    logLevel: mine.logLevel === base.logLevel ? theirs.logLevel : mine.logLevel,
    subscriptions: [...new Set([...theirs.subscriptions.filter((uri) => !removed.has(uri)), ...added])],
  };
}
