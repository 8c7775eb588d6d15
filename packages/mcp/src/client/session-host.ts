import type { Notification, Params } from '../jsonrpc/message.ts';
import type { CallOptions } from '../protocol/conversation.ts';
import type { InputRequest } from '../protocol/stateless.ts';
import type { ServerCapabilities } from '../protocol/types.ts';
import type { ClientSettings } from './handshake.ts';

/** What the parts of a session use: the client's settings and handlers, and the connection to the server. */
export interface SessionHost {
  readonly settings: ClientSettings;
  readonly serverCapabilities: ServerCapabilities;
  /** Sends one request and settles with its result as it arrived. */
  send(method: string, params: Params, options: CallOptions): Promise<unknown>;
  notify(method: string, params: Params): void;
  /** Responds to a question of the server with a handler of the client. Throws when there is none. */
  respondToInput(request: InputRequest, key: string, signal: AbortSignal): unknown;
  /** Whether a handler is registered for the notification. */
  hasHandler(method: string): boolean;
  /** Calls the handlers of the notification. */
  dispatch(notification: Notification): void;
  /** Lists the tools again. */
  listTools(options: CallOptions): Promise<unknown>;
  /** Gets failures that no call can report. Does not throw. */
  report(error: Error): void;
}
