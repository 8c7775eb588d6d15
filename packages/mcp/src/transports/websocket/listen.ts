import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Connection, ConnectionLimits } from '../../jsonrpc/connection.ts';
import { type CallerRules, refuseCaller } from '../loopback.ts';
import { clip, FrameConnection, hardLimit } from './frame-connection.ts';

export interface ListenWebSocketOptions extends ConnectionLimits, CallerRules {
  /** Takes each new connection; called when the handshake is done. */
  readonly accept: (connection: Connection, request: IncomingMessage) => void;
  /** Default `127.0.0.1`: nobody outside this machine gets in unless asked. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** An HTTP server to plug into, instead of `host` and `port`; it is not closed with the listener. */
  readonly server?: Server;
  /** Default `/`. */
  readonly path?: string;
  /** Chosen when the client offers it. Default `mcp`. */
  readonly subprotocol?: string;
  /** Whether this client may come in; looked at after Host, Origin and path. */
  readonly authorize?: (request: IncomingMessage) => boolean | Promise<boolean>;
  /** How an unauthorized client is told: HTTP status 401 (default), or an accepted socket closed with 1008. */
  readonly refusal?: 'http' | 'close';
  /** Milliseconds between pings; a client that misses one is dropped. Default: none. */
  readonly pingInterval?: number;
  /** More clients than this get status 503. Default 1024. */
  readonly maxConnections?: number;
}

export interface WebSocketListener {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

const POLICY_VIOLATION = 1008;
const GOING_AWAY = 1001;
const CLOSE_TIMEOUT_MS = 1000;

export async function listenWebSocket(options: ListenWebSocketOptions): Promise<WebSocketListener> {
  const { host = '127.0.0.1', port = 0, path = '/', subprotocol = 'mcp', pingInterval = 0 } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: hardLimit(options),
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });
  const server = options.server ?? createServer(answerPlainHttp);
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    void admit(request, socket as Socket, head, sockets, { ...options, path });
  };
  server.on('upgrade', onUpgrade);
  if (options.server === undefined) await startListening(server, host, port);
  const stopPinging = pingInterval > 0 ? pingAll(sockets, pingInterval) : () => {};
  const address = server.address() as AddressInfo; // a TCP server that listens has one
  const hostInUrl = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    port: address.port,
    url: `ws://${hostInUrl}:${address.port}${path}`,
    close: async () => {
      stopPinging();
      server.off('upgrade', onUpgrade);
      await closeAll(sockets);
      if (options.server === undefined) await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function admit(
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  sockets: WebSocketServer,
  options: ListenWebSocketOptions,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname !== options.path) return refuse(socket, 404, `Nothing is served at ${pathname}`);
  const flaw = refuseCaller(request, options);
  if (flaw !== undefined) return refuse(socket, 403, flaw);
  if (sockets.clients.size >= (options.maxConnections ?? 1024)) return refuse(socket, 503, 'Too many connections');
  let authorized: boolean;
  try {
    authorized = options.authorize === undefined || (await options.authorize(request));
  } catch {
    return refuse(socket, 500, 'Authorization failed on this side');
  }
  const why = 'Unauthorized: the token is missing or wrong';
  if (!authorized && options.refusal !== 'close') return refuse(socket, 401, why);
  if (socket.destroyed) return;
  sockets.handleUpgrade(request, socket, head, (webSocket) => {
    if (authorized) options.accept(new FrameConnection(webSocket, socket, options), request);
    else webSocket.close(POLICY_VIOLATION, clip(why));
  });
}

function refuse(socket: Socket, status: number, why: string): void {
  const body = `${why}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function answerPlainHttp(_request: IncomingMessage, response: import('node:http').ServerResponse): void {
  response.writeHead(426, { 'Content-Type': 'text/plain; charset=utf-8', Upgrade: 'websocket', Connection: 'Upgrade' });
  response.end('This address speaks WebSocket\n');
}

function startListening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** One timer for all sockets; who has not answered the last ping by the next one is dropped. */
function pingAll(sockets: WebSocketServer, interval: number): () => void {
  const unanswered = new WeakSet<WebSocket>();
  const timer = setInterval(() => {
    for (const socket of sockets.clients) {
      if (unanswered.has(socket)) {
        socket.terminate();
        continue;
      }
      unanswered.add(socket);
      socket.once('pong', () => unanswered.delete(socket));
      socket.ping();
    }
  }, interval);
  timer.unref();
  return () => clearInterval(timer);
}

async function closeAll(sockets: WebSocketServer): Promise<void> {
  const closed = [...sockets.clients].map(
    (socket) =>
      new Promise<void>((resolve) => {
        const giveUp = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS);
        socket.once('close', () => {
          clearTimeout(giveUp);
          resolve();
        });
        socket.close(GOING_AWAY, 'The server is closing');
      }),
  );
  await Promise.all(closed);
}
