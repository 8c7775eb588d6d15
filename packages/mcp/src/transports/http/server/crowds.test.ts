import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { RawResponse } from '../../../../testing/raw-http.ts';
import { POST_HEADERS } from '../../../../testing/raw-http.ts';
import { initialize, RawSession } from '../../../../testing/raw-session.ts';
import { serve, textOf } from '../../../../testing/serve.ts';

const STATELESS_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const STATELESS_HEADERS = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' };

const statelessListen = () => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true }, _meta: STATELESS_META },
});

const responses: RawResponse[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(responses.splice(0).map((response) => response.break()));
});

/** Open until the test is over. */
async function kept(pending: Promise<RawResponse>): Promise<RawResponse> {
  const response = await pending;
  responses.push(response);
  return response;
}

function rawPost(headers: Record<string, string>, body: string): string {
  const all = { Host: 'localhost', ...POST_HEADERS, ...headers, 'Content-Length': body.length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

function opened(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  return socket;
}

/** A subscription on a bare socket, of which there can be many. */
class RawListen {
  readonly #socket: Socket;
  text = '';
  #wake = () => {};

  constructor(port: number) {
    this.#socket = opened(port);
    this.#socket.setEncoding('utf8').on('data', (part: string) => {
      this.text += part;
      this.#wake();
    });
    this.#socket.write(rawPost(STATELESS_HEADERS, JSON.stringify(statelessListen())));
  }

  async until(said: string): Promise<void> {
    while (!this.text.includes(said)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async break(): Promise<void> {
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    this.#socket.destroy();
    await closed;
  }
}

describe('a client that never reads', () => {
  it('is cut off from its stream; others go on, and it can come back for what is still there', async () => {
    const { http, server } = await serve({ maxQueuedBytes: 100_000 });
    const [deaf, other] = [await RawSession.open(http), await RawSession.open(http)];
    const [unread, read] = [await deaf.listen(), await kept(other.listen())];
    const primed = await unread.block();
    unread.pause();
    const [toDeaf, toOther] = [...server.sessions];
    const text = 'x'.repeat(50_000);
    // More than any socket on the way will hold.
    for (let n = 0; n < 400; n += 1) {
      toDeaf?.notify('notifications/note', { n, text });
      await new Promise((resolve) => setImmediate(resolve));
    }
    toOther?.notify('notifications/note', { n: 1 });
    expect(await read.message()).toMatchObject({ params: { n: 1 } });
    expect(await other.ask('ping')).toMatchObject({ result: {} });
    unread.resume();
    expect(await unread.over()).toBe('broken');
    // The oldest are forgotten, the newest are there.
    expect((await deaf.listen(primed?.id)).status).toBe(404);
    toDeaf?.notify('notifications/note', { n: 400 });
    const back = await kept(deaf.listen());
    let last = await back.message();
    while (last.params.n < 400) last = await back.message();
    expect(last.params.n).toBe(400);
  });

  it('is cut off from the response to its call, which it can fetch when it reads again', async () => {
    const { http, calls } = await serve({ maxQueuedBytes: 100_000 });
    const session = await RawSession.open(http);
    const pending = session.call('held', {}, { _meta: { progressToken: 1 } });
    const { context, finish } = await calls.take();
    context.progress(0);
    const unread = await pending;
    const last = (await unread.event())?.id;
    unread.pause();
    for (let n = 1; n <= 400; n += 1) {
      context.progress(n, 1000, 'x'.repeat(5000));
      if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const large = 'at last'.repeat(100_000);
    finish(large);
    unread.resume();
    await unread.over();
    const messages = await (await session.listen(last)).messages();
    expect(messages).toHaveLength(401);
    expect(textOf(messages.at(-1)) === large).toBe(true);
  });

  it('but sends request after request on one connection is served no faster than it reads', async () => {
    const { http, listener, server } = await serve();
    const session = await RawSession.open(http);
    let served = 0;
    server.tool({ name: 'large' }, () => {
      served += 1;
      return 'x'.repeat(20_000);
    });
    const socket = opened(listener.port);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'large' } });
    socket.pause();
    socket.write(rawPost(session.headers, body).repeat(1000));
    for (let n = 0; n < 50; n += 1) expect(await session.ask('ping')).toMatchObject({ result: {} });
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThan(500);
    const all = new Promise<void>((resolve) => {
      const status = 'HTTP/1.1 200';
      let responses = 0;
      let rest = '';
      socket.on('data', (part: Buffer) => {
        const text = rest + part.toString('latin1');
        responses += text.split(status).length - 1;
        rest = text.slice(1 - status.length);
        if (responses === 1000) resolve();
      });
    });
    socket.resume();
    await all;
    expect(served).toBe(1000);
  });

  it('of its JSON responses is not waited for when the listener closes', async () => {
    const { http, listener, calls, until } = await serve();
    const session = await RawSession.open(http);
    const pending = session.call('held');
    const { finish } = await calls.take();
    finish('x'.repeat(20_000_000));
    const unread = await pending;
    unread.pause();
    await listener.close();
    unread.resume();
    expect(await unread.over()).toBe('broken');
    await until((sessions) => sessions.size === 0);
  });
});

describe('a client that goes away', () => {
  it('without waiting for its stateless requests has all of them cancelled, pipelined ones too', async () => {
    const { listener, calls, server } = await serve();
    const socket = opened(listener.port);
    const request = (id: number) => {
      const params = { name: 'held', _meta: STATELESS_META };
      const headers = { ...STATELESS_HEADERS, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'held' };
      return rawPost(headers, JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
    };
    socket.write([1, 2, 3].map(request).join(''));
    const held = [await calls.take(), await calls.take(), await calls.take()];
    const aborted = held.map(({ context }) => once(context.signal, 'abort'));
    expect(server.sessions.size).toBe(0);
    socket.destroy();
    await Promise.all(aborted);
  });

  it('before its request was looked at leaves nothing behind', async () => {
    let admit = () => {};
    const asked = new Promise<void>((resolve) => {
      admit = () => resolve();
    });
    let allow = (_principal: { id: string }) => {};
    const { http, until, server } = await serve({
      maxStreams: 1,
      authorize: ({ headers }) => {
        if (headers.authorization === undefined) return { id: 'ada' };
        admit();
        return new Promise<{ id: string }>((resolve) => {
          allow = resolve;
        });
      },
    });
    const session = await RawSession.open(http);
    const sending = http.begin('GET', { ...session.headers, Accept: 'text/event-stream', Authorization: 'slow' });
    const closed = new Promise((resolve) => sending.once('close', resolve));
    sending.end();
    await asked;
    sending.destroy();
    await closed;
    await session.ask('ping'); // the server has noticed
    allow({ id: 'ada' });
    await session.ask('ping');
    expect((await kept(session.listen())).status).toBe(200); // the one stream allowed is to be had
    await session.delete();
    await until((sessions) => sessions.size === 0);
    expect(server.sessions.size).toBe(0);
  });
});

describe('thousands of open streams', () => {
  it('are held up to a limit, the rest gets 503, and all others are served', async () => {
    const { http, listener, server } = await serve(
      { maxStreams: 2000, maxStreamsPerClient: 2000 },
      { limits: { maxInFlight: 3000 } },
    );
    const [one, two] = [await RawSession.open(http), await RawSession.open(http)];
    const stream = await kept(one.listen());
    const listen = () => http.post(statelessListen(), STATELESS_HEADERS);
    const listens = Array.from({ length: 1999 }, () => new RawListen(listener.port));
    for (const open of listens) await open.until('notifications/subscriptions/acknowledged');
    expect(listens.every(({ text }) => text.startsWith('HTTP/1.1 200 '))).toBe(true);
    for (const refused of [await listen(), await two.listen(), await listen()]) {
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ error: { code: -32000, message: 'Too many open streams' } });
    }
    // Calls, new sessions, and the streams that are open are as they were.
    for (const session of [one, two, await RawSession.open(http)]) {
      expect(await session.ask('ping')).toMatchObject({ result: {} });
    }
    const call = await two.call('count', {}, { _meta: { progressToken: 1 } });
    expect(await call.messages()).toHaveLength(5);
    server.tool({ name: 'new' }, () => '');
    expect(await stream.message()).toMatchObject({ method: 'notifications/tools/list_changed' });
    for (const open of listens) await open.until('notifications/tools/list_changed');
    // Room that becomes free is given away again.
    await listens[0]?.break();
    await one.ask('ping');
    expect((await kept(listen())).status).toBe(200);
  });

  it('that a client opened and left half open, without a request, are only connections', async () => {
    const { http, listener } = await serve();
    const halfOpen = Array.from({ length: 1000 }, () => opened(listener.port));
    await Promise.all(halfOpen.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    for (const socket of halfOpen) socket.write('POST /mcp HTTP/1.1\r\nHost: local');
    const session = await RawSession.open(http);
    expect(await session.ask('ping')).toMatchObject({ result: {} });
  });

  it('are only as many as maxConnections', async () => {
    const { http, listener } = await serve({ maxConnections: 10 });
    const held = Array.from({ length: 10 }, () => opened(listener.port));
    await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    await expect(http.post(initialize())).rejects.toThrow();
  });
});
