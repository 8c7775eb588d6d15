import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Shares } from '../../jsonrpc/in-flight.ts';
import type { ConnectionLimits } from '../../jsonrpc/limits.ts';
import { guard, reportError, reportOnStderr } from '../../jsonrpc/report-error.ts';
import type { Origin, Principal } from '../../protocol/origin.ts';
import { type Authorize, isPrincipal, type Refusal, refusalOf } from '../authorization.ts';
import { hostOfTarget, refuseCaller } from '../loopback.ts';
import { clip, FrameConnection } from './frame-connection.ts';
import type { ListenWebSocketOptions } from './listen.ts';
import type { PendingSockets } from './pending-sockets.ts';

/** Options of a listener under the same names, with their defaults. */
export const WEBSOCKET_LIMITS = {
  maxConnections: 1024,
  maxConnectionsPerClient: 512,
  maxUnauthenticated: 64,
  handshakeTimeout: 10_000,
} as const;

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  /** Whether a listener of this library on the HTTP server has this path. */
  readonly isServed: (path: string) => boolean;
  /** Whether this listener refuses requests for other paths. Else another one does. */
  readonly refusesOthers: boolean;
}

export interface Admission {
  /** Tracks the admitted clients. */
  readonly sockets: WebSocketServer;
  /** Completes the handshakes of clients that are refused with a close frame. */
  readonly refusedSockets: WebSocketServer;
  readonly pending: PendingSockets;
  /** The connections of each principal. */
  readonly shares: Shares;
  readonly limits: Required<ConnectionLimits>;
  readonly options: ListenWebSocketOptions;
}

const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;
const MESSAGES = {
  401: 'Unauthorized: the token is missing or wrong',
  403: 'Forbidden',
  503: 'Service Unavailable',
} as const;

/** Handles one upgrade request. Rejects with what `authorize` throws. */
export async function admit(upgrade: Upgrade, admission: Admission): Promise<void> {
  const { sockets, pending, shares, limits, options } = admission;
  const { path = '/', maxConnections = WEBSOCKET_LIMITS.maxConnections } = options;
  const { maxConnectionsPerClient = WEBSOCKET_LIMITS.maxConnectionsPerClient } = options;
  const { request, socket, head } = upgrade;
  const target = pathOf(request.url ?? '');
  if (target !== path && (!upgrade.refusesOthers || upgrade.isServed(target ?? ''))) return;
  pending.add(socket);
  if (target === undefined) return refuse(upgrade, pending, 400, 'The request target is not valid');
  if (target !== path) return refuse(upgrade, pending, 404, `Nothing is served at ${target}`);
  const host = hostOfTarget(request.url) ?? request.headers.host;
  const problem = refuseCaller({ headers: { host, origin: request.headers.origin } }, options);
  if (problem !== undefined) return refuse(upgrade, pending, 403, problem);
  const principal = options.authorize && (await authorized(options.authorize, upgrade, admission));
  if (socket.destroyed || (options.authorize && principal === undefined)) return;
  if (sockets.clients.size >= maxConnections) {
    return refuse(upgrade, pending, 503, `Connection limit reached (${maxConnections})`);
  }
  if (shares.of(principal?.id) >= maxConnectionsPerClient) {
    const why = `This client has ${maxConnectionsPerClient} connections (maxConnectionsPerClient). Close one first`;
    return refuse(upgrade, pending, 503, why);
  }
  const client = principal?.id ?? (socket as Partial<Socket>).remoteAddress;
  const origin: Origin = principal === undefined ? { client } : { client, principal };
  sockets.handleUpgrade(request, socket, head, (webSocket) => {
    pending.remove(socket);
    shares.add(principal?.id);
    webSocket.once('close', () => shares.remove(principal?.id));
    const connection = new FrameConnection(webSocket, socket, 'server', limits, origin);
    guard(
      () => options.accept(connection, request),
      (thrown) => {
        webSocket.close(INTERNAL_ERROR, 'The server failed to accept the connection');
        socket.destroySoon();
        reportError(thrown, options.onError ?? reportOnStderr);
      },
    );
  });
}

/** The principal; undefined when the client was refused. */
async function authorized(
  authorize: Authorize,
  upgrade: Upgrade,
  { refusedSockets, pending, options }: Admission,
): Promise<Principal | undefined> {
  const { request, socket, head } = upgrade;
  let refusal: Refusal;
  try {
    const outcome = await authorize({ method: request.method ?? 'GET', headers: request.headers });
    if (isPrincipal(outcome)) return outcome;
    refusal = refusalOf(outcome);
  } catch (error) {
    refuse(upgrade, pending, 500, 'The authorization failed on the server');
    throw error;
  }
  if (socket.destroyed) return undefined;
  const { status, wwwAuthenticate, cause } = refusal;
  const message = refusal.message ?? MESSAGES[status];
  if (options.refusal === 'close') {
    pending.refused(socket);
    refusedSockets.handleUpgrade(request, socket, head, (webSocket) => closeRefused(webSocket, message));
  } else refuse(upgrade, pending, status, message, wwwAuthenticate);
  if (cause !== undefined) reportError(cause, options.onError ?? reportOnStderr);
  return undefined;
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

function refuse({ socket }: Upgrade, pending: PendingSockets, status: number, why: string, challenge?: string): void {
  const body = `${why}\n`;
  pending.refused(socket);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      (challenge === undefined ? '' : `WWW-Authenticate: ${challenge}\r\n`) +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
