import type { InFlight } from '../jsonrpc/in-flight.ts';
import type { Notification } from '../jsonrpc/message.ts';
import type { Origin } from '../protocol/origin.ts';
import type { Implementation, SessionState } from '../protocol/types.ts';
import type { ErrorReports } from './error-report.ts';
import type { Methods } from './methods.ts';
import type { Intercept } from './middleware.ts';
import type { ServerOptions } from './server-options.ts';
import type { ServerSession } from './session.ts';
import type { StateSigner } from './stateless/state-signer.ts';
import type { StatelessResults } from './stateless/stateless-requests.ts';
import type { Subscribers } from './subscribers.ts';
import type { TaskStarter } from './tasks/tasks.ts';

/** What sessions and requests need of their server. */
export interface ServerHost {
  readonly info: Implementation;
  readonly options: ServerOptions;
  readonly methods: Methods;
  readonly results: StatelessResults;
  readonly errors: ErrorReports;
  readonly subscribers: Subscribers;
  /** The open requests of all sessions. */
  readonly inFlight: InFlight;
  readonly signer: StateSigner;
  readonly startTask: TaskStarter;
  /** Undefined when the server has no middleware. */
  readonly intercept: Intercept | undefined;
  notified(notification: Notification, session: ServerSession, origin: Origin | undefined): void;
  ended(session: ServerSession): void;
  stateChanged(session: ServerSession, state: SessionState): void;
}
