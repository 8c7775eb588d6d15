import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Connection } from '../../jsonrpc/connection.ts';
import type { ConnectionLimits } from '../../jsonrpc/limits.ts';
import { type CallerRules, refuseCaller } from '../loopback.ts';
import { clip, FrameConnection } from './frame-connection.ts';
import type { PendingSockets } from './pending-sockets.ts';

export interface AdmissionOptions extends CallerRules {
  /** Takes each new connection; called when the handshake is done. */
  readonly accept: (connection: Connection, request: IncomingMessage) => void;
  /** Default `/`. */
  readonly path?: string;
  /** Whether a client may connect; asked after Host, Origin and path are checked. */
  readonly authorize?: (request: IncomingMessage) => boolean | Promise<boolean>;
  /** How a client is refused: with an HTTP status (default), or with an accepted socket closed with 1008. */
  readonly refusal?: 'http' | 'close';
  /** More clients than this get status 503. Default 1024. */
  readonly maxConnections?: number;
  /** Gets what `accept` and `authorize` throw. Default: written to stderr. */
  readonly onError?: (error: Error) => void;
}

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  /** Whether this listener is the only one that handles upgrades on the HTTP server. */
  readonly isOnly: boolean;
}

export interface Admission {
  /** Tracks the admitted clients. */
  readonly sockets: WebSocketServer;
  /** Completes the handshakes of clients that are refused with a close frame. */
  readonly refusedSockets: WebSocketServer;
  readonly pending: PendingSockets;
  readonly limits: Required<ConnectionLimits>;
  readonly options: AdmissionOptions;
}

const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

/** Handles one upgrade request. Rejects with what a callback of the options throws. */
export async function admit(upgrade: Upgrade, admission: Admission): Promise<void> {
  const { sockets, refusedSockets, pending, limits, options } = admission;
  const { request, socket, head } = upgrade;
  const path = pathOf(request.url ?? '');
  if (path !== (options.path ?? '/') && !upgrade.isOnly) return;
  pending.add(socket);
  const refuse = (status: number, why: string) => {
    pending.refused(socket);
    writeRefusal(socket, status, why);
  };
  if (path === undefined) return refuse(400, 'The request target is not valid');
  if (path !== (options.path ?? '/')) return refuse(404, `Nothing is served at ${path}`);
  const flaw = refuseCaller(request, options);
  if (flaw !== undefined) return refuse(403, flaw);
  let isAuthorized: boolean;
  try {
    isAuthorized = options.authorize === undefined || (await options.authorize(request));
  } catch (error) {
    refuse(500, 'The authorization failed on the server');
    throw error;
  }
  if (socket.destroyed) return;
  if (!isAuthorized) {
    const why = 'Unauthorized: the token is missing or wrong';
    if (options.refusal !== 'close') return refuse(401, why);
    pending.refused(socket);
    refusedSockets.handleUpgrade(request, socket, head, (webSocket) => closeRefused(webSocket, why));
    return;
  }
  const { maxConnections = 1024 } = options;
  if (sockets.clients.size >= maxConnections) return refuse(503, `Connection limit reached (${maxConnections})`);
  sockets.handleUpgrade(request, socket, head, (webSocket) => {
    pending.remove(socket);
    const connection = new FrameConnection(webSocket, socket, 'server', limits);
    try {
      options.accept(connection, request);
    } catch (error) {
      webSocket.close(INTERNAL_ERROR, 'The server failed to accept the connection');
      throw error;
    }
  });
}

/** The path of a request target; undefined if the target is not valid. */
function pathOf(target: string): string | undefined {
  if (target.startsWith('/')) return target.slice(0, /[?#]|$/.exec(target)?.index);
  return URL.canParse(target) ? new URL(target).pathname : undefined;
}

function closeRefused(webSocket: WebSocket, why: string): void {
  webSocket.on('error', () => {}); // `close` follows
  webSocket.close(POLICY_VIOLATION, clip(why));
}

function writeRefusal(socket: Socket, status: number, why: string): void {
  const body = `${why}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
