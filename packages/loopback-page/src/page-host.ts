import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connection } from '@hawser/mcp';
import { type Authorize, listenWebSocket } from '@hawser/mcp/websocket';
import type { PageTokens } from './page-tokens.ts';
import { refuseOtherUsers } from './socket-owner.ts';

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

export interface PageHostOptions {
  /** The name of the page's subprotocol and of its policy for trusted types. */
  readonly name: string;
  /** Of its WebSocket. */
  readonly channelPath: string;
  readonly files: ReadonlyMap<string, PageFile>;
  readonly tokens: PageTokens;
  /** 0 is any free port. */
  readonly port: number;
  /** Takes the connection of a page that has proved itself. Its messages have its token as their principal. */
  readonly accept: (connection: Connection) => void;
  readonly onError: (error: Error) => void;
}

export interface PageHost {
  /** Without a secret, such as `http://127.0.0.1:4000/`. */
  readonly url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const MAX_PAGES = 8;
/** Of the page; what the command sends can be as large as what a server sends. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_QUEUED_BYTES = 256 * 1024 * 1024;

/**
 * Serves the page on loopback. Its files are the same for everyone and hold no secret. All else goes by the WebSocket,
 * which needs a token. Every request needs the Host of this server, and its Origin if it has one.
 */
export async function servePage(options: PageHostOptions): Promise<PageHost> {
  const { name, channelPath, tokens, port, accept, onError } = options;
  const server = createServer((request, response) => answer(request, response, options));
  server.on('connection', refuseOtherUsers);
  server.listen(port, HOST);
  await once(server, 'listening');
  server.on('error', onError);
  const authorize: Authorize = ({ headers }) => {
    const refusal = refusalOf(headers as IncomingHttpHeaders, portOf(server));
    if (refusal !== undefined) return { status: 403, message: refusal };
    if (headers.origin === undefined) return { status: 403, message: 'Origin missing' };
    const token = tokens.redeem(proofIn(headers as IncomingHttpHeaders, name));
    return token === undefined ? { status: 401, message: 'The token is missing or wrong' } : { id: token };
  };
  const listener = await listenWebSocket({
    server,
    path: channelPath,
    subprotocol: name,
    maxConnections: MAX_PAGES,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    maxQueuedBytes: MAX_QUEUED_BYTES,
    // A page that is refused learns it from the close code; the status of an upgrade is hidden from pages.
    refusal: 'close',
    authorize,
    accept,
    onError,
  });
  return {
    url: `http://${HOST}:${portOf(server)}/`,
    close: async () => {
      await listener.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, { files, name }: PageHostOptions): void {
  const port = request.socket.localPort ?? 0;
  const refusal = refusalOf(request.headers, port);
  const [path = '/'] = (request.url ?? '/').split(/[?#]/, 1);
  const file = files.get(path);
  if (refusal !== undefined) answerText(response, 403, refusal);
  else if (file === undefined) answerText(response, 404, 'Nothing is served here');
  else if (request.method !== 'GET' && request.method !== 'HEAD') answerText(response, 405, 'Use GET');
  else {
    response.writeHead(200, {
      ...headersFor(name, port),
      'Content-Type': file.type,
      'Content-Length': file.bytes.length,
    });
    response.end(request.method === 'HEAD' ? undefined : file.bytes);
  }
}

function answerText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end(`${text}\n`);
}

/** Undefined if the Host, and the Origin if there is one, are those of this server. */
function refusalOf({ host, origin }: IncomingHttpHeaders, port: number): string | undefined {
  const hosts = [`${HOST}:${port}`, `localhost:${port}`];
  if (host === undefined || !hosts.includes(host)) return 'Host not allowed';
  return origin === undefined || origin === `http://${host}` ? undefined : 'Origin not allowed';
}

/** The subprotocol that is the page's secret. */
function proofIn(headers: IncomingHttpHeaders, name: string): string {
  const offered = headers['sec-websocket-protocol']?.split(',').map((each) => each.trim()) ?? [];
  return offered.find((each) => each !== name) ?? '';
}

/** The page loads nothing from elsewhere, runs no code but its own, and turns no text into HTML or code. */
function headersFor(name: string, port: number): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "worker-src 'self'",
      "img-src 'self' data:",
      'media-src data:',
      `connect-src ws://${HOST}:${port} ws://localhost:${port}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      `trusted-types ${name}`,
    ].join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  };
}

function portOf(server: Server): number {
  // It listens on a port, so its address is not a path.
  return (server.address() as AddressInfo).port;
}
