import type { InFlight } from '../jsonrpc/in-flight.ts';
import type { Notification } from '../jsonrpc/message.ts';
import type { SessionState } from '../protocol/types.ts';
import type { HandshakeHost } from './handshake.ts';
import type { ServerSession } from './session.ts';
import type { StatelessHost } from './stateless/answer.ts';

/** What a session needs of its server. */
export interface SessionHost extends StatelessHost, HandshakeHost {
  readonly admitBeforeInitialized: boolean;
  /** The unanswered requests of all sessions. */
  readonly inFlight: InFlight;
  notified(notification: Notification, session: ServerSession): void;
  ended(session: ServerSession): void;
  stateChanged(session: ServerSession, state: SessionState): void;
}
