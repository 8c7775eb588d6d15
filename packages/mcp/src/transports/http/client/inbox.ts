import { isMalformed } from '../../../jsonrpc/codec.ts';
import type { MessageSink } from '../../../jsonrpc/connection.ts';
import type { Malformed, Message, RequestId } from '../../../jsonrpc/message.ts';
import type { Exchange } from './exchange.ts';

/** Where an inbox passes on what it reads. */
export interface InboxHandlers {
  message(message: Message): void;
  refused(id: RequestId | undefined, reason: Error): void;
  /** Gets what belongs to no exchange: texts that are not messages, and batches of requests. */
  other(item: Malformed | readonly (Message | Malformed)[]): void;
}

/** Reads the response to one exchange. */
export class Inbox implements MessageSink {
  readonly #exchange: Exchange;
  readonly #handlers: InboxHandlers;
  readonly #isUnavailable: boolean;
  /** Why the response to a request could not be read. */
  problem: string | undefined;

  /** `isUnavailable`: the status of the response says so. Then an error without an id says no more about the request. */
  constructor(exchange: Exchange, handlers: InboxHandlers, isUnavailable: boolean) {
    this.#exchange = exchange;
    this.#handlers = handlers;
    this.#isUnavailable = isUnavailable;
  }

  message(message: Message): void {
    const { id } = this.#exchange;
    // A POST carries one request, so an error without an id is about that request.
    const anonymous = message.method === undefined && (message.id === undefined || message.id === null);
    if (anonymous && message.error && id !== undefined) {
      if (this.#isUnavailable) return;
      this.#handlers.message({ jsonrpc: '2.0', id, error: message.error });
    } else this.#handlers.message(message);
  }

  malformed(malformed: Malformed): void {
    const { id } = this.#exchange;
    if (id !== undefined && (malformed.id === undefined || malformed.id === id)) this.problem = malformed.error.message;
    else this.#handlers.other(malformed);
  }

  batch(items: readonly (Message | Malformed)[]): void {
    const isResponse = (item: Message | Malformed) => !isMalformed(item) && item.method === undefined;
    if (items.every(isResponse)) for (const item of items) this.message(item as Message);
    else this.#handlers.other(items);
  }

  refused(id: RequestId | undefined, reason: Error): void {
    this.#handlers.refused(id, reason);
  }
}
