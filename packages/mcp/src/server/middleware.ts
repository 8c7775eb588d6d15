import { Prepared } from '../jsonrpc/codec.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import { guardListeners } from '../jsonrpc/guarded-signal.ts';
import { type IncomingRequest, largeBytes, noteLarge } from '../jsonrpc/in-flight.ts';
import type { Params, Request, RequestId } from '../jsonrpc/message.ts';
import type { Registration } from '../protocol/handlers.ts';
import type { Origin, Principal } from '../protocol/origin.ts';
import type { Report } from './error-report.ts';
import type { ServerSession } from './session.ts';

/** A request of a client on its way to its handler. */
export class ServerRequest {
  /** Undefined for a stateless request over HTTP. */
  readonly session: ServerSession | undefined;
  readonly #request: Request;
  readonly #incoming: IncomingRequest;
  readonly #report: Report;

  constructor(request: Request, incoming: IncomingRequest, session: ServerSession | undefined, report: Report) {
    this.session = session;
    this.#request = request;
    this.#incoming = incoming;
    this.#report = report;
  }

  get method(): string {
    return this.#request.method;
  }

  /** An object in every request of MCP. A custom request may have an array, whose members are its indices. */
  get params(): { readonly [name: string]: unknown } | undefined {
    return this.#request.params as { readonly [name: string]: unknown } | undefined;
  }

  get id(): RequestId {
    return this.#request.id;
  }

  /** The message itself, for the code that dispatches it. */
  get message(): Request {
    return this.#request;
  }

  /** Aborts when the client cancels the request or disconnects. */
  get signal(): AbortSignal {
    return guardListeners(this.#incoming.signal, (thrown) =>
      this.#report(thrown, 'abort listener of a middleware', this.session),
    );
  }

  /** What the transport knows about the source of the request. */
  get origin(): Origin | undefined {
    // Every transport that gives a message an origin gives it this one.
    return this.#incoming.origin as Origin | undefined;
  }

  /** What the `authorize` option of the transport returned for the sender of this request. */
  get principal(): Principal | undefined {
    return this.origin?.principal;
  }

  /** The same request with other params. They keep `_meta`, unless they have their own: it says who the client is. */
  withParams(params: Params): ServerRequest {
    const { _meta } = (this.#request.params ?? {}) as { _meta?: unknown };
    const isKept = _meta !== undefined && !Array.isArray(params) && !('_meta' in params);
    const passed = { ...this.#request, params: isKept ? { ...params, _meta } : params };
    // Limits count the size of what the client has sent.
    const bytes = largeBytes(this.#request);
    if (bytes > 0) noteLarge(passed, bytes);
    return new ServerRequest(passed, this.#incoming, this.session, this.#report);
  }
}

/** Continues with the request, with other params if they are given. Settles with the result, or rejects with the error. */
export type Next = (params?: Params) => Promise<unknown>;

/** Returns the result of the request: what `next` returned, a changed copy of it, or a response of its own. */
export type Middleware = (request: ServerRequest, next: Next) => unknown;

/** Responds to a request by way of the middleware; `dispatch` calls the handler. */
export type Intercept = (request: ServerRequest, dispatch: (request: Request) => unknown) => Promise<unknown>;

/** The middleware of a server. The first that was added is the outermost. */
export class MiddlewareChain {
  /** Undefined when there is no middleware; requests then skip the chain. */
  intercept: Intercept | undefined;
  #chain: readonly Middleware[] = [];
  readonly #report: Report;

  constructor(report: Report) {
    this.#report = report;
  }

  add(middleware: Middleware): Registration {
    if (typeof middleware !== 'function') throw new TypeError('server.use takes a function (request, next) => …');
    // Wrapped, so that one function can be added twice and removed once.
    const added: Middleware = (request, next) => middleware(request, next);
    this.#set([...this.#chain, added]);
    return { remove: () => this.#set(this.#chain.filter((each) => each !== added)) };
  }

  #set(chain: readonly Middleware[]): void {
    this.#chain = chain;
    this.intercept = chain.length === 0 ? undefined : (request, dispatch) => this.#start(request, dispatch);
  }

  async #start(request: ServerRequest, dispatch: (request: Request) => unknown): Promise<unknown> {
    try {
      return await run(this.#chain, request, dispatch);
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) this.#report(thrown, `middleware of ${request.method}`, request.session);
      throw thrown;
    }
  }
}

async function run(
  [middleware, ...rest]: readonly Middleware[],
  request: ServerRequest,
  dispatch: (request: Request) => unknown,
): Promise<unknown> {
  if (middleware === undefined) {
    const result = (await dispatch(request.message)) ?? {};
    return result instanceof Prepared ? result.value : result;
  }
  let called = false;
  const next = async (params?: Params) => {
    if (called) throw new Error('next() was called twice for one request');
    called = true;
    return run(rest, params === undefined ? request : request.withParams(params), dispatch);
  };
  const result = await middleware(request, (params) => {
    const passed = next(params);
    passed.catch(() => {}); // a middleware that does not await it must not end the process
    return passed;
  });
  if (result === undefined) throw new TypeError('A middleware returned undefined: return what next() returned');
  return result;
}
