import { guardListeners } from '../../../jsonrpc/guarded-signal.ts';
import type { RequestId, Response } from '../../../jsonrpc/message.ts';
import { sendAuthorized } from './authorization.ts';
import { type HttpRequester, SentRequest } from './http-requester.ts';
import type { HttpResponse, Pool } from './http-sender.ts';
import type { Outbound } from './outbound.ts';

/** Gets the response to a request that the connection itself makes, in place of the receiver. */
export interface OwnRequest {
  resolve(response: Response): void;
  reject(error: Error): void;
}

/** One message with its response, or one stream, over as many HTTP requests as it takes. */
export class Exchange {
  /** Of the request that awaits a response; undefined for other messages and streams. */
  readonly id: RequestId | undefined;
  /** The message that it began with, if any. */
  readonly outbound: Outbound | undefined;
  readonly own: OwnRequest | undefined;
  /** Responded, failed or abandoned. */
  over = false;
  #sent: SentRequest | undefined;
  #wake: (() => void) | undefined;
  /** For the authorization; undefined without one. */
  #abort: AbortController | undefined;

  constructor(id: RequestId | undefined, outbound?: Outbound, own?: OwnRequest) {
    this.id = id;
    this.outbound = outbound;
    this.own = own;
  }

  call(
    requester: HttpRequester,
    method: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
    sent?: () => void,
  ): Promise<HttpResponse> {
    const pool: Pool = this.id === undefined ? 'control' : 'requests';
    const send = (all: Readonly<Record<string, string>>) => {
      this.#sent = new SentRequest(requester, pool);
      if (this.over) this.#sent.abort();
      return this.#sent.run(method, all, body, sent);
    };
    const { authorization } = requester;
    if (authorization === undefined) return send(headers);
    this.#abort ??= new AbortController();
    if (this.over) this.#abort.abort();
    const signal = guardListeners(this.#abort.signal, requester.failed);
    const request = { method, signal, url: () => requester.url };
    return sendAuthorized(authorization, request, (credentials) => send({ ...headers, ...credentials }));
  }

  /** The response has arrived; the rest of its stream is still read, so that the connection can be kept. */
  responded(): void {
    this.over = true;
    this.#wake?.();
  }

  /** Ends the HTTP request, in any state. */
  end(): void {
    this.over = true;
    this.#sent?.abort();
    this.#abort?.abort();
    this.#wake?.();
  }

  /** Settles early when the exchange ends. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.over) this.#wake();
    });
  }
}
