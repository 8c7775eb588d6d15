import type http from 'node:http';
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { startTimeout } from '../../../../jsonrpc/deadlines.ts';
import { messageOf, NetworkError } from '../../../../jsonrpc/errors.ts';
import { HttpError } from '../../../../protocol/http-error.ts';
import { isNode } from '../../../../protocol/is-node.ts';
import {
  addressOf,
  type HttpRequest,
  type HttpResponse,
  type HttpSender,
  MAX_CONTROL_CONNECTIONS,
  type PendingResponse,
  type Pool,
} from '../http-sender.ts';
import { brokenOff } from '../response-body.ts';

export interface NodeSenderOptions {
  readonly maxConnections: number;
  readonly connectTimeout: number;
  readonly socketPath: string | undefined;
}

/** Less than the 5 s after which most servers close idle connections, so that a request rarely meets a closed one. */
const IDLE_MS = 4000;

/** A sender for URLs of the same scheme; undefined in other runtimes than Node, which are better served by `fetch`. */
export function nodeSender({ protocol }: URL, options: NodeSenderOptions): HttpSender | undefined {
  // Not imported, so that bundles for browsers need no node:http.
  const load = isNode() ? process.getBuiltinModule : undefined;
  if (load === undefined) return undefined;
  const { urlToHttpOptions } = load('node:url');
  const { STATUS_CODES } = load('node:http');
  const client = protocol === 'https:' ? load('node:https') : load('node:http');
  return new NodeSender({ client, urlToHttpOptions, statusTexts: STATUS_CODES }, options);
}

interface NodeModules {
  readonly client: Pick<typeof http, 'Agent' | 'request'>;
  urlToHttpOptions(url: URL): RequestOptions;
  readonly statusTexts: typeof http.STATUS_CODES;
}

/** Sends requests with `node:http`: several times as fast as Node's `fetch`. */
class NodeSender implements HttpSender {
  readonly #node: NodeModules;
  readonly #options: NodeSenderOptions;
  readonly #agents: { readonly [pool in Pool]: Agent };
  #target: { readonly url: URL; readonly options: RequestOptions } | undefined;

  constructor(node: NodeModules, options: NodeSenderOptions) {
    this.#node = node;
    this.#options = options;
    const agent = (maxSockets: number) => new node.client.Agent({ keepAlive: true, maxSockets, timeout: IDLE_MS });
    this.#agents = { requests: agent(options.maxConnections), control: agent(MAX_CONTROL_CONNECTIONS) };
  }

  send({ url, method, headers, body, pool, sent }: HttpRequest): PendingResponse {
    const request = this.#node.client.request({ ...this.#aim(url), agent: this.#agents[pool], method, headers });
    this.#limitConnecting(request);
    const response = new Promise<HttpResponse>((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) => {
        const what = request.reusedSocket ? 'Lost the connection to' : 'Could not reach';
        const message = `${what} ${addressOf(url)}: ${messageOf(error)}`;
        reject(new NetworkError(message, { code: error.code, cause: error }));
      };
      request.once('response', (head) => resolve(new NodeResponse(head, this.#node.statusTexts)));
      request.once('upgrade', (_response, socket) => {
        socket.destroy();
        reject(new HttpError(101, 'HTTP 101: the server switches to another protocol'));
      });
      if (sent) request.once('finish', sent);
      // Not repeated, even if the server closed an idle connection at the same moment: it may have read the request.
      request.on('error', fail);
      // No other event may follow, for example after a destroyed upgrade.
      request.once('close', () => fail(new Error('the connection was closed without a response')));
    });
    request.end(body);
    return { response, abort: () => void request.destroy() };
  }

  close(): void {
    this.#agents.requests.destroy();
    this.#agents.control.destroy();
  }

  #limitConnecting(request: ClientRequest): void {
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const { connectTimeout } = this.#options;
      const late = () => request.destroy(new Error(`no connection in ${connectTimeout} ms`));
      const stop = startTimeout(connectTimeout, 'connectTimeout', late);
      socket.once('connect', stop).once('close', stop);
    });
  }

  /** Reads a URL once, not for each request. */
  #aim(url: URL): RequestOptions {
    if (this.#target?.url === url) return this.#target.options;
    const { socketPath } = this.#options;
    const { protocol, hostname, port, path, auth } = this.#node.urlToHttpOptions(url);
    const options: RequestOptions = { protocol, hostname, port, path };
    if (auth) options.auth = auth;
    if (socketPath !== undefined) options.socketPath = socketPath;
    this.#target = { url, options };
    return options;
  }
}

class NodeResponse implements HttpResponse {
  readonly status: number;
  readonly #head: IncomingMessage;
  readonly #statusTexts: NodeModules['statusTexts'];

  constructor(head: IncomingMessage, statusTexts: NodeModules['statusTexts']) {
    this.status = head.statusCode ?? 0;
    this.#head = head;
    this.#statusTexts = statusTexts;
  }

  get statusText(): string {
    return this.#head.statusMessage || this.#statusTexts[this.status] || '';
  }

  header(name: string): string | undefined {
    const value = this.#head.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  read(chunk: (bytes: Uint8Array) => void): Promise<void> {
    const head = this.#head;
    return new Promise((resolve, reject) => {
      head.on('data', chunk);
      head.once('end', resolve);
      head.once('error', (error) => reject(brokenOff(error)));
      head.once('close', () => reject(brokenOff(undefined)));
      // It broke while it waited to be read: no event follows.
      if (head.destroyed) reject(brokenOff(head.errored ?? undefined));
    });
  }

  destroy(): void {
    this.#head.destroy();
  }
}
