import { isMalformed } from './codec.ts';
import type { Connection, Outgoing, Receiver, SendHints } from './connection.ts';
import type { Malformed, Message, RequestId } from './message.ts';
import { guard } from './report-error.ts';

/** Sees every message of a session. Must not change them. */
export interface MessageObserver {
  /** Called before the message is handled. */
  received(message: Message): void;
  /** Called after the message was queued. A batch of responses is one call; a result may be `Prepared`. */
  sent(message: Outgoing): void;
  /** Called for a text that is not a message, with what is wrong with it. */
  malformed?(malformed: Malformed): void;
}

/** A connection whose messages an observer sees. */
export class ObservedConnection implements Connection {
  readonly #connection: Connection;
  readonly #failed: (error: unknown) => void;
  #observer: MessageObserver | undefined;
  readonly release?: (relatedRequestId: RequestId) => void;
  readonly abandon?: (id: RequestId) => void;

  /** `failed` gets what the observer throws. */
  constructor(connection: Connection, failed: (error: unknown) => void) {
    this.#connection = connection;
    this.#failed = failed;
    if (connection.release !== undefined) this.release = (id) => connection.release?.(id);
    if (connection.abandon !== undefined) this.abandon = (id) => connection.abandon?.(id);
  }

  get idsAfter(): number {
    return this.#connection.idsAfter ?? 0;
  }

  /** Call it before `start`. */
  observe(observer: MessageObserver): void {
    this.#observer = observer;
  }

  start(receiver: Receiver): void {
    this.#connection.start({
      message: (message, origin) => {
        this.#received(message);
        receiver.message(message, origin);
      },
      malformed: (malformed) => {
        this.#malformed(malformed);
        receiver.malformed(malformed);
      },
      batch: (items, origin) => {
        for (const item of items) {
          if (isMalformed(item)) this.#malformed(item);
          else this.#received(item);
        }
        receiver.batch(items, origin);
      },
      refused: (id, reason) => receiver.refused(id, reason),
      ended: () => receiver.ended(),
      closed: (reason) => receiver.closed(reason),
    });
  }

  send(message: Outgoing, hints?: SendHints): void {
    // What can't be sent is not shown.
    this.#connection.send(message, hints);
    guard(() => this.#observer?.sent(message), this.#failed);
  }

  drained(relatedRequestId?: RequestId): Promise<void> {
    return this.#connection.drained(relatedRequestId);
  }

  close(reason?: string): Promise<void> {
    return this.#connection.close(reason);
  }

  #received(message: Message): void {
    guard(() => this.#observer?.received(message), this.#failed);
  }

  #malformed(malformed: Malformed): void {
    guard(() => this.#observer?.malformed?.(malformed), this.#failed);
  }
}
