import type { ChangeMark } from '../../protocol/change-mark.ts';

/**
 * Keeps what an HTTP server needs between requests: sessions, and the events of their streams. Every request reads from
 * it, so that any process can serve any request of a session. A store that several processes share may return promises;
 * the one in memory returns values. Calls about one session take effect in the order in which a process makes them. A
 * call that fails rejects, with StoreUnavailable if it may succeed later; whether it had an effect is then unknown.
 */
export interface HttpStore {
  /** A secret that all processes that share this have. A server that uses the store must have one that all its processes share. */
  readonly stateSecret?: string;
  /** Adds a session and returns the version of its state, which is plain JSON. */
  create(session: string, state: unknown, options: SessionOptions): number | Promise<number>;
  /** The state of a session, which counts as used now; undefined if there is none. */
  find(session: string): StoredState | undefined | Promise<StoredState | undefined>;
  /**
   * Replaces the state of a session and returns its new version. Undefined if the state has another version than the
   * given one, or the session is gone: then nothing has changed.
   */
  update(session: string, state: unknown, version: number): number | undefined | Promise<number | undefined>;
  /** Deletes a session and its events. Its followers get `lost`. */
  delete(session: string): void | Promise<void>;
  /** The same, unless any process has used the session within these milliseconds. */
  deleteUnused(session: string, milliseconds: number): void | Promise<void>;
  /**
   * Adds an event to a stream and returns its id: visible ASCII, unique in the session. Undefined if the session is gone
   * or the stream has ended: then nothing was added. Events of one process are added in order, without gaps and exactly
   * once, also after retries.
   */
  append(session: string, stream: string, event: NewEvent): string | undefined | Promise<string | undefined>;
  /**
   * Removes an event that its reader has: what a user has typed may be a secret, and need not stay in the store. Without this
   * method it stays until it is rotated out.
   */
  erase?(session: string, eventId: string): void | Promise<void>;
  /** The stream of an event; undefined if the event is unknown or was dropped. */
  locate(session: string, eventId: string): EventPlace | undefined | Promise<EventPlace | undefined>;
  /**
   * Calls the follower with the events of a stream in order, present and future, from every process, until the returned
   * function is called. Rejects if it cannot.
   */
  follow(session: string, stream: string, start: StreamStart, follower: Follower): StopFollowing;
  /**
   * Keeps the calls of a process alive for this long; called again before the time has passed. A call whose process is
   * not renewed gets its last event from the store, for the client that resumes its stream.
   */
  renew(process: string, milliseconds: number): void | Promise<void>;
}

export interface SessionOptions {
  /** Milliseconds after which the store may delete a session that no process has used. */
  readonly keepMs: number;
  /** The client that a store with limits of its own may count by. */
  readonly client?: string | undefined;
  /** The position on the event bus from which on the session's client is notified of changes. */
  readonly position?: string | undefined;
}

export interface StoredState {
  readonly state: unknown;
  /** Grows with each update. */
  readonly version: number;
  /** The position of the newest change that the session has an event for. */
  readonly position?: string | undefined;
}

export interface NewEvent {
  readonly text: string;
  /** Whether the stream ends with this event. */
  readonly last: boolean;
  /** In the first event of a stream that carries the response to a call: the process that works on it. */
  readonly call?: CallLease | undefined;
  /**
   * The change that this event notifies the client of. The event is added only if no event of a newer or the same position
   * with the same key was added, by any process; otherwise the returned id names no event.
   */
  readonly change?: ChangeMark | undefined;
}

export interface CallLease {
  readonly process: string;
  /** The text of the last event if the process dies: the error response to the call. */
  readonly failureText: () => string;
}

export interface StoredEvent {
  readonly id: string;
  readonly text: string;
  readonly last: boolean;
}

export interface EventPlace {
  readonly stream: string;
  readonly last: boolean;
}

/**
 * After the event with this id; or with the first event that was not delivered yet, apart from those that started with the next
 * event; or with the next event.
 */
export type StreamStart = { readonly after: string } | 'undelivered' | 'next';

export interface Follower {
  event(event: StoredEvent): void;
  /** The state of the session was updated, perhaps by this process. May also be called with the state at the start. */
  changed?(stored: StoredState): void;
  /** No event follows: the session is gone, events were dropped before they could be read, or the store has failed. */
  lost(reason: Error): void;
}

/**
 * `isBroken`: what the follower got in the last 5 to 10 seconds may not have arrived. The next one that starts with the first
 * undelivered event gets it again, unless another has got more meanwhile.
 */
export type StopFollower = (isBroken?: boolean) => void;

export type StopFollowing = StopFollower | Promise<StopFollower>;
