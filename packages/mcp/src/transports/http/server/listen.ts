import { chmodSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EndpointOptions, HttpEndpoint } from './endpoint.ts';
import { requestsWithFamiliarHeaders } from './familiar-headers.ts';
import { endIdleConnections } from './idle-connections.ts';

export interface ListenHttpOptions extends Omit<EndpointOptions, 'checkHost'> {
  /** Default `127.0.0.1`: nobody outside this machine gets in unless asked. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** A unix socket to listen on instead, for this user alone. */
  readonly socketPath?: string;
  /** An HTTP server to plug into instead; it is not closed with the listener, and keeps all other paths. */
  readonly server?: Server;
  /** Default `/mcp`. */
  readonly path?: string;
  /** More connections than this are not accepted. Default 10 000. */
  readonly maxConnections?: number;
}

export interface HttpListener {
  /** 0 on a unix socket, and while a server that was given does not listen. */
  readonly port: number;
  /** Empty while a server that was given does not listen. */
  readonly url: string;
  /** Ends every connection. Sessions stay in the store, for other processes. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 120_000;
/** Longer than the minute after which many clients and proxies give up an idle connection themselves. */
const IDLE_CONNECTION_MS = 65_000;

/** Serves MCP over Streamable HTTP, all revisions side by side. */
export async function listenHttp(options: ListenHttpOptions): Promise<HttpListener> {
  const { host = '127.0.0.1', port = 0, socketPath, path = '/mcp', maxConnections = 10_000 } = options;
  const endpoint = new HttpEndpoint({ ...options, checkHost: socketPath === undefined });
  const server = options.server ?? createOwnServer();
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { url = '/' } = request;
    const query = url.indexOf('?');
    if ((query === -1 ? url : url.slice(0, query)) === path) endpoint.handle(request, response);
    else if (options.server === undefined) response.writeHead(404).end(`MCP is served at ${path}\n`);
  };
  server.on('request', onRequest);
  if (options.server === undefined) {
    server.maxConnections = maxConnections;
    try {
      await startListening(server, socketPath === undefined ? { host, port } : { path: socketPath });
    } catch (error) {
      await endpoint.close();
      throw error;
    }
    if (socketPath !== undefined) chmodSync(socketPath, 0o600);
  }
  return {
    get port() {
      const address = server.address();
      return typeof address === 'object' && address !== null ? address.port : 0;
    },
    get url() {
      const address = server.address();
      if (typeof address === 'string') return `unix:${address}:${path}`;
      return address === null ? '' : `http://${hostInUrl(address)}:${address.port}${path}`;
    },
    close: async () => {
      server.off('request', onRequest);
      await endpoint.close();
      if (options.server !== undefined) return;
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function createOwnServer(): Server {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: 0,
    IncomingMessage: requestsWithFamiliarHeaders(),
  });
  endIdleConnections(server, IDLE_CONNECTION_MS);
  return server;
}

function hostInUrl({ address, family }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]` : address;
}

function startListening(server: Server, where: { host: string; port: number } | { path: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
