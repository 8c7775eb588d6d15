import { chmod } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { type OptionNames, requireLimit } from '../../../../jsonrpc/argument-checks.ts';
import type { ServedRequests } from '../../../../protocol/stateless-response.ts';
import { startListening, stopListening } from '../../../start-listening.ts';
import { checkArguments } from '../check-options.ts';
import { HttpEndpoint } from '../endpoint.ts';
import type { EndpointOptions, HttpStats } from '../endpoint-options.ts';
import { NodeCall, pathOf } from './node-call.ts';
import { UnauthenticatedConnections } from './unauthenticated-connections.ts';

export interface ServeHttpOptions extends HttpHandlerOptions {
  /** Default `127.0.0.1`, which only this machine can reach. Other machines' names must be listed in `allowedHosts`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** A unix socket to listen on instead, for this user only. Host and Origin are not checked there. */
  readonly socketPath?: string;
  /**
   * A `net.Server` that listens already, to use instead of `host`, `port` and `socketPath`: one that a service manager
   * passed on, for example. Every socket for which it emits `connection` is served. It closes with this server.
   */
  readonly listener?: NetServer;
  /** Default `/mcp`. */
  readonly path?: string;
  /** Further connections are not accepted; idle ones are closed to make room. Default 10 000. */
  readonly maxConnections?: number;
  /**
   * With `authorize`: connections on which no request was authorized so far. One more replaces the oldest, so that clients
   * without a token can't take all places. Default: half of `maxConnections`.
   */
  readonly maxUnauthenticated?: number;
}

export interface ServedHttp {
  readonly url: string;
  /** 0 on a unix socket. */
  readonly port: number;
  /** What this process holds now, for metrics. */
  stats(): HttpStats;
  /** Ends every connection. Sessions stay in the store, for other processes. Safe to call twice. */
  close(): Promise<void>;
}

const OWN_NAMES: OptionNames<Omit<ServeHttpOptions, keyof HttpHandlerOptions>> = {
  host: true,
  port: true,
  socketPath: true,
  listener: true,
  path: true,
  maxConnections: true,
  maxUnauthenticated: true,
};

/** Time limits of the server that `serveHttp` starts, in milliseconds. */
export const SERVE_HTTP_LIMITS = {
  maxConnections: 10_000,
  /** For the headers of a request; then 408. */
  headersTimeout: 20_000,
  /** For a whole request; then 408. */
  requestTimeout: 120_000,
  /** Longer than the minute after which many clients and proxies close an idle connection themselves. */
  keepAliveTimeout: 65_000,
} as const;

/** Serves MCP over Streamable HTTP on a port of its own, all revisions side by side. */
export async function serveHttp(server: ServedRequests, options: ServeHttpOptions = {}): Promise<ServedHttp> {
  checkArguments('serveHttp', server, options, OWN_NAMES);
  requireLimit('serveHttp', 'maxConnections', options.maxConnections);
  requireLimit('serveHttp', 'maxUnauthenticated', options.maxUnauthenticated);
  const { host = '127.0.0.1', port = 0, socketPath, listener, path = '/mcp' } = options;
  if (!path.startsWith('/')) throw new TypeError(`serveHttp: path must begin with a slash; write '/${path}'`);
  const { maxConnections: defaultMax, ...timeouts } = SERVE_HTTP_LIMITS;
  const { allowedHosts = [], authorize, maxConnections = defaultMax } = options;
  const { maxUnauthenticated = Math.ceil(maxConnections / 2) } = options;
  const isSocket = typeof listener?.address() === 'string' || socketPath !== undefined;
  const unauthenticated = authorize && new UnauthenticatedConnections(maxUnauthenticated);
  const handler = httpHandler(server, {
    ...options,
    ...(authorize && unauthenticated && { authorize: unauthenticated.observe(authorize) }),
    // No web page can reach a unix socket. The name that the server listens at is accepted.
    ...(isSocket
      ? { allowedHosts: 'any', allowedOrigins: 'any' }
      : { allowedHosts: allowedHosts === 'any' ? allowedHosts : [...allowedHosts, ...namesOf(host)] }),
  });
  const metadataPath = authorize?.resourceMetadata?.path;
  const http = createServer(timeouts, (request, response) => {
    unauthenticated?.requested(request);
    const requested = pathOf(request.url);
    if (requested === path || requested === metadataPath) handler(request, response);
    else response.writeHead(404).end(`MCP is served at ${path}\n`);
  });
  const accepting = listener ?? http;
  accepting.maxConnections = maxConnections;
  accepting.on('drop', () => http.closeIdleConnections());
  if (unauthenticated !== undefined) http.on('connection', (socket) => unauthenticated.add(socket));
  try {
    await startListening(http, listener ?? (socketPath === undefined ? { host, port } : { path: socketPath }));
    if (listener === undefined && socketPath !== undefined) await chmod(socketPath, 0o600);
  } catch (error) {
    http.close();
    await handler.close();
    throw error;
  }
  const address = accepting.address() as AddressInfo | string;
  return {
    port: typeof address === 'string' ? 0 : address.port,
    url:
      typeof address === 'string' ? `unix:${address}:${path}` : `http://${hostInUrl(address)}:${address.port}${path}`,
    stats: () => handler.stats(),
    close: async () => {
      await handler.close();
      const stopped = stopListening(http, listener);
      http.closeAllConnections();
      await stopped;
    },
  };
}

/** A wildcard address has no name of its own. */
function namesOf(host: string): readonly string[] {
  if (host === '0.0.0.0' || host === '::') return [];
  return [host.includes(':') ? `[${host}]` : host.toLowerCase()];
}

function hostInUrl({ address, family }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]` : address;
}

export interface HttpHandlerOptions extends EndpointOptions {}

/** Responds to every request it gets, whatever its path. */
export interface HttpHandler {
  /**
   * `body` is the parsed body if a body parser has read the request, as in Fastify. Without it, `request.body` is used if
   * the request was read, as in Express; a function, such as Express's `next`, is ignored.
   */
  (request: IncomingMessage, response: ServerResponse, body?: unknown): void;
  /** What this process holds now, for metrics. */
  stats(): HttpStats;
  /** Ends every response and session of this process. Sessions stay in the store. */
  close(): Promise<void>;
}

/** Makes a handler for node:http, or any framework on it, that serves MCP over Streamable HTTP, all revisions. */
export function createHttpHandler(server: ServedRequests, options: HttpHandlerOptions = {}): HttpHandler {
  checkArguments('createHttpHandler', server, options);
  return httpHandler(server, options);
}

/** Without the checks, which `serveHttp` makes itself. */
function httpHandler(server: ServedRequests, options: HttpHandlerOptions): HttpHandler {
  const endpoint = new HttpEndpoint(server, options);
  const handle = (request: IncomingMessage, response: ServerResponse, body?: unknown) => {
    // Something before this handler has responded.
    if (response.headersSent || response.writableEnded) return;
    endpoint.handle(new NodeCall(request, response, parsedBody(request, body)));
  };
  return Object.assign(handle, { stats: () => endpoint.stats(), close: () => endpoint.close() });
}

function parsedBody(request: IncomingMessage, given: unknown): unknown {
  if (given !== undefined && typeof given !== 'function') return given;
  // Some parsers set an empty body on requests that they leave to others.
  return request.readableDidRead ? (request as { body?: unknown }).body : undefined;
}
