import { describeValue } from '../../../jsonrpc/argument-checks.ts';
import { delayOf } from '../../../jsonrpc/deadlines.ts';
import { NetworkError } from '../../../jsonrpc/errors.ts';
import { HttpError } from '../../../protocol/http-error.ts';
import type { ClientAuthorization } from './authorization.ts';
import type { HttpResponse, HttpSender, PendingResponse, Pool } from './http-sender.ts';
import { FetchSender } from './http-senders/fetch.ts';
import { nodeSender } from './http-senders/node.ts';
import { discardBody } from './response-body.ts';

export interface CallerOptions {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Gives each request its credentials, for example `oauthClient` from `@hawser/mcp/oauth`. */
  readonly authorization?: ClientAuthorization;
  /**
   * Sends the requests, for example through a proxy. Default: in Node its HTTP client, which is several times as fast as
   * its `fetch`; in other runtimes the global `fetch`.
   */
  readonly fetch?: typeof fetch;
  /** A unix socket to connect to; the URL then only names the path and the host. Node only, and not with `fetch`. */
  readonly socketPath?: string;
  /** Milliseconds for a connection to be made; 0 is no limit. Default 10 000. Node only, and not with `fetch`. */
  readonly connectTimeout?: number;
  /** TCP connections for requests; further requests wait for a free one. Default 256. */
  readonly maxConnections?: number;
  /** Milliseconds for the server to accept a message that needs no response; 0 is no limit. Default 30 000. */
  readonly acceptTimeout?: number;
}

/** Options under the same names, with their defaults. */
export const CALLER_LIMITS = { maxConnections: 256, connectTimeout: 10_000, acceptTimeout: 30_000 } as const;

const MAX_REDIRECTS = 3;

/** Makes HTTP requests to one endpoint, which may move within its origin. */
export class HttpRequester {
  #url: URL;
  readonly #sender: HttpSender;
  readonly #headers: Readonly<Record<string, string>> | undefined;
  readonly authorization: ClientAuthorization | undefined;
  /** Gets what callbacks of the authorization throw where nothing waits for them. */
  readonly failed: (thrown: unknown) => void;

  /** Throws a TypeError or RangeError for an invalid option. */
  constructor(url: string, options: CallerOptions, failed: (thrown: unknown) => void) {
    this.failed = failed;
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new TypeError(`connectHttp takes a URL like http://127.0.0.1:3000/mcp, got ${describeValue(url)}`);
    }
    this.#url = new URL(url);
    this.#headers = options.headers;
    this.authorization = options.authorization;
    this.#sender = senderOf(this.#url, options);
  }

  /** Where requests go; changes with a redirect. */
  get url(): URL {
    return this.#url;
  }

  /** Sends further requests to another URL of the same origin. */
  moveTo(url: URL): void {
    this.#url = url;
  }

  close(): void {
    this.#sender.close();
  }

  /** Used by SentRequest. */
  send(
    method: string,
    headers: Readonly<Record<string, string>>,
    pool: Pool,
    body: string | undefined,
    sent: (() => void) | undefined,
  ): PendingResponse {
    return this.#sender.send({ method, url: this.#url, headers: { ...this.#headers, ...headers }, body, pool, sent });
  }

  /** Follows a redirect within the same origin, from now on. Returns the reason if it is not followed. */
  follow(location: string | undefined): string | undefined {
    if (location === undefined || !URL.canParse(location, this.#url.href))
      return 'the server redirects to no valid URL';
    const next = new URL(location, this.#url);
    if (next.origin !== this.#url.origin) {
      return `the server redirects to ${next.origin}; connect to that URL if you trust it`;
    }
    this.moveTo(next);
    return undefined;
  }
}

function senderOf(url: URL, options: CallerOptions): HttpSender {
  const { fetch: given, socketPath } = options;
  const { maxConnections = CALLER_LIMITS.maxConnections, connectTimeout = CALLER_LIMITS.connectTimeout } = options;
  delayOf(connectTimeout, 'connectTimeout');
  if (given !== undefined && typeof given !== 'function') {
    throw new TypeError(`connectHttp: fetch must be a function, got ${describeValue(given)}`);
  }
  const ofNode = given === undefined ? nodeSender(url, { maxConnections, connectTimeout, socketPath }) : undefined;
  if (ofNode !== undefined) return ofNode;
  for (const name of ['socketPath', 'connectTimeout'] as const) {
    if (options[name] === undefined) continue;
    throw new TypeError(`connectHttp: ${name} is for Node's own HTTP client. fetch has settings of its own for that`);
  }
  return new FetchSender(given ?? ((input, init) => fetch(input, init)), maxConnections);
}

/** One request, from sending it to the last byte of its response. */
export class SentRequest {
  readonly #requester: HttpRequester;
  readonly #pool: Pool;
  #pending: PendingResponse | undefined;
  #aborted = false;

  constructor(requester: HttpRequester, pool: Pool) {
    this.#requester = requester;
    this.#pool = pool;
  }

  /** Settles with the head of the response. `sent` is called when the body has left or will never leave. */
  async run(
    method: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
    sent?: () => void,
  ): Promise<HttpResponse> {
    try {
      for (let redirects = 0; ; redirects += 1) {
        if (this.#aborted) throw new NetworkError('Aborted', { code: 'ABORTED' });
        this.#pending = this.#requester.send(method, headers, this.#pool, body, sent);
        const response = await this.#pending.response;
        const { status } = response;
        if (status !== 307 && status !== 308) return response;
        discardBody(response);
        const problem =
          redirects === MAX_REDIRECTS ? 'too many redirects' : this.#requester.follow(response.header('location'));
        if (problem !== undefined) throw new HttpError(status, `HTTP ${status}: ${problem}`);
      }
    } finally {
      sent?.();
    }
  }

  /** Ends the request in any state; a pending `run` rejects. */
  abort(): void {
    this.#aborted = true;
    this.#pending?.abort();
  }
}
