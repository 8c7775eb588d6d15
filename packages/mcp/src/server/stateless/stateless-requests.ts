import { isObject, Prepared } from '../../jsonrpc/codec.ts';
import { ConnectionClosed, ErrorCode, unserializable } from '../../jsonrpc/errors.ts';
import { IncomingRequest, largeBytes, Shares } from '../../jsonrpc/in-flight.ts';
import type { ErrorObject, Params, Request, RequestId, Response } from '../../jsonrpc/message.ts';
import { isThenable } from '../../jsonrpc/thenable.ts';
import type { Origin } from '../../protocol/origin.ts';
import { NotFound, RefusedRequest } from '../../protocol/request-errors.ts';
import { MetaKey } from '../../protocol/stateless.ts';
import type { Abortable, ResponseKind, StatelessResponse } from '../../protocol/stateless-response.ts';
import { StoreUnavailable } from '../../protocol/store-unavailable.ts';
import type { Implementation } from '../../protocol/types.ts';
import type { RequestChannel } from '../context.ts';
import { dispatch } from '../dispatch.ts';
import type { ServerHost } from '../server-host.ts';

/** The stateless requests of a server that arrived without a connection and are still open, within limits. */
export class StatelessRequests {
  readonly #host: ServerHost;
  readonly #maxInFlight: number;
  /** With their large sizes and where they came from. */
  readonly #open = new Map<StatelessRequest, { readonly bytes: number; readonly origin: Origin | undefined }>();
  readonly #shares = new Shares();

  /** `maxInFlight`: open requests of one client. */
  constructor(host: ServerHost, maxInFlight: number) {
    this.#host = host;
    this.#maxInFlight = maxInFlight;
  }

  get size(): number {
    return this.#open.size;
  }

  start(request: Request, response: StatelessResponse): Abortable {
    const { inFlight } = this.#host;
    const bytes = largeBytes(request);
    const { origin } = response;
    const message = inFlight.refusal(bytes, origin) ?? this.#refusal(origin?.client);
    if (message !== undefined) {
      response.refuse({ jsonrpc: '2.0', id: request.id, error: { code: ErrorCode.LimitReached, message } });
      return { abort: () => {} };
    }
    const stateless = new StatelessRequest(request, response, this.#host, this.#settled);
    stateless.start();
    if (!stateless.isSettled) {
      this.#open.set(stateless, { bytes, origin });
      inFlight.add(bytes, origin);
      this.#shares.add(origin?.client);
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
    this.#host.inFlight.remove(counted.bytes, counted.origin);
    this.#shares.remove(counted.origin?.client);
  };

  #refusal(client: string | undefined): string | undefined {
    if (this.#shares.of(client) < this.#maxInFlight) return undefined;
    return `This client has ${this.#maxInFlight} open requests (maxInFlight). Try again later`;
  }
}

function kindOf(thrown: unknown): ResponseKind {
  if (thrown instanceof NotFound) return 'not found';
  return thrown instanceof StoreUnavailable ? 'unavailable' : undefined;
}

/** A stateless request that arrived without a connection, from its arrival to its one response. */
export class StatelessRequest implements Abortable, RequestChannel {
  readonly session = undefined;
  readonly #request: Request;
  readonly #response: StatelessResponse;
  readonly #host: ServerHost;
  readonly #incoming: IncomingRequest;
  readonly #onSettled: (request: StatelessRequest) => void;

  constructor(
    request: Request,
    response: StatelessResponse,
    host: ServerHost,
    onSettled: (request: StatelessRequest) => void,
  ) {
    this.#request = request;
    this.#response = response;
    this.#host = host;
    this.#incoming = new IncomingRequest(request.id, undefined, response.origin);
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
    this.#response.notify(params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params });
  }

  /** A stateless response cannot be resumed, so it stays open. */
  releaseStream(): void {}

  drained(): Promise<void> {
    return this.#response.drained();
  }

  #succeed(result: unknown): void {
    this.#settle({ jsonrpc: '2.0', id: this.#request.id, result: result === undefined ? {} : result });
  }

  #fail(thrown: unknown): void {
    const error = this.#host.errors.errorOf(thrown, this.#request.method);
    if (thrown instanceof RefusedRequest) this.#refuse(error);
    else {
      this.#settle({ jsonrpc: '2.0', id: this.#request.id, error }, kindOf(thrown));
    }
  }

  #refuse(error: ErrorObject): void {
    if (this.#incoming.settled) return;
    this.#incoming.settled = true;
    this.#response.refuse({ jsonrpc: '2.0', id: this.#request.id, error });
    this.#onSettled(this);
  }

  /** Only the first response is sent. */
  #settle(response: Response, kind?: ResponseKind): void {
    if (this.#incoming.settled) return;
    this.#incoming.settled = true;
    try {
      this.#response.respond(response, kind);
    } catch (thrown) {
      this.#response.respond(unserializable(response, thrown));
      this.#host.errors.report(thrown, `the response to ${this.#request.method}`);
    }
    this.#onSettled(this);
  }
}

export interface Caching {
  readonly ttlMs: number;
  /** `public` when every client gets the same. */
  readonly cacheScope: 'public' | 'private';
}

const NO_CACHING: Caching = { ttlMs: 0, cacheScope: 'private' };

/** Adds the members that stateless revisions require in results: their type, the server's name, and how long to cache them. */
export class StatelessResults {
  /** The server's name; one object for all results without `_meta`. */
  readonly #meta: object;
  readonly #caching: Caching;

  constructor(info: Implementation, caching: Caching = NO_CACHING) {
    this.#meta = { [MetaKey.serverInfo]: info };
    this.#caching = caching;
  }

  complete(result: unknown, method: string): unknown {
    // Pages of lists have these members already.
    if (result instanceof Prepared) return result;
    // Custom requests may have results that are not objects.
    if (result !== undefined && !isObject(result)) return result;
    const identified = this.#identify(result ?? {});
    const isCacheable = method === 'resources/read' || method === 'server/discover';
    return isCacheable && identified.resultType === 'complete' ? { ...this.#caching, ...identified } : identified;
  }

  /** A page of a list. */
  page(result: object): object {
    return { ...this.#caching, ...this.#identify(result) };
  }

  #identify(result: object): { readonly resultType: string; readonly _meta: object } {
    const { _meta } = result as { _meta?: object };
    return { resultType: 'complete', ...result, _meta: _meta ? { ..._meta, ...this.#meta } : this.#meta };
  }
}
