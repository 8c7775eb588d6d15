import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Connection } from '../../jsonrpc/connection.ts';
import { Shares } from '../../jsonrpc/in-flight.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, withDefaults } from '../../jsonrpc/limits.ts';
import { reportError, reportOnStderr } from '../../jsonrpc/report-error.ts';
import type { Authorize } from '../authorization.ts';
import type { CallerRules } from '../loopback.ts';
import { startListening, stopListening } from '../start-listening.ts';
import { admit, WEBSOCKET_LIMITS } from './admission.ts';
import { socketOptions } from './frame-connection.ts';
import { PendingSockets } from './pending-sockets.ts';

export interface ListenWebSocketOptions extends ConnectionLimits, CallerRules {
  /** Takes each new connection; called when the handshake is done. */
  readonly accept: (connection: Connection, request: IncomingMessage) => void;
  /** Default `/`. */
  readonly path?: string;
  /** Names the client or refuses it; called after Host, Origin and path are checked. Default: every client may connect. */
  readonly authorize?: Authorize;
  /** How a client is refused: with an HTTP status (default), or with an accepted socket closed with 1008. */
  readonly refusal?: 'http' | 'close';
  /** More clients than this get status 503. Default 1024. */
  readonly maxConnections?: number;
  /** Connections of one principal that `authorize` names; a further one gets status 503. Default 512. */
  readonly maxConnectionsPerClient?: number;
  /** Gets what `accept` and `authorize` throw, and the `cause` of a refusal. Default: written to stderr. */
  readonly onError?: (error: Error) => void;
  /** Default `127.0.0.1`: only programs on this machine can connect. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /**
   * An HTTP server to use instead of `host` and `port`. It may start to listen later, and is not closed with the
   * listener. Upgrades for other paths are left to its other `upgrade` listeners.
   */
  readonly server?: Server;
  /**
   * A `net.Server` that listens already, to use instead of `host` and `port`. Every socket for which it emits
   * `connection` is served. It closes with the listener.
   */
  readonly listener?: NetServer;
  /** Selected when the client offers it. Default `mcp`. */
  readonly subprotocol?: string;
  /** Milliseconds between pings; a client that misses one is disconnected. Default: no pings. */
  readonly pingInterval?: number;
  /**
   * Sockets before the end of their handshake, and refused ones that have not closed. One more replaces the oldest.
   * They do not count towards `maxConnections`. Default 64.
   */
  readonly maxUnauthenticated?: number;
  /** Milliseconds for the handshake, `authorize` included. Default 10 000. */
  readonly handshakeTimeout?: number;
}

export interface WebSocketListener {
  /** Throws until the HTTP server listens, and when it listens on a Unix socket. */
  readonly port: number;
  /** Throws until the HTTP server listens. */
  readonly url: string;
  /** Closes every connection with code 1001, and the HTTP server unless it was given. */
  close(): Promise<void>;
}

const GOING_AWAY = 1001;
const CLOSE_TIMEOUT_MS = 1000;
/** The longest frame that is read from a refused client. */
const MAX_REFUSED_BYTES = 16 * 1024;

/** Accepts WebSocket clients on an HTTP server of its own or on a given one. */
export async function listenWebSocket(options: ListenWebSocketOptions): Promise<WebSocketListener> {
  const { host = '127.0.0.1', port = 0, path = '/', subprotocol = 'mcp', pingInterval = 0 } = options;
  const { maxUnauthenticated = WEBSOCKET_LIMITS.maxUnauthenticated, onError = reportOnStderr } = options;
  const { handshakeTimeout = WEBSOCKET_LIMITS.handshakeTimeout } = options;
  const limits = withDefaults(options, DEFAULT_CONNECTION_LIMITS);
  if (options.authorize?.refuseMessage !== undefined)
    throw new TypeError('authorize.refuseMessage needs HTTP: over WebSocket, only connections are authorized');
  const handleProtocols = (offered: Set<string>) => (offered.has(subprotocol) ? subprotocol : false);
  const sockets = new WebSocketServer({ noServer: true, handleProtocols, ...socketOptions(limits) });
  const refusedSockets = new WebSocketServer({
    noServer: true,
    handleProtocols,
    ...socketOptions(limits),
    maxPayload: MAX_REFUSED_BYTES,
    clientTracking: false,
  });
  const shares = new Shares();
  const pending = new PendingSockets({ max: maxUnauthenticated, handshakeTimeout });
  const server = options.server ?? createServer(refusePlainHttp);
  const listeners = listenersOn(server);
  if (listeners.has(path))
    throw new Error(`listenWebSocket: the HTTP server has a WebSocket listener for ${path} already`);
  const onUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node leaves the socket without a listener, so a reset would end the process while no listener serves the path.
    socket.on('error', ignore);
    // The first of the listeners of this library refuses what none of them serves, unless others can serve it.
    const [first] = listeners.keys();
    const refusesOthers = first === path && server.listenerCount('upgrade') === listeners.size;
    const isServed = (target: string) => listeners.has(target);
    const upgrade = { request, socket: socket as Socket, head, isServed, refusesOthers };
    admit(upgrade, { sockets, refusedSockets, pending, shares, limits, options }).catch((error: unknown) => {
      socket.destroy();
      reportError(error, onError);
    });
  };
  listeners.set(path, onUpgrade);
  server.on('upgrade', onUpgrade);
  if (options.server === undefined) {
    server.on('connection', (socket) => pending.add(socket));
    await startListening(server, options.listener ?? { host, port });
    server.on('error', (error) => reportError(error, onError));
  }
  const stopPinging = pingInterval > 0 ? pingAll(sockets, pingInterval) : () => {};
  return {
    get port() {
      return portOf(options.listener ?? server);
    },
    get url() {
      return urlOf(options.listener ?? server, path);
    },
    close: async () => {
      stopPinging();
      if (listeners.get(path) === onUpgrade) listeners.delete(path);
      server.off('upgrade', onUpgrade);
      pending.destroyAll();
      await closeAll(sockets);
      if (options.server === undefined) await stopListening(server, options.listener);
    },
  };
}

const listenersOfServers = new WeakMap<Server, Map<string, object>>();

/** The listeners of this library on an HTTP server by their paths, the oldest first. */
function listenersOn(server: Server): Map<string, object> {
  const listeners = listenersOfServers.get(server) ?? new Map();
  listenersOfServers.set(server, listeners);
  return listeners;
}

function ignore(): void {}

function portOf(server: NetServer): number {
  const address = addressOf(server);
  if (typeof address !== 'string') return address.port;
  throw new Error(`The HTTP server listens on the Unix socket ${address}, which has no port`);
}

function urlOf(server: NetServer, path: string): string {
  const address = addressOf(server);
  if (typeof address === 'string') return `ws+unix:${address}:${path}`;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `ws://${host}:${address.port}${path}`;
}

function addressOf(server: NetServer) {
  const address = server.address();
  if (address !== null) return address;
  throw new Error("The HTTP server does not listen yet. Read port and url after its 'listening' event");
}

function refusePlainHttp(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(426, { 'Content-Type': 'text/plain; charset=utf-8', Upgrade: 'websocket', Connection: 'Upgrade' });
  response.end('This address accepts only WebSocket connections\n');
}

/** One timer for all sockets. A socket that has not responded to the last ping by the next one is terminated. */
function pingAll(sockets: WebSocketServer, interval: number): () => void {
  const unseen = new WeakSet<WebSocket>();
  const timer = setInterval(() => {
    for (const socket of sockets.clients) {
      if (unseen.has(socket)) {
        socket.terminate();
        continue;
      }
      unseen.add(socket);
      socket.once('pong', () => unseen.delete(socket));
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
