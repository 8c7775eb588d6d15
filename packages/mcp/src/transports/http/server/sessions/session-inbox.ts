import { isThenable } from '../../../../jsonrpc/thenable.ts';
import type { Follower, HttpStore, StoredEvent, StoredState } from '../../store.ts';
import type { LocalSession } from './local-session.ts';

/** The stream in the store with the messages of a client that another process may be waiting for. */
export const INBOX = 'inbox';

/** Passes messages of a client to the process that waits for them, through the store. */
export class SessionInbox implements Follower {
  readonly #store: HttpStore;
  readonly #session: LocalSession;
  #isFollowed = false;
  #isClosed = false;
  #stop: (() => void) | undefined;
  #opening: Promise<void> | undefined;

  constructor(store: HttpStore, session: LocalSession) {
    this.#store = store;
    this.#session = session;
  }

  /** Settles when messages that other processes receive reach this one; undefined if they do. */
  get opening(): Promise<void> | undefined {
    return this.#opening;
  }

  /** Starts to read the inbox, once the session is saved. Later calls do nothing. */
  open(saving: Promise<unknown> | undefined): void {
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    const follow = () => this.#store.follow(this.#session.id, INBOX, 'next', this);
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
    opening.catch((error) => {
      this.#session.failed(error);
      this.#session.end('The session could not be followed in the store');
    });
    this.#opening = opening;
  }

  /** Called by the store, like the next two. */
  event({ id, text }: StoredEvent): void {
    this.#session.received(text, id);
  }

  changed(stored: StoredState): void {
    this.#session.refresh(stored);
  }

  lost(reason: Error): void {
    this.#session.end(reason.message);
  }

  /** Adds messages of the client. False when the session is gone. */
  async add(texts: readonly string[]): Promise<boolean> {
    const event = (text: string) => this.#store.append(this.#session.id, INBOX, { text, last: false });
    const ids = await Promise.all(texts.map(event));
    return ids.every((id) => id !== undefined);
  }

  close(): void {
    this.#isClosed = true;
    this.#stop?.();
  }
}
