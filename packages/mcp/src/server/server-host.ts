import type { InFlight } from '../jsonrpc/in-flight.ts';
import type { NotificationHandlers } from '../protocol/handlers.ts';
import type { Implementation } from '../protocol/types.ts';
import type { ErrorReports } from './error-report.ts';
import type { Methods } from './methods.ts';
import type { MiddlewareChain } from './middleware.ts';
import type { ServerOptions } from './server-options.ts';
import type { ServerSession } from './session.ts';
import type { StateSigner } from './stateless/state-signer.ts';
import type { StatelessResults } from './stateless/stateless-requests.ts';
import type { Subscriptions } from './stateless/subscriptions.ts';
import type { Subscribers } from './subscribers.ts';
import type { Tasks } from './tasks/tasks.ts';

/** What sessions and requests share with their server. */
export interface ServerHost {
  readonly info: Implementation;
  readonly options: ServerOptions;
  /** Those that have not ended. */
  readonly sessions: Set<ServerSession>;
  readonly methods: Methods;
  readonly notifications: NotificationHandlers<ServerSession | undefined>;
  readonly middleware: MiddlewareChain;
  readonly results: StatelessResults;
  readonly errors: ErrorReports;
  readonly subscribers: Subscribers;
  readonly subscriptions: Subscriptions;
  readonly tasks: Tasks;
  /** The open requests of all sessions. */
  readonly inFlight: InFlight;
  readonly signer: StateSigner;
}
