import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import { Recorder } from '../../../testing/recorder.ts';
import type { Connection } from '../../jsonrpc/connection.ts';
import type { Message } from '../../jsonrpc/message.ts';
import { connectWebSocket } from './connect.ts';
import { type ListenWebSocketOptions, listenWebSocket, type WebSocketListener } from './listen.ts';

let listener: WebSocketListener;
afterEach(() => listener?.close());

/** Listens, and echoes every message back. */
async function listen(options: Partial<ListenWebSocketOptions> = {}): Promise<WebSocketListener> {
  listener = await listenWebSocket({ accept: echo, ...options });
  return listener;
}

function echo(connection: Connection): void {
  const ignore = () => {};
  const message = (arrived: Message) => connection.send(arrived);
  connection.start({ message, malformed: ignore, batch: ignore, refused: () => {}, ended: ignore, closed: ignore });
}

/** How a handshake ends: the status it is refused with and the body, or the close code, or the open socket. */
async function handshake(path = '', options: ClientOptions = {}, protocols: string[] = ['mcp']) {
  const socket = new WebSocket(`ws://127.0.0.1:${listener.port}${path}`, protocols, options);
  socket.on('error', () => {});
  const refused = once(socket, 'unexpected-response').then(async ([, response]) => {
    const body = (await (response as IncomingMessage).setEncoding('utf8').toArray()).join('');
    return { status: (response as IncomingMessage).statusCode, body };
  });
  return Promise.race([refused, once(socket, 'open').then(() => ({ socket }))]);
}

async function opened(path?: string, options?: ClientOptions, protocols?: string[]): Promise<WebSocket> {
  const outcome = await handshake(path, options, protocols);
  if (!('socket' in outcome)) throw new Error(`refused with ${outcome.status}: ${outcome.body}`);
  return outcome.socket;
}

describe('listenWebSocket', () => {
  it('listens on 127.0.0.1 alone, at a free port, and says where', async () => {
    const { url, port } = await listen();
    expect(url).toBe(`ws://127.0.0.1:${port}/`);
    const socket = await opened();
    socket.send('{"jsonrpc":"2.0","method":"hello"}');
    const [data] = await once(socket, 'message');
    expect(String(data)).toBe('{"jsonrpc":"2.0","method":"hello"}');
  });

  it('chooses the subprotocol mcp when offered and does without when not', async () => {
    await listen();
    expect((await opened('/', {}, ['other', 'mcp'])).protocol).toBe('mcp');
    expect((await opened('/', {}, [])).protocol).toBe('');
  });

  it('serves its own path alone, query strings aside', async () => {
    await listen({ path: '/mcp' });
    expect(await handshake('/')).toEqual({ status: 404, body: 'Nothing is served at /\n' });
    expect((await opened('/mcp?x=1')).readyState).toBe(WebSocket.OPEN);
  });

  it.each([
    [{ headers: { host: 'evil.example' } }, 'Host not allowed: evil.example\n'],
    [{ headers: { host: '127.0.0.1.evil.example:80' } }, 'Host not allowed: 127.0.0.1.evil.example:80\n'],
    [{ headers: { host: '[' } }, 'Host not allowed: [\n'],
    [{ origin: 'https://evil.example' }, 'Origin not allowed: https://evil.example\n'],
    [{ origin: 'null' }, 'Origin not allowed: null\n'],
    [{ origin: 'http://localhost.evil.example' }, 'Origin not allowed: http://localhost.evil.example\n'],
  ])('refuses a rebound name or a foreign page with 403: %j', async (options, body) => {
    await listen();
    expect(await handshake('/', options)).toEqual({ status: 403, body });
  });

  it.each([
    { headers: { host: 'localhost:1234' } },
    { headers: { host: '[::1]:80' } },
    { origin: 'http://localhost:3000' },
    { origin: 'http://127.0.0.1' },
    { origin: 'https://trusted.example' },
    { headers: { host: 'my-machine' } },
  ])('accepts loopback names and those that the options allow: %j', async (options) => {
    await listen({ allowedOrigins: ['https://trusted.example'], allowedHosts: ['my-machine'] });
    expect((await opened('/', options)).readyState).toBe(WebSocket.OPEN);
  });

  it('refuses an unauthorized client with 401 and says why', async () => {
    await listen({ authorize: async ({ headers }) => (headers['x-token'] === 'secret' ? { id: 'user' } : undefined) });
    expect(await handshake()).toEqual({ status: 401, body: 'Unauthorized: the token is missing or wrong\n' });
    expect((await opened('/', { headers: { 'X-Token': 'secret' } })).readyState).toBe(WebSocket.OPEN);
  });

  it('refuses an unauthorized client with close code 1008 when asked to', async () => {
    await listen({ authorize: () => undefined, refusal: 'close', accept: () => expect.unreachable() });
    const [code, reason] = await once(await opened(), 'close');
    expect([code, String(reason)]).toEqual([1008, 'Unauthorized: the token is missing or wrong']);
  });

  it('refuses a client with the status, the challenge and the message that `authorize` returns', async () => {
    await listen({
      authorize: () => ({ status: 403, wwwAuthenticate: 'Bearer error="insufficient_scope"', message: 'Read only' }),
    });
    const [, response] = await once(new WebSocket(listener.url), 'unexpected-response');
    expect((response as IncomingMessage).headers['www-authenticate']).toBe('Bearer error="insufficient_scope"');
    expect(await handshake()).toEqual({ status: 403, body: 'Read only\n' });
  });

  it('refuses with 503 when `authorize` can not tell, and reports the cause', async () => {
    const errors: Error[] = [];
    const cause = new Error('token store is down');
    await listen({ authorize: () => ({ status: 503, cause }), onError: (error) => errors.push(error) });
    expect(await handshake()).toEqual({ status: 503, body: 'Service Unavailable\n' });
    expect(errors).toEqual([cause]);
  });

  it('passes the principal on with every message', async () => {
    const principal = { id: 'ada', scopes: ['read'] };
    const received = new Recorder();
    await listen({ authorize: () => principal, accept: (connection) => connection.start(received) });
    const socket = await opened();
    socket.send('{"jsonrpc":"2.0","method":"one"}');
    socket.send('[{"jsonrpc":"2.0","method":"two"}]');
    await received.until(({ messages, batches }) => messages.length + batches.length === 2);
    expect(received.origins).toEqual([
      { principal, client: 'ada' },
      { principal, client: 'ada' },
    ]);
  });

  it('sends 500 when the authorization itself fails', async () => {
    await listen({ authorize: () => Promise.reject(new Error('token store is down')), onError: () => {} });
    expect(await handshake()).toEqual({ status: 500, body: 'The authorization failed on the server\n' });
  });

  it('lives on after a message beyond its limit, and closes with 1009 if one is more than 16 MiB larger', async () => {
    const received = new Recorder();
    await listen({ maxMessageBytes: 1000, accept: (connection) => connection.start(received) });
    const socket = await opened();
    socket.send('x'.repeat(1024 * 1024));
    socket.send('{"jsonrpc":"2.0","method":"one"}');
    await received.until(({ messages }) => messages.length === 1);
    expect(received.malformations).toMatchObject([
      { error: { message: 'Message is larger than the limit of 1000 bytes' } },
    ]);
    const closed = once(socket, 'close');
    socket.send('x'.repeat(16 * 1024 * 1024 + 1001));
    expect((await closed)[0]).toBe(1009);
  });

  it('refuses clients beyond its limit with 503', async () => {
    await listen({ maxConnections: 1 });
    const first = await opened();
    expect(await handshake()).toMatchObject({ status: 503 });
    const closed = once(first, 'close');
    first.close();
    await closed;
    expect((await opened()).readyState).toBe(WebSocket.OPEN);
  });

  it('drops a client that does not respond to pings, and keeps one that does', async () => {
    const received = new Recorder();
    let alive: Connection | undefined;
    await listen({
      pingInterval: 20,
      accept: (connection, { url }) => {
        if (url === '/?alive') alive = connection;
        connection.start(url === '/?alive' ? new Recorder() : received);
      },
    });
    const pending = await opened('/?alive');
    const pings = once(pending, 'ping');
    await opened('/?deaf', { autoPong: false });
    await received.until(({ closings }) => closings.length > 0);
    await pings;
    alive?.send({ jsonrpc: '2.0', method: 'still there' });
    const [data] = await once(pending, 'message');
    expect(String(data)).toContain('still there');
  });

  it('responds to plain HTTP with 426', async () => {
    const { port } = await listen();
    const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(426);
    response.resume();
  });

  it('plugs into an HTTP server that goes on without it', async () => {
    const server = createServer((_request, response) => response.end('plain'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await listen({ server, path: '/ws' });
    const socket = await opened('/ws');
    await Promise.all([once(socket, 'close'), listener.close()]);
    const { port } = server.address() as AddressInfo;
    const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
    expect((await response.setEncoding('utf8').toArray()).join('')).toBe('plain');
    await new Promise((resolve) => server.close(resolve));
  });

  it('takes over a port on which a net.Server listens, with a socket that was accepted before', async () => {
    const before = createNetServer();
    await once(before.listen(0, '127.0.0.1'), 'listening');
    const { port } = before.address() as AddressInfo;
    const accepting = once(before, 'connection') as Promise<[Socket]>;
    const early = new WebSocket(`ws://127.0.0.1:${port}/`, ['mcp']);
    const [accepted] = await accepting;
    await once(accepted, 'readable');
    const { url } = await listen({ listener: before });
    expect(url).toBe(`ws://127.0.0.1:${port}/`);
    before.emit('connection', accepted);
    await once(early, 'open');
    early.send('{"jsonrpc":"2.0","method":"hello"}');
    expect(String((await once(early, 'message'))[0])).toBe('{"jsonrpc":"2.0","method":"hello"}');
    expect((await opened()).readyState).toBe(WebSocket.OPEN);
    await listener.close();
    expect((await once(connect(port, '127.0.0.1'), 'error'))[0]).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('says so when the port is taken', async () => {
    const { port } = await listen();
    await expect(listenWebSocket({ accept: echo, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('tells its clients with 1001 that it is closing', async () => {
    await listen();
    const closed = once(await opened(), 'close');
    await listener.close();
    expect((await closed)[0]).toBe(1001);
  });
});

describe('connectWebSocket', () => {
  it('sends its headers and rejects with the status and the words of a refusal', async () => {
    const seen: unknown[] = [];
    await listen({
      authorize: ({ headers }) => {
        seen.push(headers['x-token']);
        return undefined;
      },
    });
    await expect(connectWebSocket(listener.url, { headers: { 'X-Token': 'wrong' } })).rejects.toThrow(
      `Could not connect to ${listener.url}: refused with HTTP 401: Unauthorized: the token is missing or wrong`,
    );
    expect(seen).toEqual(['wrong']);
  });

  it('rejects when no server listens', async () => {
    const { url } = await listen();
    await listener.close();
    await expect(connectWebSocket(url)).rejects.toThrow('ECONNREFUSED');
  });

  it('rejects with the reason when aborted, before or during the handshake', async () => {
    await listen({ authorize: () => new Promise(() => {}) });
    const controller = new AbortController();
    const connecting = connectWebSocket(listener.url, { signal: controller.signal });
    controller.abort(new Error('no patience'));
    await expect(connecting).rejects.toThrow('no patience');
    await expect(connectWebSocket(listener.url, { signal: controller.signal })).rejects.toThrow('no patience');
  });
});
