import { isMalformed } from '../../../jsonrpc/codec.ts';
import type { MessageSink } from '../../../jsonrpc/connection.ts';
import type { Malformed, Message } from '../../../jsonrpc/message.ts';
import type { Exchange } from './exchange.ts';

/** Reads what came as the answer to one exchange. */
export class Inbox implements MessageSink {
  readonly #exchange: Exchange;
  readonly #arrived: (message: Message) => void;
  readonly #strange: (item: Malformed | readonly (Message | Malformed)[]) => void;
  /** What was meant as the answer and cannot be read. */
  flaw: string | undefined;

  /** `strange` gets what belongs to no exchange: texts that are no messages, and batches of requests. */
  constructor(
    exchange: Exchange,
    arrived: (message: Message) => void,
    strange: (item: Malformed | readonly (Message | Malformed)[]) => void,
  ) {
    this.#exchange = exchange;
    this.#arrived = arrived;
    this.#strange = strange;
  }

  message(message: Message): void {
    const { id } = this.#exchange;
    // One POST holds one request, so an error without an id can only be about that.
    const anonymous = message.method === undefined && (message.id === undefined || message.id === null);
    if (anonymous && message.error && id !== undefined) this.#arrived({ jsonrpc: '2.0', id, error: message.error });
    else this.#arrived(message);
  }

  malformed(malformed: Malformed): void {
    const { id } = this.#exchange;
    if (id !== undefined && (malformed.id === undefined || malformed.id === id)) this.flaw = malformed.error.message;
    else this.#strange(malformed);
  }

  batch(items: readonly (Message | Malformed)[]): void {
    const isAnswer = (item: Message | Malformed) => !isMalformed(item) && item.method === undefined;
    if (items.every(isAnswer)) for (const item of items) this.message(item as Message);
    else this.#strange(items);
  }
}
