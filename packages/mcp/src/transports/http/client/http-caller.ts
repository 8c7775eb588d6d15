import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { describeValue } from '../../../jsonrpc/argument-checks.ts';
import { delayOf, startTimeout } from '../../../jsonrpc/deadlines.ts';
import { messageOf, NetworkError } from '../../../jsonrpc/errors.ts';
import { HttpError } from '../../../protocol/http-error.ts';
import type { ClientAuthorization } from './authorization.ts';
import { discardBody } from './response-body.ts';

export interface CallerOptions {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Gives each request its credentials, for example `oauthClient` from `@hawser/mcp/oauth`. */
  readonly authorization?: ClientAuthorization;
  /** A unix socket to connect to; the URL then only names the path and the host. */
  readonly socketPath?: string;
  /** Milliseconds for a connection to be made; 0 is no limit. Default 10 000. */
  readonly connectTimeout?: number;
  /** TCP connections for requests; further requests wait for a free one. Default 256. */
  readonly maxConnections?: number;
  /** Milliseconds for the server to accept a message that needs no answer; 0 is no limit. Default 30 000. */
  readonly acceptTimeout?: number;
}

/** Options under the same names, with their defaults. */
export const CALLER_LIMITS = { maxConnections: 256, connectTimeout: 10_000, acceptTimeout: 30_000 } as const;

/** Requests wait for their answers; control messages must not wait behind them. */
export type Lane = 'requests' | 'control';

const MAX_REDIRECTS = 3;
const MAX_CONTROL_CONNECTIONS = 16;
/** Less than the 5 s after which most servers close idle connections, so that a request rarely meets a closed one. */
const IDLE_MS = 4000;

/** Makes HTTP requests to one endpoint over connections that it keeps open. */
export class HttpCaller {
  #url: URL;
  #target: RequestOptions;
  readonly #options: CallerOptions;
  readonly #request: typeof http.request;
  readonly #agents: { readonly [lane in Lane]: http.Agent };

  /** Gets what callbacks of the authorization throw where nothing waits for them. */
  readonly failed: (thrown: unknown) => void;

  /** Throws a TypeError or RangeError for an invalid option. */
  constructor(url: string, options: CallerOptions, failed: (thrown: unknown) => void) {
    this.failed = failed;
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      throw new TypeError(`connectHttp takes a URL like http://127.0.0.1:3000/mcp, got ${describeValue(url)}`);
    }
    this.#url = new URL(url);
    delayOf(options.connectTimeout, 'connectTimeout');
    this.#options = options;
    const { Agent, request } = this.#url.protocol === 'https:' ? https : http;
    this.#request = request;
    const agent = (maxSockets: number) => new Agent({ keepAlive: true, maxSockets, timeout: IDLE_MS });
    this.#agents = {
      requests: agent(options.maxConnections ?? CALLER_LIMITS.maxConnections),
      control: agent(MAX_CONTROL_CONNECTIONS),
    };
    this.#target = this.#aim();
  }

  get authorization(): ClientAuthorization | undefined {
    return this.#options.authorization;
  }

  /** Where requests go; changes with a redirect. */
  get url(): URL {
    return this.#url;
  }

  /** Without credentials, for messages. */
  get address(): string {
    return `${this.#url.origin}${this.#url.pathname}`;
  }

  close(): void {
    this.#agents.requests.destroy();
    this.#agents.control.destroy();
  }

  /** Used by HttpCall. */
  open(method: string, headers: Readonly<Record<string, string>>, lane: Lane): ClientRequest {
    const request = this.#request({
      ...this.#target,
      agent: this.#agents[lane],
      method,
      headers: { ...this.#options.headers, ...headers },
    });
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const { connectTimeout = CALLER_LIMITS.connectTimeout } = this.#options;
      const late = () => request.destroy(new Error(`no connection in ${connectTimeout} ms`));
      const stop = startTimeout(connectTimeout, 'connectTimeout', late);
      socket.once('connect', stop).once('close', stop);
    });
    return request;
  }

  /** Follows a redirect within the same origin, from now on. Returns the reason if it is not followed. */
  follow(location: string | undefined): string | undefined {
    if (location === undefined || !URL.canParse(location, this.#url.href))
      return 'the server redirects to no valid URL';
    const next = new URL(location, this.#url);
    if (next.origin !== this.#url.origin) {
      return `the server redirects to ${next.origin}; connect to that URL if you trust it`;
    }
    this.#url = next;
    this.#target = this.#aim();
    return undefined;
  }

  #aim(): RequestOptions {
    const { socketPath } = this.#options;
    // Done once, so that the URL is not parsed for each call.
    const { protocol, hostname, port, path, auth } = urlToHttpOptions(this.#url);
    const target: RequestOptions = { protocol, hostname, port, path };
    if (auth) target.auth = auth;
    if (socketPath !== undefined) target.socketPath = socketPath;
    return target;
  }
}

/** One request, from sending it to the last byte of its response. */
export class HttpCall {
  readonly #caller: HttpCaller;
  readonly #lane: Lane;
  #request: ClientRequest | undefined;
  #aborted = false;

  constructor(caller: HttpCaller, lane: Lane) {
    this.#caller = caller;
    this.#lane = lane;
  }

  /** Settles with the head of the response. `sent` is called when the body has left or will never leave. */
  async run(
    method: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
    sent?: () => void,
  ): Promise<IncomingMessage> {
    try {
      for (let redirects = 0; ; redirects += 1) {
        const response = await this.#attempt(method, headers, body, sent);
        const { statusCode } = response;
        if (statusCode !== 307 && statusCode !== 308) return response;
        discardBody(response);
        const problem =
          redirects === MAX_REDIRECTS ? 'too many redirects' : this.#caller.follow(response.headers.location);
        if (problem !== undefined) throw new HttpError(statusCode, `HTTP ${statusCode}: ${problem}`);
      }
    } finally {
      sent?.();
    }
  }

  /** Ends the request in any state; a pending `run` rejects. */
  abort(): void {
    this.#aborted = true;
    this.#request?.destroy();
  }

  #attempt(
    method: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    sent: (() => void) | undefined,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      if (this.#aborted) throw new NetworkError('Aborted', { code: 'ABORTED' });
      const request = this.#caller.open(method, headers, this.#lane);
      this.#request = request;
      const fail = (error: NodeJS.ErrnoException) => {
        const why = messageOf(error);
        const { address } = this.#caller;
        const message = request.reusedSocket
          ? `Lost the connection to ${address}: ${why}`
          : `Could not reach ${address}: ${why}`;
        reject(new NetworkError(message, { code: error.code, cause: error }));
      };
      request.once('response', resolve);
      request.once('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new HttpError(101, 'HTTP 101: the server switches to another protocol'));
      });
      if (sent) request.once('finish', sent);
      // Not repeated, even if the server closed an idle connection at the same moment: it may have read the request.
      request.on('error', fail);
      // No other event may follow, for example after a destroyed upgrade.
      request.once('close', () => fail(new Error('the connection was closed without an answer')));
      request.end(body);
    });
  }
}
