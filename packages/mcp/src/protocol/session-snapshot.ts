import type { ClientCapabilities, Implementation, LogLevel } from './types.ts';

/** What another process needs to go on with a session; plain JSON. */
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
  /** Goes on from here instead of waiting for `initialize`. */
  readonly snapshot?: SessionSnapshot | undefined;
  /** Called with a new snapshot whenever it has changed. */
  readonly save?: (snapshot: SessionSnapshot) => void;
  /** Given a function to call with what another process has saved. */
  readonly follow?: (catchUp: (snapshot: SessionSnapshot) => void) => void;
}
