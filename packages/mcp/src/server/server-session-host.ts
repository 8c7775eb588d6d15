import type { InFlight } from '../jsonrpc/in-flight.ts';
import type { ErrorObject, Notification } from '../jsonrpc/message.ts';
import type { Origin } from '../protocol/origin.ts';
import type { SessionState } from '../protocol/types.ts';
import type { DispatchHost } from './dispatch.ts';
import type { HandshakeHost } from './handshake.ts';
import type { ServerSession } from './session.ts';
import type { Subscribers } from './subscribers.ts';

/** What a session needs of its server. */
export interface ServerSessionHost extends DispatchHost, HandshakeHost {
  readonly admitBeforeInitialized: boolean;
  readonly subscribers: Subscribers;
  /** The open requests of all sessions. */
  readonly inFlight: InFlight;
  notified(notification: Notification, session: ServerSession, origin: Origin | undefined): void;
  errorOf(thrown: unknown, method: string, session?: ServerSession): ErrorObject;
  ended(session: ServerSession): void;
  stateChanged(session: ServerSession, state: SessionState): void;
}
