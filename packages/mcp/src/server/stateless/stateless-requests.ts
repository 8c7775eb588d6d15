import { ConnectionClosed, ErrorCode } from '../../jsonrpc/errors.ts';
import { type InFlight, Shares } from '../../jsonrpc/in-flight.ts';
import { IncomingRequest } from '../../jsonrpc/incoming-request.ts';
import { largeBytes } from '../../jsonrpc/limits.ts';
import type { ErrorObject, Params, Request, RequestId, Response } from '../../jsonrpc/message.ts';
import { isThenable } from '../../jsonrpc/thenable.ts';
import { unserializable } from '../../jsonrpc/unserializable.ts';
import { NotFound } from '../../protocol/not-found.ts';
import { RefusedRequest } from '../../protocol/refused-request.ts';
import type { Abortable, ResponseKind, StatelessResponse } from '../../protocol/stateless-response.ts';
import type { RequestChannel } from '../context.ts';
import { type DispatchHost, dispatch } from '../dispatch.ts';

export interface StatelessRequestsOptions {
  readonly host: DispatchHost;
  /** Counts the requests of all clients. */
  readonly inFlight: InFlight;
  /** Open requests of one client. */
  readonly maxInFlight: number;
}

/** The stateless requests of a server that arrived without a connection and are still open, within limits. */
export class StatelessRequests {
  readonly #options: StatelessRequestsOptions;
  /** With their large sizes and their clients. */
  readonly #open = new Map<StatelessRequest, { readonly bytes: number; readonly client: string | undefined }>();
  readonly #shares = new Shares();

  constructor(options: StatelessRequestsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  start(request: Request, exchange: StatelessResponse): Abortable {
    const { host, inFlight } = this.#options;
    const bytes = largeBytes(request);
    const client = exchange.origin?.client;
    const message = inFlight.refusal(bytes) ?? this.#refusal(client);
    if (message !== undefined) {
      exchange.refuse({ jsonrpc: '2.0', id: request.id, error: { code: ErrorCode.LimitReached, message } });
      return { abort: () => {} };
    }
    const stateless = new StatelessRequest(request, exchange, host, this.#settled);
    stateless.start();
    if (!stateless.isSettled) {
      this.#open.set(stateless, { bytes, client });
      inFlight.add(bytes);
      this.#shares.add(client);
    }
    return stateless;
  }

  /** Responds to all of them with an error. */
  close(reason: string): void {
    for (const request of [...this.#open.keys()]) request.close(reason);
  }

  readonly #settled = (request: StatelessRequest) => {
    const counted = this.#open.get(request);
    if (counted === undefined) return;
    this.#open.delete(request);
    this.#options.inFlight.remove(counted.bytes);
    this.#shares.remove(counted.client);
  };

  #refusal(client: string | undefined): string | undefined {
    const { maxInFlight } = this.#options;
    if (this.#shares.of(client) < maxInFlight) return undefined;
    return `This client has ${maxInFlight} open requests (maxInFlight). Try again later`;
  }
}

/** A stateless request that arrived without a connection, from its arrival to its one response. */
export class StatelessRequest implements Abortable, RequestChannel {
  readonly session = undefined;
  readonly #request: Request;
  readonly #exchange: StatelessResponse;
  readonly #host: DispatchHost;
  readonly #incoming: IncomingRequest;
  readonly #onSettled: (request: StatelessRequest) => void;

  constructor(
    request: Request,
    exchange: StatelessResponse,
    host: DispatchHost,
    onSettled: (request: StatelessRequest) => void,
  ) {
    this.#request = request;
    this.#exchange = exchange;
    this.#host = host;
    this.#incoming = new IncomingRequest(request.id, undefined, exchange.origin);
    this.#onSettled = onSettled;
  }

  get isSettled(): boolean {
    return this.#incoming.settled;
  }

  start(): void {
    let outcome: unknown;
    try {
      outcome = dispatch(this.#request, this.#incoming, this, this.#host);
    } catch (thrown) {
      this.#fail(thrown);
      return;
    }
    if (!isThenable(outcome)) this.#succeed(outcome);
    else {
      outcome.then(
        (result) => this.#succeed(result),
        (thrown) => this.#fail(thrown),
      );
    }
  }

  abort(reason: Error): void {
    if (this.#incoming.settled) return;
    this.#incoming.abort(reason);
    this.#onSettled(this);
  }

  /** Responds with an error, because the server closes. */
  close(reason: string): void {
    this.#incoming.abortSignal(new ConnectionClosed(reason));
    const message = `Internal error: closed before the response: ${reason}`;
    this.#settle({ jsonrpc: '2.0', id: this.#request.id, error: { code: ErrorCode.InternalError, message } });
  }

  notifyAbout(_relatedRequestId: RequestId, method: string, params: Params | undefined): void {
    this.#exchange.notify(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
  }

  /** A stateless response cannot be resumed, so it stays open. */
  releaseStream(): void {}

  drained(): Promise<void> {
    return this.#exchange.drained();
  }

  #succeed(result: unknown): void {
    this.#settle({ jsonrpc: '2.0', id: this.#request.id, result: result === undefined ? {} : result });
  }

  #fail(thrown: unknown): void {
    const error = this.#host.errorOf(thrown, this.#request.method);
    if (thrown instanceof RefusedRequest) this.#refuse(error);
    else {
      const kind = thrown instanceof NotFound ? 'not found' : undefined;
      this.#settle({ jsonrpc: '2.0', id: this.#request.id, error }, kind);
    }
  }

  #refuse(error: ErrorObject): void {
    if (this.#incoming.settled) return;
    this.#incoming.settled = true;
    this.#exchange.refuse({ jsonrpc: '2.0', id: this.#request.id, error });
    this.#onSettled(this);
  }

  /** Only the first response is sent. */
  #settle(response: Response, kind?: ResponseKind): void {
    if (this.#incoming.settled) return;
    this.#incoming.settled = true;
    try {
      this.#exchange.respond(response, kind);
    } catch (thrown) {
      this.#exchange.respond(unserializable(response, thrown));
      this.#host.report(thrown, `the response to ${this.#request.method}`);
    }
    this.#onSettled(this);
  }
}
