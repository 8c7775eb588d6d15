/**
 * Keeps what an HTTP server needs between requests: sessions, and the events of their streams. Every request reads from
 * it, so that any process can serve any request of a session. A store that several processes share may return promises;
 * the one in memory returns values. Calls take effect in the order in which a process makes them.
 */
export interface HttpStore {
  /** Adds or replaces the state of a session, which is plain JSON. */
  save(session: string, state: unknown): void | Promise<void>;
  /** The state of a session, which counts as used now; undefined if there is none. */
  find(session: string): unknown | Promise<unknown>;
  /** Deletes a session and its events. */
  delete(session: string): void | Promise<void>;
  /** The same, unless any process has used the session within these milliseconds. */
  deleteUnused(session: string, milliseconds: number): void | Promise<void>;
  /** Adds an event to a stream and returns its id: visible ASCII, unique in the session. */
  append(session: string, stream: string, event: NewEvent): string | Promise<string>;
  /** The stream of an event; undefined if the event is unknown or was dropped. */
  locate(session: string, eventId: string): EventPlace | undefined | Promise<EventPlace | undefined>;
  /**
   * Calls the listener with the events of a stream in order, present and future, from every process, until the returned
   * function is called. Starts after the given event, or with the first event that no listener got.
   */
  follow(
    session: string,
    stream: string,
    after: string | undefined,
    listener: (event: StoredEvent) => void,
  ): () => void;
}

export interface NewEvent {
  readonly text: string;
  /** Whether the stream ends with this event. */
  readonly last: boolean;
}

export interface StoredEvent extends NewEvent {
  readonly id: string;
}

export interface EventPlace {
  readonly stream: string;
  readonly last: boolean;
}
