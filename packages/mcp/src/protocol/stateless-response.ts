import type { Connection } from '../jsonrpc/connection.ts';
import type { Failure, Notification, Request, Response } from '../jsonrpc/message.ts';
import type { Origin } from './origin.ts';
import type { SessionPersistence } from './session-snapshot.ts';

/** The response side of one stateless request. A server calls `respond` or `refuse` exactly once, and nothing after it. */
export interface StatelessResponse {
  readonly origin: Origin | undefined;
  /** Sends a message that precedes the response. Throws NotSerializable. */
  notify(notification: Notification): void;
  /** Sends the response. Throws NotSerializable, and then nothing was sent. `kind` matters to HTTP alone. */
  respond(response: Response, kind?: ResponseKind): void;
  /** Sends the error for a request that no handler was called for. */
  refuse(failure: Failure): void;
  /** Settles when the client has read enough of what was sent, or has gone. */
  drained(): Promise<void>;
}

/**
 * `not found`: the request names what does not exist for its principal, as a task of another one. `unavailable`: a store that
 * it needs is away.
 */
export type ResponseKind = 'not found' | 'unavailable' | undefined;

/** A request while a server works on it. */
export interface Abortable {
  /** Tells the handler that the client no longer waits. Nothing is sent afterwards. */
  abort(reason: Error): void;
}

/** What a transport with many clients needs of a server. */
export interface ServedRequests {
  /** Starts a session. */
  connect(connection: Connection, persistence?: SessionPersistence): unknown;
  /** Responds to a stateless request. */
  respond(request: Request, response: StatelessResponse): Abortable;
  /** Takes a notification of a stateless client. Without it, they are ignored. */
  notified?(notification: Notification, origin: Origin): void;
  /** Whether other processes accept the state that clients carry from this one. */
  readonly sharesState?: boolean;
  /** The position on the event bus of the last change that this server has dealt with; undefined without a bus. */
  readonly position?: string | undefined;
  /** Reports a failure that no response can report. */
  reportError(error: Error): void;
}
