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
  /** Continues from here instead of waiting for `initialize`. */
  readonly snapshot?: SessionSnapshot | undefined;
  /** Called with a new snapshot after each change. */
  readonly save?: (snapshot: SessionSnapshot) => void;
  /** Called with a function that takes what another process has saved. */
  readonly follow?: (catchUp: (snapshot: SessionSnapshot) => void) => void;
}
