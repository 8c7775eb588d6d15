import { isThenable } from '../../../../jsonrpc/thenable.ts';
import type { HttpStore, StoredState } from '../../store.ts';

/** The stream in the store with the messages of a client that another process may be waiting for. */
export const INBOX = 'inbox';

interface SessionInboxHandlers {
  /** A message of the client that this or another process received. */
  message(text: string, eventId: string): void;
  /** The saved state of the session has changed. */
  changed(stored: StoredState): void;
  /** The inbox cannot be read any more. */
  lost(reason: Error): void;
  /** Gets the reason if following the inbox failed from the start. */
  failed(error: Error): void;
}

/** Passes messages of a client to the process that waits for them, through the store. */
export class SessionInbox {
  readonly #store: HttpStore;
  readonly #session: string;
  readonly #handlers: SessionInboxHandlers;
  #isFollowed = false;
  #isClosed = false;
  #stop: (() => void) | undefined;
  #opening: Promise<void> | undefined;

  constructor(store: HttpStore, session: string, handlers: SessionInboxHandlers) {
    this.#store = store;
    this.#session = session;
    this.#handlers = handlers;
  }

  /** Settles when messages that other processes receive reach this one; undefined if they do. */
  get opening(): Promise<void> | undefined {
    return this.#opening;
  }

  /** Starts to read the inbox, once the session is saved. Later calls do nothing. */
  open(saving: Promise<unknown> | undefined): void {
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    const follow = () =>
      this.#store.follow(this.#session, INBOX, 'next', {
        event: ({ id, text }) => this.#handlers.message(text, id),
        changed: (stored) => this.#handlers.changed(stored),
        lost: (reason) => this.#handlers.lost(reason),
      });
    const stop = saving === undefined ? follow() : saving.then(follow);
    if (!isThenable(stop)) {
      this.#stop = stop as () => void; // not a promise, by the line above
      return;
    }
    const opening = Promise.resolve(stop).then((known) => {
      if (this.#isClosed) known();
      else this.#stop = known;
      this.#opening = undefined;
    });
    opening.catch((error) => this.#handlers.failed(error));
    this.#opening = opening;
  }

  /** Adds messages of the client. False when the session is gone. */
  async add(texts: readonly string[]): Promise<boolean> {
    const event = (text: string) => this.#store.append(this.#session, INBOX, { text, last: false });
    const ids = await Promise.all(texts.map(event));
    return ids.every((id) => id !== undefined);
  }

  close(): void {
    this.#isClosed = true;
    this.#stop?.();
  }
}
