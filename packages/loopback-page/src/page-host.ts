import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Connection } from '@hawser/mcp';
import { type Authorize, listenWebSocket } from '@hawser/mcp/websocket';
import type { PageAdmission } from './page-admission.ts';
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
  readonly admission: PageAdmission;
  /** 0 is any free port. */
  readonly port: number;
  /** For other machines. Default: this machine alone. */
  readonly network?: PageNetwork | undefined;
  /** Takes the connection of a page that was admitted. Its messages have its id as their principal. */
  readonly accept: (connection: Connection, page: AdmittedPage) => void;
  readonly onError: (error: Error) => void;
}

export interface AdmittedPage {
  readonly id: string;
  /** Where it is, such as `192.168.1.7`. */
  readonly address: string;
}

export interface PageNetwork {
  /** The address to listen on, such as `0.0.0.0`. */
  readonly host: string;
  /** The names by which other machines may call this one, the one for links first. */
  readonly names: readonly [string, ...string[]];
  /** A certificate and its key, as PEM. Without it nothing is encrypted. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

export interface PageHost {
  /** Without a secret, such as `http://127.0.0.1:4000/`. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const MAX_PAGES = 8;
/** Of the page; what the command sends can be as large as what a server sends. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
const MAX_QUEUED_BYTES = 256 * 1024 * 1024;
/** A page on a phone that is away is gone after two of them. */
const PING_MS = 20_000;

/**
 * Serves the page. Its files are the same for everyone and hold no secret. All else goes by the WebSocket, for which the page
 * has to be admitted. Every request needs a Host of this server, and its Origin if it has one.
 */
export async function servePage(options: PageHostOptions): Promise<PageHost> {
  const { name, channelPath, admission, network, onError } = options;
  const isCalled = new Set(['127.0.0.1', 'localhost', ...(network?.names ?? [])].map(asHost));
  const scheme = network?.tls === undefined ? 'http' : 'https';
  const caller = (headers: IncomingMessage['headers']) =>
    refusalOf(headers, { isCalled, scheme, port: portOf(server) });
  const compressed = compressor();
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const refusal = caller(request.headers);
    if (refusal !== undefined) answerText(response, 403, refusal);
    else
      answer(request, response, { ...options, compressed }).catch((error: Error) => {
        response.destroy();
        onError(error);
      });
  };
  const server: Server =
    network?.tls === undefined ? createServer(respond) : createTlsServer({ ...network.tls }, respond);
  if (network === undefined) server.on('connection', refuseOtherUsers);
  server.listen(options.port, network?.host ?? HOST);
  await once(server, 'listening');
  server.on('error', onError);
  /** By the headers of their requests. */
  const admitted = new WeakMap<object, string>();
  const authorize: Authorize = ({ headers }) => {
    const given = headers as IncomingMessage['headers'];
    const refusal = caller(given);
    if (refusal !== undefined) return { status: 403, message: refusal };
    if (given.origin === undefined) return { status: 403, message: 'Origin missing' };
    const id = admission.admit(given);
    if (id !== undefined) admitted.set(given, id);
    return id === undefined ? { status: 401, message: 'The token is missing or wrong' } : { id };
  };
  const listener = await listenWebSocket({
    server,
    path: channelPath,
    subprotocol: name,
    maxConnections: MAX_PAGES,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    maxQueuedBytes: MAX_QUEUED_BYTES,
    pingInterval: PING_MS,
    // Checked by `authorize`, more strictly.
    ...(network !== undefined && { allowedHosts: 'any' as const, allowedOrigins: 'any' as const }),
    // A page that is refused learns it from the close code; the status of an upgrade is hidden from pages.
    refusal: 'close',
    authorize,
    accept: (connection, request) => {
      const id = admitted.get(request.headers) ?? '';
      options.accept(connection, { id, address: request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '' });
    },
    onError,
  });
  return {
    url: `${scheme}://${asHost(network?.names[0] ?? HOST)}:${portOf(server)}/`,
    port: portOf(server),
    close: async () => {
      await listener.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { compressed, ...options }: PageHostOptions & { readonly compressed: (file: PageFile) => Promise<Buffer> },
): Promise<void> {
  const [path = '/'] = (request.url ?? '/').split(/[?#]/, 1);
  const answered = options.admission.answer?.(path, request, response);
  if (answered !== undefined) return await answered;
  const file = options.files.get(path);
  if (file === undefined) answerText(response, 404, 'Nothing is served here');
  else if (request.method !== 'GET' && request.method !== 'HEAD') answerText(response, 405, 'Use GET');
  else {
    const isCompressed = /\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '');
    const bytes = isCompressed ? await compressed(file) : file.bytes;
    response.writeHead(200, {
      ...headersFor(options, request),
      'Content-Type': file.type,
      'Content-Length': bytes.length,
      ...(isCompressed && { 'Content-Encoding': 'gzip' }),
      Vary: 'Accept-Encoding',
    });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  }
}

/** Compresses each file once. They hold no secret, so that their length tells nothing. */
function compressor(): (file: PageFile) => Promise<Buffer> {
  const done = new Map<PageFile, Promise<Buffer>>();
  return (file) => {
    const bytes = done.get(file) ?? promisify(gzip)(file.bytes, { level: 9 });
    done.set(file, bytes);
    return bytes;
  };
}

export function answerText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
  response.end(`${text}\n`);
}

interface Callable {
  readonly isCalled: ReadonlySet<string>;
  readonly scheme: string;
  readonly port: number;
}

/** Undefined if the Host, and the Origin if there is one, are those of this server. */
function refusalOf(
  { host, origin }: IncomingMessage['headers'],
  { isCalled, scheme, port }: Callable,
): string | undefined {
  const [, name = '', given = scheme === 'https' ? '443' : '80'] = /^(.+?)(?::(\d+))?$/.exec(host ?? '') ?? [];
  if (host === undefined || !isCalled.has(name.toLowerCase()) || Number(given) !== port) return 'Host not allowed';
  return origin === undefined || origin === `${scheme}://${host}` ? undefined : 'Origin not allowed';
}

/** An IPv6 address stands in brackets in a URL. */
function asHost(name: string): string {
  return name.includes(':') ? `[${name}]` : name.toLowerCase();
}

/** The page loads nothing from elsewhere, runs no code but its own, and turns no text into HTML or code. */
function headersFor(
  { name, network }: PageHostOptions,
  { headers: { host } }: IncomingMessage,
): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "worker-src 'self'",
      "img-src 'self' data:",
      'media-src data:',
      `connect-src 'self' ${network?.tls === undefined ? 'ws' : 'wss'}://${host}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      `trusted-types ${name}`,
    ].join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    // Browsers ignore it, and complain, where nothing is encrypted.
    ...((network === undefined || network.tls !== undefined) && { 'Cross-Origin-Opener-Policy': 'same-origin' }),
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  };
}

function portOf(server: Server): number {
  // It listens on a port, so its address is not a path.
  return (server.address() as AddressInfo).port;
}
