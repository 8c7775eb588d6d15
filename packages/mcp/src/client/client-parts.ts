import type { NotificationHandlers } from '../protocol/handlers.ts';
import type { ClientSettings } from './handshake.ts';
import type { ClientLimits } from './limits.ts';
import type { ServerRequests } from './server-requests.ts';
import type { ClientSession } from './session.ts';

/** What the sessions of one client share. */
export interface ClientParts {
  readonly settings: ClientSettings;
  readonly limits: Required<ClientLimits>;
  readonly serverRequests: ServerRequests;
  readonly notifications: NotificationHandlers<ClientSession>;
  closed(session: ClientSession): void;
  /** Must not throw. */
  report(error: Error, session: ClientSession): void;
}
