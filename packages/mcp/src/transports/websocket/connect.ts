import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { describeValue, type OptionNames, requireKnownOptions } from '../../jsonrpc/argument-checks.ts';
import type { Connection } from '../../jsonrpc/connection.ts';
import { delayOf, startTimeout } from '../../jsonrpc/deadlines.ts';
import { ConnectionClosed, RequestTimeout } from '../../jsonrpc/errors.ts';
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS, withDefaults } from '../../jsonrpc/limits.ts';
import { FrameConnection, socketOptions } from './frame-connection.ts';

export interface ConnectWebSocketOptions extends ConnectionLimits {
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `['mcp']`. A server must choose one of them; offer none with `[]`. */
  readonly subprotocols?: readonly string[];
  /** Milliseconds for the handshake; 0 is no limit. Default 10 000. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

const NAMES: OptionNames<ConnectWebSocketOptions> = {
  ...DEFAULT_CONNECTION_LIMITS,
  headers: true,
  subprotocols: true,
  timeout: true,
  signal: true,
};

/** Opens a WebSocket. Rejects, saying why, when the server cannot be reached or refuses. */
export async function connectWebSocket(url: string | URL, options: ConnectWebSocketOptions = {}): Promise<Connection> {
  if (!URL.canParse(String(url)))
    throw new TypeError(`connectWebSocket takes a URL like ws://127.0.0.1:3001/, got ${describeValue(String(url))}`);
  requireKnownOptions('connectWebSocket', options, NAMES);
  return (await dial(String(url), options)).connection;
}

/** The connection and a promise of its end. */
export function dial(
  url: string,
  options: ConnectWebSocketOptions,
): Promise<{ readonly connection: Connection; readonly lost: Promise<void> }> {
  const { headers = {}, subprotocols = ['mcp'], timeout = 10_000, signal } = options;
  const limits = withDefaults(options, DEFAULT_CONNECTION_LIMITS);
  delayOf(timeout, 'timeout');
  signal?.throwIfAborted();
  const socket = new WebSocket(url, [...subprotocols], { headers, ...socketOptions(limits) });
  return new Promise((resolve, reject) => {
    // Not `handshakeTimeout` of ws, which starts again with every byte.
    const stopTimeout = startTimeout(timeout, 'timeout', () => {
      const why = `the handshake took more than ${timeout} ms`;
      fail(why, new RequestTimeout(why));
      socket.terminate();
    });
    let raw: Socket | undefined;
    const onAbort = () => {
      stopTimeout();
      reject(signal?.reason);
      socket.terminate();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const fail = (why: string, cause: Error) => {
      stopTimeout();
      signal?.removeEventListener('abort', onAbort);
      reject(new ConnectionClosed(`Could not connect to ${addressOf(url)}: ${why}`, { cause }));
    };
    socket.once('upgrade', (response) => {
      raw = response.socket ?? undefined; // null in Bun
    });
    socket.on('error', (error: NodeJS.ErrnoException) => fail(error.message || (error.code ?? error.name), error));
    socket.once('unexpected-response', (request, response) => {
      void readBody(response).then((body) => {
        const why = `refused with HTTP ${response.statusCode}${body === '' ? '' : `: ${body}`}`;
        fail(why, Object.assign(new Error(why), { status: response.statusCode }));
        request.destroy();
      });
    });
    socket.once('open', () => {
      stopTimeout();
      signal?.removeEventListener('abort', onAbort);
      const lost = new Promise<void>((done) => socket.once('close', () => done()));
      resolve({ connection: new FrameConnection(socket, raw, 'client', limits), lost });
    });
  });
}

const MAX_REASON_CHARS = 500;

async function readBody(response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk;
      if (text.length > MAX_REASON_CHARS) break;
    }
  } catch {
    // The part that was read is reported.
  }
  return text.slice(0, MAX_REASON_CHARS).trim();
}

/** For messages: without passwords and the query, which can be secret. */
export function addressOf(url: string): string {
  return Object.assign(new URL(url), { username: '', password: '', search: '', hash: '' }).href;
}
