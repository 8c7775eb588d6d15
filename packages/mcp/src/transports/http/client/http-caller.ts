import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';

export interface CallerOptions {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A unix socket to speak through; the URL then only names the path and the host. */
  readonly socketPath?: string;
  /** Milliseconds for the connection to be made. Default 10 000. */
  readonly connectTimeout?: number;
}

/** The server could not be reached, or did not answer as HTTP asks. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  /** For whoever asked: the HTTP status, or what the network said. */
  readonly data: { readonly status: number } | { readonly network: string };

  constructor(message: string, data: HttpFailure['data']) {
    super(message);
    this.data = data;
  }
}

const MAX_REDIRECTS = 3;
const STALE = ['ECONNRESET', 'EPIPE'];

/** Makes HTTP requests to one endpoint over connections that it keeps. */
export class HttpCaller {
  #url: URL;
  #target: RequestOptions;
  readonly #options: CallerOptions;
  readonly #request: typeof http.request;
  readonly #agent: http.Agent;

  constructor(url: string, options: CallerOptions) {
    this.#url = new URL(url);
    if (!/^https?:$/.test(this.#url.protocol)) throw new TypeError(`Not an HTTP URL: ${url}`);
    this.#options = options;
    const { Agent, request } = this.#url.protocol === 'https:' ? https : http;
    this.#request = request;
    this.#agent = new Agent({ keepAlive: true });
    this.#target = this.#aim();
  }

  /** Without credentials, for messages about it. */
  get address(): string {
    return `${this.#url.origin}${this.#url.pathname}`;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Used by HttpCall. */
  open(method: string, headers: Readonly<Record<string, string>>): ClientRequest {
    const request = this.#request({
      ...this.#target,
      method,
      headers: { ...this.#options.headers, ...headers },
    });
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const { connectTimeout = 10_000 } = this.#options;
      const late = setTimeout(
        () => request.destroy(new Error(`no connection in ${connectTimeout} ms`)),
        connectTimeout,
      );
      const settled = () => clearTimeout(late);
      socket.once('connect', settled).once('close', settled);
    });
    return request;
  }

  /** Follows a redirect within the same origin, from now on; returns what forbids it. */
  follow(location: string | undefined): string | undefined {
    if (location === undefined || !URL.canParse(location, this.#url.href)) return 'the server redirects to nowhere';
    const next = new URL(location, this.#url);
    if (next.origin !== this.#url.origin)
      return `the server redirects to ${next.origin}, which must be asked for itself`;
    this.#url = next;
    this.#target = this.#aim();
    return undefined;
  }

  #aim(): RequestOptions {
    const { socketPath } = this.#options;
    // No prototype pollution of the options, and no parsing of the URL for each call.
    const { protocol, hostname, port, path, auth } = urlToHttpOptions(this.#url);
    const target: RequestOptions = { protocol, hostname, port, path, agent: this.#agent };
    if (auth) target.auth = auth;
    if (socketPath !== undefined) target.socketPath = socketPath;
    return target;
  }
}

/** One request, from its sending to the last byte of its answer. */
export class HttpCall {
  readonly #caller: HttpCaller;
  #request: ClientRequest | undefined;
  #aborted = false;

  constructor(caller: HttpCaller) {
    this.#caller = caller;
  }

  /** Settles with the answer's head. `sent` is called when the body has left or will never leave. */
  async run(
    method: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
    sent?: () => void,
  ): Promise<IncomingMessage> {
    try {
      for (let redirects = 0; ; redirects += 1) {
        const response = await this.#attempt(method, headers, body, sent, 'first');
        const { statusCode } = response;
        if (statusCode !== 307 && statusCode !== 308) return response;
        response.resume();
        const problem =
          redirects === MAX_REDIRECTS ? 'too many redirects' : this.#caller.follow(response.headers.location);
        if (problem !== undefined) throw new HttpFailure(`HTTP ${statusCode}: ${problem}`, { status: statusCode });
      }
    } finally {
      sent?.();
    }
  }

  /** Ends it wherever it stands; a `run` under way rejects. */
  abort(): void {
    this.#aborted = true;
    this.#request?.destroy();
  }

  #attempt(
    method: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    sent: (() => void) | undefined,
    turn: 'first' | 'second',
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      if (this.#aborted) throw new HttpFailure('Aborted', { network: 'aborted' });
      const request = this.#caller.open(method, headers);
      this.#request = request;
      request.once('response', resolve);
      if (sent) request.once('finish', sent);
      request.on('error', (error: NodeJS.ErrnoException) => {
        // A kept connection may be closed by the server just when it is used again.
        if (turn === 'first' && request.reusedSocket && !this.#aborted && STALE.includes(error.code ?? '')) {
          resolve(this.#attempt(method, headers, body, sent, 'second'));
        } else {
          const network = error.code ?? 'failed';
          reject(new HttpFailure(`Could not reach ${this.#caller.address}: ${error.message || network}`, { network }));
        }
      });
      request.end(body);
    });
  }
}
