import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { initialize, RawSession } from '../../../../../testing/raw-session.ts';
import { closeAfterwards, serve, serveWith, textOf } from '../../../../../testing/serve.ts';
import type { Connection } from '../../../../jsonrpc/connection.ts';
import type { Authorize } from '../../../authorization.ts';
import { memoryStore } from '../../stores/memory.ts';
import { serveHttp } from './serve.ts';

describe('serveHttp', () => {
  it('listens on 127.0.0.1 alone, at a free port, and says where', async () => {
    const { listener } = await serve();
    expect(listener.url).toBe(`http://127.0.0.1:${listener.port}/mcp`);
    const [one, two] = [await serve({ host: '::1', path: '/x' }), await serve({ host: 'localhost' })];
    expect(one.listener.url).toBe(`http://[::1]:${one.listener.port}/x`);
    expect(two.listener.port).toBeGreaterThan(0);
  });

  it('rejects when the port is taken', async () => {
    const { listener } = await serve();
    await expect(serve({ port: listener.port })).rejects.toThrow('EADDRINUSE');
  });

  it('listens on a unix socket for this user alone, where Host and Origin mean nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hawser-http-'));
    closeAfterwards(async () => rmSync(folder, { recursive: true }));
    const socketPath = join(folder, 'mcp.sock');
    const { listener, http } = await serve({ socketPath });
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
    expect(listener.port).toBe(0);
    expect(listener.url).toBe(`unix:${socketPath}:/mcp`);
    const session = await RawSession.open(http);
    expect(textOf(await session.ask('tools/call', { name: 'echo', arguments: {} }))).toBe('{}');
    expect((await http.post(initialize(), { Host: 'whatever', Origin: 'http://evil.example.com' })).status).toBe(200);
    await listener.close();
    expect(() => statSync(socketPath)).toThrow('ENOENT');
  });

  it('takes over a port on which a net.Server listens, with a socket that was accepted before', async () => {
    const before = createServer();
    await once(before.listen(0, '127.0.0.1'), 'listening');
    const { port } = before.address() as AddressInfo;
    const early = connect(port, '127.0.0.1').setEncoding('utf8');
    const [accepted] = (await once(before, 'connection')) as [Socket];
    early.write('GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    await once(accepted, 'readable');
    const { listener, http } = await serve({ listener: before });
    before.emit('connection', accepted);
    const [response] = await once(early, 'data');
    expect(response).toMatch(/^HTTP\/1\.1 4\d\d /);
    early.destroy();
    expect(listener.url).toBe(`http://127.0.0.1:${port}/mcp`);
    const session = await RawSession.open(http);
    expect(textOf(await session.ask('tools/call', { name: 'echo', arguments: {} }))).toBe('{}');
    await listener.close();
    const [refused] = await once(connect(port, '127.0.0.1'), 'error');
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('takes over a unix socket, and removes its file when it closes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hawser-http-'));
    closeAfterwards(async () => rmSync(folder, { recursive: true }));
    const path = join(folder, 'mcp.sock');
    const before = createServer();
    await once(before.listen(path), 'listening');
    const { listener, http } = await serve({ listener: before, socketPath: path });
    expect(listener.url).toBe(`unix:${path}:/mcp`);
    expect((await http.post(initialize(), { Host: 'whatever' })).status).toBe(200);
    await listener.close();
    expect(() => statSync(path)).toThrow('ENOENT');
  });

  it('says so when the net.Server that it is given does not listen', async () => {
    await expect(serve({ listener: createServer() })).rejects.toThrow('this net.Server does not listen yet');
  });

  it('sends 503 for an initialize whose session the server closes at once', async () => {
    const { http } = await serveWith(async (server) => {
      const connect = (connection: Connection) => connection.close();
      return serveHttp({ connect, respond: server.respond.bind(server), reportError: () => {} });
    });
    expect((await http.post(initialize())).status).toBe(503);
  });
});

describe('connections without a token', () => {
  /** Settles when the server has accepted it. */
  const open = async (port: number, sent = '') => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    socket.write(sent);
    return socket;
  };
  const authorize: Authorize = ({ headers }) => (headers.authorization === 'Bearer good' ? { id: 'agent' } : undefined);
  const headers = { Authorization: 'Bearer good' };

  it('are few: one more closes the oldest, and clients with a token find a place', async () => {
    const { listener, http } = await serve({ authorize, maxConnections: 20, maxUnauthenticated: 4 });
    const halves = ['', 'POST /mcp HTT', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{'];
    const first = await open(listener.port);
    const closed = once(first, 'close');
    const sockets = [first];
    for (let count = 0; count < 40; count += 1) sockets.push(await open(listener.port, halves[count % halves.length]));
    await closed;
    expect((await http.post(initialize(), headers)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('count no more once a request was authorized', async () => {
    const { listener } = await serve({ authorize, maxUnauthenticated: 1 });
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const post = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${ping.length}\r\n\r\n${ping}`;
    const authorized = await open(listener.port, post);
    await once(authorized, 'data');
    const others = [await open(listener.port), await open(listener.port)];
    await once(others[0] as Socket, 'close');
    authorized.write(post);
    expect(String(await once(authorized, 'data'))).toContain('Mcp-Session-Id is missing');
    for (const socket of [authorized, ...others]) socket.destroy();
  });
});

describe('an open stream', () => {
  it('gets a comment now and then, so that no proxy closes it', async () => {
    const { http, calls } = await serve({ keepAliveMs: 5 });
    const session = await RawSession.open(http);
    const running = session.call('held', {}, { _meta: { progressToken: 1 } });
    const { context, finish } = await calls.take();
    context.progress(1);
    for (const stream of [await session.listen(), await running]) {
      const blocks = [];
      while (blocks.length < 5) blocks.push(await stream.block());
      expect(blocks.slice(-2)).toEqual([{ comment: 'keep-alive' }, { comment: 'keep-alive' }]);
    }
    finish('done');
    expect(textOf((await (await running).messages()).at(-1))).toBe('done');
  });

  it('of a call that has not said anything stays free to become JSON', async () => {
    const { http, calls } = await serve({ keepAliveMs: 5 });
    const session = await RawSession.open(http);
    const stream = await session.listen();
    const running = session.call('held');
    const { finish } = await calls.take();
    for (let comments = 0; comments < 3; ) if ((await stream.block())?.comment) comments += 1;
    finish('done');
    expect((await running).headers['content-type']).toBe('application/json');
  });
});

describe('close', () => {
  it('ends everything: calls are aborted and get an error, streams end, connections close, and it may be called twice', async () => {
    const { http, listener, calls, until } = await serve();
    const [one, two] = [await RawSession.open(http), await RawSession.open(http)];
    const streams = [await one.listen(), await two.listen()];
    const running = one.call('held');
    const progressing = two.call('held', {}, { _meta: { progressToken: 1 } });
    const held = [await calls.take(), await calls.take()];
    for (const { context } of held) context.progress(1);
    const stateless = http.begin('POST', { 'Content-Type': 'application/json' });
    stateless.write('{');
    const broken = once(stateless, 'response').then(
      () => 'responded',
      () => 'broken',
    );
    const progress = await progressing;
    await Promise.all([listener.close(), listener.close()]);
    await listener.close();
    expect(await broken).toBe('broken');
    const closing = 'Internal error: closed before the response: The server is closing';
    for (const response of [await (await running).json(), (await progress.messages()).at(-1)]) {
      expect(response).toMatchObject({ error: { code: -32603, message: closing } });
    }
    for (const stream of streams) await stream.over();
    for (const { context } of held) expect(context.signal.aborted).toBe(true);
    await until((sessions) => sessions.size === 0);
    await expect(http.post(initialize())).rejects.toThrow('ECONNREFUSED');
  });

  it('of the server ends its sessions for good: calls get an error, then there is 404', async () => {
    const { http, server, calls } = await serve();
    const session = await RawSession.open(http);
    const stream = await session.listen();
    const running = session.call('held');
    await calls.take();
    await server.close();
    expect(await (await running).json()).toMatchObject({ error: { code: -32603 } });
    await stream.over();
    expect((await session.request('ping')).status).toBe(404);
    await RawSession.open(http); // but new ones may come
  });

  it('of one session by the server is the same for that one alone', async () => {
    const { http, server } = await serve();
    const [one, two] = [await RawSession.open(http), await RawSession.open(http)];
    const [first] = server.sessions;
    await first?.close('You have to go');
    expect((await one.request('ping')).status).toBe(404);
    expect((await two.request('ping')).status).toBe(200);
  });
});

describe('a session unused for long', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('ends: its next request gets 404', async () => {
    const { http, server } = await serve({ idleMs: 10_000 });
    const [used, unused] = [await RawSession.open(http), await RawSession.open(http)];
    vi.advanceTimersByTime(6000);
    await used.ask('ping');
    vi.advanceTimersByTime(6000);
    expect(server.sessions.size).toBe(1);
    expect((await unused.request('ping')).status).toBe(404);
    expect((await used.request('ping')).status).toBe(200);
  });

  it('lives on while it has an open stream or a call that runs', async () => {
    const { http, server, calls } = await serve({ idleMs: 10_000 });
    const [listening, calling] = [await RawSession.open(http), await RawSession.open(http)];
    const stream = await listening.listen();
    const running = calling.call('held');
    const { context, finish } = await calls.take();
    vi.advanceTimersByTime(60_000);
    expect(server.sessions.size).toBe(2);
    expect(context.signal.aborted).toBe(false);
    finish('after a minute');
    expect(textOf(await (await running).json())).toBe('after a minute');
    await stream.break();
    await calling.ask('ping'); // the server has noticed
    vi.advanceTimersByTime(60_000);
    expect(server.sessions.size).toBe(0);
    expect((await listening.request('ping')).status).toBe(404);
  });

  it('ends although a call of a client that disconnected still runs', async () => {
    const { http, calls, until } = await serve({ idleMs: 10_000 });
    const session = await RawSession.open(http);
    const pending = session.call('held', {}, { _meta: { progressToken: 1 } });
    const { context } = await calls.take();
    context.progress(1);
    await (await pending).break();
    expect((await http.post(initialize())).status).toBe(200); // the server has noticed
    vi.advanceTimersByTime(60_000);
    expect(context.signal.aborted).toBe(true);
    await until((sessions) => sessions.size === 0);
  });

  it('ends sooner if its client has had a stream and closed it', async () => {
    const { http, server } = await serve({ idleMs: 60_000, abandonedMs: 2000 });
    const [left, quiet] = [await RawSession.open(http), await RawSession.open(http)];
    const stream = await left.listen();
    vi.advanceTimersByTime(10_000);
    expect(server.sessions.size).toBe(2);
    await stream.break();
    await quiet.ask('ping'); // the server has noticed
    vi.advanceTimersByTime(3000);
    expect(server.sessions.size).toBe(1);
    expect((await left.request('ping')).status).toBe(404);
    expect((await quiet.request('ping')).status).toBe(200);
  });

  it('stays when its client leaves during a call; with cancelAfterMs the call is cancelled, unless it is resumed', async () => {
    const { http, calls } = await serve({ cancelAfterMs: 2000 });
    const session = await RawSession.open(http);
    /** A call whose client has closed the connection. */
    const left = async () => {
      const pending = session.call('held', {}, { _meta: { progressToken: 1 } });
      const { context } = await calls.take();
      context.progress(1);
      const response = await pending;
      const event = await response.event();
      await response.break();
      return { signal: context.signal, lastEventId: event?.id ?? '' };
    };
    const [lost, resumed] = [await left(), await left()];
    const stream = await session.listen(resumed.lastEventId);
    await session.ask('ping'); // the server has noticed
    vi.advanceTimersByTime(1000);
    expect(lost.signal.aborted).toBe(false);
    vi.advanceTimersByTime(9000);
    expect([lost.signal.aborted, resumed.signal.aborted]).toEqual([true, false]);
    await stream.break();
    await session.ask('ping');
    vi.advanceTimersByTime(10_000);
    expect(resumed.signal.aborted).toBe(true);
    expect((await session.request('ping')).status).toBe(200);
  });

  it('is forgotten when there are too many others', async () => {
    const { http, until } = await serve({ store: memoryStore({ maxSessions: 3 }) });
    const first = await RawSession.open(http);
    const others = [await RawSession.open(http), await RawSession.open(http)];
    await first.ask('ping');
    others.push(await RawSession.open(http));
    expect((await others[0]?.request('ping'))?.status).toBe(404);
    await until((sessions) => sessions.size === 3);
    for (const session of [first, ...others.slice(1)]) expect((await session.request('ping')).status).toBe(200);
  });
});
