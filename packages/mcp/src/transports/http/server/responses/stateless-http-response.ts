import { encode } from '../../../../jsonrpc/codec.ts';
import { ConnectionClosed } from '../../../../jsonrpc/errors.ts';
import type { Failure, Notification, Request, Response } from '../../../../jsonrpc/message.ts';
import type { Origin } from '../../../../protocol/origin.ts';
import type {
  Abortable,
  ResponseKind,
  ServedRequests,
  StatelessResponse,
} from '../../../../protocol/stateless-response.ts';
import type { HttpCall } from '../http-call.ts';
import { statusOf, statusOfRefusal } from '../status.ts';
import { ResponseStream, type ResponseStreamOptions, type ResponseStreamOwner } from './response-stream.ts';

/** A stateless request over HTTP: the response carries what belongs to it, and its end ends the request. */
export class StatelessHttpResponse implements StatelessResponse, ResponseStreamOwner {
  readonly origin: Origin;
  readonly #stream: ResponseStream;
  #running: Abortable | undefined;

  constructor(origin: Origin, call: HttpCall, options: ResponseStreamOptions) {
    this.origin = origin;
    this.#stream = new ResponseStream(call, options, this);
  }

  start(request: Request, server: ServedRequests): void {
    this.#running = server.respond(request, this);
    if (!this.#stream.hasResponded) this.#stream.watch();
  }

  notify(notification: Notification): void {
    if (!this.#stream.isGone && !this.#stream.dropsNotification()) this.#stream.event(encode(notification));
  }

  respond(response: Response, kind?: ResponseKind): void {
    const { error } = response;
    this.#stream.respond(encode(response), error ? statusOf(error, kind) : 200);
  }

  refuse(failure: Failure): void {
    this.#stream.respond(encode(failure), statusOfRefusal(failure.error));
  }

  drained(): Promise<void> {
    return this.#stream.drained();
  }

  onDone(stream: ResponseStream): void {
    if (!stream.hasResponded) this.#running?.abort(new ConnectionClosed('The client closed the request'));
  }
}
