import { encode } from '../../../jsonrpc/codec.ts';
import { ConnectionClosed } from '../../../jsonrpc/errors.ts';
import type { Failure, Notification, Request, Response } from '../../../jsonrpc/message.ts';
import type { Abortable, AnswerKind, Exchange, ServedRequests } from '../../../protocol/exchange.ts';
import type { Origin } from '../../../protocol/origin.ts';
import { AnswerStream, type AnswerStreamOptions, type AnswerStreamOwner } from './answer-stream.ts';
import type { HttpCall } from './http-call.ts';
import { statusOf, statusOfRefusal } from './status.ts';

/** A stateless request over HTTP: the response carries what belongs to it, and its end ends the request. */
export class StatelessExchange implements Exchange, AnswerStreamOwner {
  readonly origin: Origin;
  readonly #stream: AnswerStream;
  #running: Abortable | undefined;

  constructor(origin: Origin, call: HttpCall, options: AnswerStreamOptions) {
    this.origin = origin;
    this.#stream = new AnswerStream(call, options, this);
  }

  start(request: Request, server: ServedRequests): void {
    this.#running = server.answer(request, this);
    if (!this.#stream.isAnswered) this.#stream.watch();
  }

  notify(notification: Notification): void {
    if (!this.#stream.isGone && !this.#stream.dropsNotification()) this.#stream.event(encode(notification));
  }

  answer(response: Response, kind?: AnswerKind): void {
    this.#stream.answer(encode(response), kind === 'not found' ? 404 : statusOf(response.error));
  }

  refuse(failure: Failure): void {
    this.#stream.answer(encode(failure), statusOfRefusal(failure.error));
  }

  drained(): Promise<void> {
    return this.#stream.drained();
  }

  onDone(stream: AnswerStream): void {
    if (!stream.isAnswered) this.#running?.abort(new ConnectionClosed('The client closed the request'));
  }
}
