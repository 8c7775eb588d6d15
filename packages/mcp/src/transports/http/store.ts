/**
 * What an HTTP server remembers between requests: sessions, and the events of their streams. Every request looks here,
 * so that the process that opened a session need not be the one that serves its next request. An implementation that
 * several processes share may answer with promises; the one in memory answers at once. Calls take effect in the order
 * in which one process makes them.
 */
export interface HttpStore {
  /** Remembers a session, or what has changed about it. `state` is plain JSON. */
  save(session: string, state: unknown): void | Promise<void>;
  /** The state of a session, which counts as used now; undefined when there is none, or no longer. */
  find(session: string): unknown | Promise<unknown>;
  /** Forgets a session and its events. */
  delete(session: string): void | Promise<void>;
  /** The same, unless the session was used within these milliseconds, by whichever process. */
  deleteUnused(session: string, milliseconds: number): void | Promise<void>;
  /** Adds an event to a stream and gives its id: visible ASCII, unique in the session. */
  append(session: string, stream: string, event: NewEvent): string | Promise<string>;
  /** Where an event stands; undefined when it is not known, or no longer. */
  locate(session: string, eventId: string): EventPlace | undefined | Promise<EventPlace | undefined>;
  /**
   * Hands over the events of a stream in order, those that are there and those to come, from whichever process, until
   * the returned function is called: those after the event named, or those that nobody was handed yet.
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
  /** Nothing follows on this stream. */
  readonly last: boolean;
}

export interface StoredEvent extends NewEvent {
  readonly id: string;
}

export interface EventPlace {
  readonly stream: string;
  readonly last: boolean;
}
