import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Recorder } from '../../../testing/recorder.ts';
import { runFrameCase, runHandshakeCase } from '../../../testing/websocket-fuzz.ts';
import type { Connection } from '../../jsonrpc/connection.ts';
import type { Authorize } from '../authorization.ts';
import { type ListenWebSocketOptions, listenWebSocket, type WebSocketListener } from './listen.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen(options: Partial<ListenWebSocketOptions> = {}): Promise<WebSocketListener> {
  const accept = (connection: Connection) => connection.start(new Recorder());
  const listener = await listenWebSocket({ accept, ...options });
  closers.push(() => listener.close());
  return listener;
}

/** A TCP connection that has sent an upgrade request for the target. */
async function upgrade(port: number, target = '/', headers = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  closers.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(
    `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${headers}\r\n`,
  );
  return socket;
}

async function statusOf(socket: Socket): Promise<number> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString())?.[1]);
}

async function openClient(listener: WebSocketListener, headers: Record<string, string> = {}): Promise<WebSocket> {
  const client = new WebSocket(listener.url, ['mcp'], { headers });
  closers.push(() => client.terminate());
  await once(client, 'open');
  return client;
}

const fail = (): never => {
  throw new Error('it failed');
};

describe('an upgrade request never ends the process', () => {
  it.each(['//', '///', '//x:99999', '/\\', '/%'])('the target %s is not found', async (target) => {
    const listener = await listen();
    expect(await statusOf(await upgrade(listener.port, target))).toBe(404);
    await openClient(listener);
  });

  it.each(['http://[', 'http://%/', 'x', '*'])('the target %s is a bad request', async (target) => {
    const listener = await listen();
    expect(await statusOf(await upgrade(listener.port, target))).toBe(400);
    await openClient(listener);
  });

  it('the target may be absolute, as proxies write it', async () => {
    const { port } = await listen({ path: '/mcp' });
    expect(await statusOf(await upgrade(port, 'http://127.0.0.1/mcp?x=1'))).toBe(101);
  });

  describe.each([
    ['throws', fail],
    ['rejects', async () => fail()],
  ])('a callback that %s goes to onError', (_, callback) => {
    const errors: string[] = [];
    const onError = (error: Error) => errors.push(error.message);

    it('`accept`, and the client is disconnected', async () => {
      const client = await openClient(await listen({ accept: callback, onError }));
      expect((await once(client, 'close'))[0]).toBe(1011);
      expect(errors.splice(0)).toEqual(['it failed']);
    });

    it('`authorize`, and the client gets 500', async () => {
      expect(await statusOf(await upgrade((await listen({ authorize: callback, onError })).port))).toBe(500);
      expect(errors.splice(0)).toEqual(['it failed']);
    });
  });

  it.each(Array.from({ length: 60 }, (_, seed) => seed))('handshake %i', runHandshakeCase);
  it.each(Array.from({ length: 60 }, (_, seed) => seed))('frames %i', runFrameCase);
});

describe('clients without a token do not lock others out', () => {
  const authorize: Authorize = ({ headers }) => (headers['x-token'] === 'good' ? { id: 'good' } : undefined);

  it.each(['http', 'close'] as const)('1100 that ignore their refusal (%s)', async (refusal) => {
    const listener = await listen({ authorize, refusal });
    const sockets: Socket[] = [];
    for (let n = 0; n < 1100; n += 1) sockets.push(await upgrade(listener.port));
    const client = await openClient(listener, { 'x-token': 'good' });
    expect(client.readyState).toBe(WebSocket.OPEN);
    const isOpen = (socket: Socket) => !socket.destroyed && !socket.readableEnded;
    for (const socket of sockets) socket.resume();
    while (sockets.filter(isOpen).length > 64) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(sockets.filter((socket) => !socket.closed).map((socket) => once(socket, 'close')));
    expect(client.readyState).toBe(WebSocket.OPEN);
  });

  it('200 that connect and send nothing', async () => {
    const listener = await listen({ authorize });
    const sockets = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = connect(listener.port, '127.0.0.1').on('error', () => {});
        closers.push(() => socket.destroy());
        await once(socket, 'connect');
        return socket;
      }),
    );
    await openClient(listener, { 'x-token': 'good' });
    await Promise.all(sockets.slice(0, 100).map((socket) => socket.closed || once(socket.resume(), 'close')));
  });

  it('one whose handshake takes too long is disconnected', async () => {
    const { port } = await listen({ authorize: () => new Promise(() => {}), handshakeTimeout: 20 });
    await once((await upgrade(port)).resume(), 'close');
  });

  it('authorized clients beyond the limit get 503, however many wait for authorization at once', async () => {
    const listener = await listen({
      maxConnections: 2,
      authorize: () => new Promise((done) => setImmediate(done, { id: 'user' })),
    });
    const sockets = await Promise.all([1, 2, 3, 4].map(() => upgrade(listener.port)));
    const statuses = await Promise.all(sockets.map(statusOf));
    expect(statuses.sort()).toEqual([101, 101, 503, 503]);
  });
});

describe('a principal', () => {
  it('has as many connections as it may, and others have theirs', async () => {
    const listener = await listen({
      maxConnectionsPerClient: 2,
      authorize: ({ headers }) => ({ id: String(headers['x-token']) }),
    });
    const first = await openClient(listener, { 'x-token': 'ada' });
    await openClient(listener, { 'x-token': 'ada' });
    await expect(openClient(listener, { 'x-token': 'ada' })).rejects.toThrow('503');
    await openClient(listener, { 'x-token': 'bob' });
    first.close();
    // The server learns a little later that the connection has closed.
    await expect
      .poll(() =>
        openClient(listener, { 'x-token': 'ada' }).then(
          () => 'open',
          () => 'refused',
        ),
      )
      .toBe('open');
  });
});

describe('a peer that does not read', () => {
  it('gets no pile of pongs for its pings, and one for the last when it reads again', async () => {
    const received = new Recorder();
    let raw: Socket | undefined;
    const listener = await listen({
      accept: (connection, request) => {
        raw = request.socket;
        connection.start(received);
      },
    });
    const client = await upgrade(listener.port);
    await statusOf(client);
    client.pause();
    const ping = Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125, 'p')]);
    const pings = Buffer.concat(Array(500).fill(ping));
    // 60 MB: more than the buffers of the system take.
    for (let n = 0; n < 1000; n += 1) {
      if (!client.write(pings)) await once(client, 'drain');
      expect(raw?.writableLength).toBeLessThan(1_000_000);
    }
    client.write(Buffer.concat([Buffer.from([0x89, 0x84, 0, 0, 0, 0]), Buffer.from('last')]));
    let end = '';
    client.setEncoding('latin1').on('data', (text: string) => {
      end = (end + text).slice(-200);
    });
    client.resume();
    while (!end.endsWith('last')) await once(client, 'data');
    expect(received.closings).toEqual([]);
  });

  it('leaves no listener behind for each wait until it has read', async () => {
    let accepted: { connection: Connection; socket: Socket } | undefined;
    const listener = await listen({
      accept: (connection, { socket }) => {
        connection.start(new Recorder());
        accepted = { connection, socket };
      },
    });
    const client = await openClient(listener);
    if (accepted === undefined) return expect.unreachable();
    const { connection, socket } = accepted;
    const listeners = () => ['drain', 'close'].map((event) => socket.listenerCount(event));
    const before = listeners();
    const text = 'x'.repeat(1_000_000);
    for (let n = 0; n < 20; n += 1) {
      connection.send({ jsonrpc: '2.0', method: 'flood', params: { text } });
      await Promise.all(Array.from({ length: 20 }, () => connection.drained()));
    }
    expect(listeners()).toEqual(before);
    client.terminate();
  });
});

describe('an HTTP server that was given', () => {
  function httpServer(): HttpServer {
    const server = createServer((_request, response) => response.end('plain'));
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    return server;
  }

  it('may begin to listen later; until then port and url say so', async () => {
    const server = httpServer();
    const listener = await listen({ server, path: '/ws' });
    const why = "The HTTP server does not listen yet. Read port and url after its 'listening' event";
    expect(() => listener.port).toThrow(why);
    expect(() => listener.url).toThrow(why);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await openClient(listener);
  });

  it('keeps its other upgrade listeners', async () => {
    const server = httpServer();
    const listener = await listen({ server, path: '/ws' });
    server.on('upgrade', (request, socket) => {
      if (request.url === '/other') socket.end('HTTP/1.1 418 Other\r\n\r\n');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    expect(await statusOf(await upgrade(listener.port, '/other'))).toBe(418);
    await openClient(listener);
  });

  it('can have several listeners: each serves its path, and other paths are not found', async () => {
    const server = httpServer();
    const [one, two] = [await listen({ server, path: '/one' }), await listen({ server, path: '/two' })];
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await openClient(one);
    await openClient(two);
    for (const target of ['/three', '//', 'http://[']) {
      expect(await statusOf(await upgrade(one.port, target))).toBe(target.startsWith('/') ? 404 : 400);
    }
    await one.close();
    expect(await statusOf(await upgrade(two.port, '/one'))).toBe(404);
    await openClient(two);
  });

  it('has one listener for a path at most, until that is closed', async () => {
    const server = httpServer();
    const listener = await listen({ server, path: '/ws' });
    await expect(listen({ server, path: '/ws' })).rejects.toThrow(
      'listenWebSocket: the HTTP server has a WebSocket listener for /ws already',
    );
    await listener.close();
    await listen({ server, path: '/ws' });
  });

  it('survives a client that resets the connection of an upgrade that no listener handles', async () => {
    const server = httpServer();
    const listener = await listen({ server, path: '/ws' });
    const seen = new Promise<Duplex>((resolve) => server.on('upgrade', (_request, socket) => resolve(socket)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = await upgrade(listener.port, '/other');
    const socket = await seen;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    // An error without a listener would be thrown in this process, and fail this file.
    client.resetAndDestroy();
    await closed;
    await openClient(listener);
  });
});
