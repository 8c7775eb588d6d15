import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseOtherUsers } from '@hawser/loopback-page/socket-owner';

/** Where the browser brings the response to a login. */
export interface RedirectListener {
  readonly redirectUrl: string;
  /** The URL of the response to the login with this state. Other requests are refused, and it goes on waiting. */
  response(state: string, signal: AbortSignal): Promise<URL>;
  /** Tells the user's browser what became of the login, and stops listening. */
  close(outcome: LoginOutcome): Promise<void>;
}

export type LoginOutcome = 'logged in' | 'failed';

const PATH = '/callback';
const MAX_CONNECTIONS = 32;
const REQUEST_TIMEOUT_MS = 10_000;
/** How long the page may take to reach the browser. */
const CLOSE_TIMEOUT_MS = 1000;

/** Listens on loopback; on any free port if `port` is 0. */
export async function listenForRedirect(port: number): Promise<RedirectListener> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', refuseOtherUsers);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: chosen } = server.address() as AddressInfo; // it listens on a port, so its address is not a path
  const origin = `http://127.0.0.1:${chosen}`;
  let expected: { readonly state: string; take(url: URL): void } | undefined;
  /** The browser waits for it until the login is over. */
  let waiting: ServerResponse | undefined;

  server.on('request', (request, response) => {
    // Refused, but sent all the same.
    if (request.socket.writableEnded) return;
    const url = redirectIn(request, origin);
    if (url === undefined) return answer(response, 404, 'Not found', 'There is nothing here.');
    if (expected === undefined || !isResponseTo(expected.state, url)) {
      return answer(response, 400, 'Not this login', 'This is not the response to the login that Hawser waits for.');
    }
    waiting = response;
    const { take } = expected;
    expected = undefined;
    take(url);
  });

  return {
    redirectUrl: `${origin}${PATH}`,
    response: (state, signal) =>
      new Promise((resolve, reject) => {
        if (waiting !== undefined) answerOutcome(waiting, 'failed');
        waiting = undefined;
        expected = { state, take: resolve };
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    close: async (outcome) => {
      expected = undefined;
      if (waiting !== undefined) answerOutcome(waiting, outcome);
      waiting = undefined;
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT_MS);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(timer);
    },
  };
}

/** Whether a URL is the response to the login with this state. */
export function isResponseTo(state: string, { searchParams }: URL): boolean {
  const [found = '', ...more] = searchParams.getAll('state').map((each) => Buffer.from(each));
  const wanted = Buffer.from(state);
  const isSame = found.length === wanted.length && timingSafeEqual(Buffer.from(found), wanted);
  return isSame && more.length === 0 && (searchParams.has('code') || searchParams.has('error'));
}

/** The URL of a request that a browser was redirected to. Another name of this machine, as in an attack by DNS, is none. */
function redirectIn({ method, url = '', headers }: IncomingMessage, origin: string): URL | undefined {
  if (method !== 'GET' || `http://${headers.host}` !== origin || !URL.canParse(url, origin)) return undefined;
  const redirected = new URL(url, origin);
  return redirected.origin === origin && redirected.pathname === PATH ? redirected : undefined;
}

function answerOutcome(response: ServerResponse, outcome: LoginOutcome): void {
  if (outcome === 'logged in') {
    answer(response, 200, 'You are logged in', 'You can close this page and go back to the terminal.');
  } else answer(response, 400, 'The login failed', 'The terminal says why. You can close this page.');
}

/** A page that loads nothing and runs nothing. */
function answer(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  });
  response.end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title} - Hawser</title>
<main><h1>${title}</h1><p>${text}</p></main>
`);
}
