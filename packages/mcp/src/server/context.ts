import type { IncomingRequest } from '../jsonrpc/incoming-request.ts';
import type { Params, Request, RequestId } from '../jsonrpc/message.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Meta, ProgressToken } from '../protocol/types.ts';
import type { ServerSession } from './session.ts';

/** Answers a request with its value, its promise's value, or an error for what it throws. */
export type RequestHandler = (params: Params | undefined, context: RequestContext) => unknown;

/** What a handler knows of the request it is answering. */
export class RequestContext {
  readonly session: ServerSession;
  /** The edition of the protocol this request is spoken in. */
  readonly revision: Revision;
  readonly #request: Request;
  readonly #incoming: IncomingRequest;

  constructor(session: ServerSession, revision: Revision, request: Request, incoming: IncomingRequest) {
    this.session = session;
    this.revision = revision;
    this.#request = request;
    this.#incoming = incoming;
  }

  get requestId(): RequestId {
    return this.#request.id;
  }

  /** Aborts when the client cancels the request or goes away. */
  get signal(): AbortSignal {
    return this.#incoming.signal;
  }

  get meta(): Meta | undefined {
    return (this.#request.params as { _meta?: Meta } | undefined)?._meta;
  }

  /** Tells the client how far the work is, if it asked to know. `progress` must grow. */
  progress(progress: number, total?: number, message?: string): void {
    const progressToken = this.meta?.progressToken as ProgressToken | undefined;
    if (progressToken === undefined || this.#incoming.settled) return;
    const params: { [name: string]: unknown } = { progressToken, progress };
    if (total !== undefined) params.total = total;
    if (message !== undefined) params.message = message;
    this.session.notify('notifications/progress', params);
  }
}
