import type { InFlight } from '../jsonrpc/in-flight.ts';
import type { ErrorObject, Notification } from '../jsonrpc/message.ts';
import type { Origin } from '../protocol/origin.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Implementation, ServerCapabilities, SessionState } from '../protocol/types.ts';
import type { RequestHandler } from './context.ts';
import type { Report } from './error-report.ts';
import type { HandshakeRules } from './handshake.ts';
import type { Intercept } from './middleware.ts';
import type { ServerSession } from './session.ts';
import type { StateSigner } from './stateless/state-signer.ts';
import type { Subscribers } from './subscribers.ts';
import type { TaskStarter } from './tasks/tasks.ts';

/** What sessions and requests need of their server. */
export interface ServerHost extends HandshakeRules {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly admitBeforeInitialized: boolean;
  /** Whether the server declares the logging capability. */
  readonly canLog: boolean;
  readonly subscribers: Subscribers;
  /** The open requests of all sessions. */
  readonly inFlight: InFlight;
  readonly signer: StateSigner;
  readonly startTask: TaskStarter;
  /** Undefined when the server has no middleware. */
  readonly intercept: Intercept | undefined;
  readonly report: Report;
  /** The error to send for what a handler or a middleware threw. */
  errorOf(thrown: unknown, method: string, session?: ServerSession): ErrorObject;
  capabilities(revision: Revision): ServerCapabilities;
  handler(method: string, revision: Revision): RequestHandler | undefined;
  /** Adds the members that the stateless revisions require in every result. */
  complete(result: unknown, method: string): unknown;
  notified(notification: Notification, session: ServerSession, origin: Origin | undefined): void;
  ended(session: ServerSession): void;
  stateChanged(session: ServerSession, state: SessionState): void;
}
