import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { POST_HEADERS, type RawResponse, responseTo } from '../../../../testing/raw-http.ts';
import { initialize, RawSession } from '../../../../testing/raw-session.ts';
import { closeAfterwards, serve } from '../../../../testing/serve.ts';
import type { Authorize } from '../../authorization.ts';
import type { HttpStore } from '../store.ts';
import { memoryStore } from '../stores/memory.ts';
import { ByteBudget } from './bodies/byte-budget.ts';
import { HTTP_LIMITS, httpLimits } from './limits.ts';
import { readBody } from './node/node-call.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const MIB = 1024 * 1024;

/** An initialize of exactly this size. */
function initializeOf(bytes: number): string {
  const text = JSON.stringify(initialize());
  return text.replace('"clientInfo":{', `"clientInfo":{"x":"${'y'.repeat(bytes - text.length - 7)}",`);
}

// Their defaults are in the README, with which test/limits-table.test.ts compares them.
it('the limits are those given, then those of the preset, then the defaults', () => {
  expect(httpLimits({ maxStreams: 1 })).toEqual({ ...HTTP_LIMITS, maxStreams: 1 });
  expect(httpLimits({ preset: 'public', maxDepth: 7 })).toMatchObject({
    maxMessageBytes: MIB,
    maxStreamsPerClient: 16,
    maxDepth: 7,
    leaseMs: HTTP_LIMITS.leaseMs,
  });
});

describe('maxMessageBytes', () => {
  it('takes a body of 16 MiB and refuses one byte more', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    const padded = (bytes: number) => JSON.stringify(PING).padEnd(bytes);
    expect((await session.post(padded(HTTP_LIMITS.maxMessageBytes))).status).toBe(200);
    expect((await session.post(padded(HTTP_LIMITS.maxMessageBytes + 1))).status).toBe(413);
  });
});

describe('maxValues and maxDepth', () => {
  const params = (value: unknown) => JSON.stringify({ ...PING, params: { value } });
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  it('refuse a message beyond them with 400 and say which limit it was', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    expect((await session.post(params(Array(290_000).fill(0)))).status).toBe(200);
    const many = await session.post(params(Array(300_001).fill(0)));
    expect(many.status).toBe(400);
    expect((await many.json()).error.message).toBe('Message holds more than the limit of 300000 values');
    // The message and its params are two levels.
    const deep = (levels: number) => params(0).replace('"value":0', `"value":${nested(levels)}`);
    expect((await session.post(deep(998))).status).toBe(200);
    const deeper = await session.post(deep(999));
    expect(deeper.status).toBe(400);
    expect((await deeper.json()).error.message).toBe('Message is nested deeper than the limit of 1000 levels');
  });
});

describe('maxInitializeBytes', () => {
  it('takes an initialize of 64 KiB and refuses one byte more, with its id', async () => {
    const { http, server } = await serve();
    expect(initializeOf(65_536)).toHaveLength(65_536);
    expect((await http.post(initializeOf(65_536))).status).toBe(200);
    const refused = await http.post(initializeOf(65_537));
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({
      id: 'initialize',
      error: { message: 'initialize is larger than the limit of 65536 bytes' },
    });
    expect(server.sessions.size).toBe(1);
  });
});

describe('maxReceivingBytes', () => {
  it('counts messages that wait for the store', async () => {
    const kept = memoryStore();
    const waiting: (() => void)[] = [];
    let isSlow = false;
    const find: HttpStore['find'] = async (id) => {
      if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
      return kept.find(id);
    };
    const { http, listener } = await serve({ store: { ...kept, find }, maxReceivingBytes: 300_000 });
    const session = await RawSession.open(http);
    isSlow = true;
    const large = () => session.call('echo', { pad: 'x'.repeat(200_000) });
    const first = large();
    while (waiting.length < 1) await new Promise((resolve) => setImmediate(resolve));
    expect(listener.stats().receivingBytes).toBeGreaterThan(200_000);
    expect((await large()).status).toBe(503);
    isSlow = false;
    waiting[0]?.();
    expect((await first).status).toBe(200);
    expect(listener.stats().receivingBytes).toBe(0);
    expect((await large()).status).toBe(200);
  });

  it('counts the bodies that are being received, and frees them when they end or break off', async () => {
    const { http } = await serve({ maxReceivingBytes: 200_000, maxInitializeBytes: 1_000_000 });
    const body = JSON.stringify(initialize()).padEnd(100_000);
    const begin = () => {
      const sending = http.begin('POST', { ...POST_HEADERS, 'Transfer-Encoding': 'chunked' });
      return { sending, response: responseTo(sending) };
    };
    const send = () => {
      const { sending, response } = begin();
      sending.end(body);
      return response;
    };
    expect((await send()).status).toBe(200);
    const slow = begin();
    slow.sending.write(body);
    let refused = await send();
    while (refused.status === 200) refused = await send(); // until what is written has arrived
    expect(refused.status).toBe(503);
    expect(refused.headers.connection).toBe('close');
    slow.sending.end();
    expect((await slow.response).status).toBe(200);
    expect((await send()).status).toBe(200);
    const broken = begin();
    broken.sending.write(body);
    while ((await send()).status === 200);
    broken.response.catch(() => {});
    broken.sending.destroy();
    while ((await send()).status === 503);
  });

  it('a body in chunks of one byte takes about as much memory as its bytes', async () => {
    const { PassThrough } = await import('node:stream');
    const request = Object.assign(new PassThrough({ highWaterMark: 1 }), { headers: {} });
    const budget = new ByteBudget(3_000_000);
    const body = new Promise<{ kind: string }>((resolve) =>
      readBody(request as never, { maxBytes: 2_000_000, timeoutMs: 60_000, budget }, undefined, resolve),
    );
    const byte = Buffer.from('x');
    for (let n = 0; n < 1_000_000; n += 1) if (!request.write(byte)) await once(request, 'drain');
    expect(budget.take(3_000_000 - 2 * 1_048_576)).toBe(true); // at most twice the body is held
    request.end();
    expect(await body).toMatchObject({ kind: 'text', bytes: 1_000_000 });
  });
});

describe('maxQueuedBytes and maxTotalQueuedBytes', () => {
  /** Opens streams that are not read, and sends to them until the first is cut off. */
  async function unread(options: object, streams: number): Promise<RawResponse[]> {
    const { http, server } = await serve(options);
    const responses: RawResponse[] = [];
    for (let n = 0; n < streams; n += 1) {
      const stream = await (await RawSession.open(http)).listen();
      stream.pause();
      responses.push(stream);
    }
    closeAfterwards(async () => {
      for (const response of responses) await response.break();
    });
    const text = 'x'.repeat(100_000);
    for (let n = 0; n < 200; n += 1) {
      server.notifyAll('notifications/note', { n, text });
      await new Promise((resolve) => setImmediate(resolve));
    }
    return responses;
  }

  it('cut off a stream whose client does not read, and only that one', async () => {
    const [stream] = await unread({ maxQueuedBytes: 200_000 }, 1);
    stream?.resume();
    expect(await stream?.over()).toBe('broken');
  });

  it('count all streams together', async () => {
    const [one, two] = await unread({ maxQueuedBytes: 100 * MIB, maxTotalQueuedBytes: 1 * MIB }, 2);
    for (const stream of [one, two]) {
      stream?.resume();
      expect(await stream?.over()).toBe('broken');
    }
  });
});

describe('maxStallMs', () => {
  it('cuts off a client that reads nothing for that long, and none that reads', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    try {
      const { http, server } = await serve({ maxStallMs: 60_000, maxQueuedBytes: 100 * MIB, maxBurstBytes: 100 * MIB });
      const [stalled, reading] = await Promise.all([
        (await RawSession.open(http)).listen(),
        (await RawSession.open(http)).listen(),
      ]);
      stalled.pause();
      for (let n = 0; n < 100; n += 1) server.notifyAll('notifications/note', { n, text: 'x'.repeat(100_000) });
      for (let n = 0; n < 100; n += 1) expect(await reading.message()).toMatchObject({ params: { n } });
      vi.advanceTimersByTime(45_000);
      server.notifyAll('notifications/note', { n: 100 });
      expect(await reading.message()).toMatchObject({ params: { n: 100 } });
      vi.advanceTimersByTime(45_000);
      stalled.resume();
      expect(await stalled.over()).toBe('broken');
      server.notifyAll('notifications/note', { n: 101 });
      expect(await reading.message()).toMatchObject({ params: { n: 101 } });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('whole responses that a client does not read', () => {
  const LENGTH = 20 * MIB; // more than the system buffers

  /** Asks for large responses on connections that read nothing, and settles when the server has sent them. */
  async function unreadResponses(options: object, count: number) {
    const { listener, http, server } = await serve(options);
    let sent = 0;
    server.tool({ name: 'large' }, async () => {
      sent += 1;
      return 'x'.repeat(LENGTH);
    });
    const session = await RawSession.open(http);
    const clients: { socket: Socket; read: () => Promise<number> }[] = [];
    for (let n = 0; n < count; n += 1) {
      const socket = connect(listener.port, '127.0.0.1').pause();
      socket.on('error', () => {});
      const closed = once(socket, 'close');
      const request = { jsonrpc: '2.0', id: n + 10, method: 'tools/call', params: { name: 'large', arguments: {} } };
      const body = JSON.stringify(request);
      const headers = {
        ...POST_HEADERS,
        Host: 'localhost',
        'Mcp-Session-Id': session.id,
        'Content-Length': body.length,
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
      while (sent <= n) await new Promise((resolve) => setImmediate(resolve));
      const read = async () => {
        let bytes = 0;
        socket.on('data', (chunk) => {
          bytes += chunk.length;
          if (bytes > LENGTH) socket.destroy();
        });
        socket.resume();
        await closed;
        return bytes;
      };
      clients.push({ socket, read });
    }
    closeAfterwards(async () => {
      for (const { socket } of clients) socket.destroy();
    });
    return { http, clients };
  }

  it('are broken off after maxStallMs', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    try {
      const { clients, http } = await unreadResponses({ maxStallMs: 60_000 }, 1);
      await http.send('PUT');
      vi.advanceTimersByTime(90_000);
      expect(await clients[0]?.read()).toBeLessThan(LENGTH);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are kept within maxTotalQueuedBytes: the oldest is broken off', async () => {
    const { clients } = await unreadResponses({ maxTotalQueuedBytes: 50 * MIB }, 4);
    const [first, , , last] = clients;
    expect(await first?.read()).toBeLessThan(LENGTH);
    expect(await last?.read()).toBeGreaterThan(LENGTH);
  });
});

describe('bodyTimeoutMs', () => {
  it('is the time for a body to arrive; then it gets 408', async () => {
    const { http } = await serve({ bodyTimeoutMs: 100 });
    const sending = http.begin('POST', { ...POST_HEADERS, 'Transfer-Encoding': 'chunked' });
    sending.write('{');
    const response = await responseTo(sending);
    expect(response.status).toBe(408);
    expect((await response.json()).error.message).toBe('The body did not arrive within 100 ms');
    expect((await http.post(initialize())).status).toBe(200);
  });
});

describe('maxAuthorizing', () => {
  it('is the number of requests that wait for authorize; one more gets 503', async () => {
    const waiting: (() => void)[] = [];
    const authorize = () => new Promise<{ id: string }>((resolve) => waiting.push(() => resolve({ id: 'ada' })));
    const { http } = await serve({ authorize, maxAuthorizing: 2 });
    const responses = [http.post(initialize()), http.post(initialize())];
    while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const refused = await http.post(initialize());
    expect(refused.status).toBe(503);
    for (const admit of waiting.splice(0)) admit();
    for (const response of responses) expect((await response).status).toBe(200);
    const next = http.post(initialize());
    while (waiting.length < 1) await new Promise((resolve) => setImmediate(resolve));
    waiting[0]?.();
    expect((await next).status).toBe(200);
  });
});

describe('authorizeTimeoutMs', () => {
  it('is the time for authorize; then the request gets 503, and its place is free', async () => {
    const reports: string[] = [];
    const onError = ({ message }: Error) => void reports.push(message);
    let settle = (_: { id: string }) => {};
    const authorize: Authorize = ({ headers }) =>
      headers.authorization === 'good'
        ? Promise.resolve({ id: 'ada' })
        : new Promise((resolve) => {
            settle = resolve;
          });
    const { http } = await serve({ authorize, authorizeTimeoutMs: 20, maxAuthorizing: 1, onError });
    expect((await http.post(initialize())).status).toBe(503);
    expect(reports).toEqual(['authorize did not settle within 20 ms']);
    settle({ id: 'late' });
    expect((await http.post(initialize(), { Authorization: 'good' })).status).toBe(200);
  });
});

describe('maxBurstBytes', () => {
  it('leaves a client that reads its response, with the defaults, however much is sent in one go', async () => {
    const { http, server } = await serve();
    server.tool({ name: 'flood' }, (_args, context) => {
      for (let n = 0; n < 300; n += 1) context.progress(n, 300, 'x'.repeat(100_000));
      return 'done';
    });
    const session = await RawSession.open(http);
    const messages = await (await session.call('flood', {}, { _meta: { progressToken: 1 } })).messages();
    expect(messages.length).toBeLessThan(100); // 30 MB were sent, 8 MiB are the limit
    expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: 'done' }] } });
  });

  it('drops notifications that are sent in one go beyond it, and keeps the response', async () => {
    const { http, server } = await serve({ maxBurstBytes: 10_000 });
    server.tool({ name: 'burst' }, async (_args, context) => {
      for (let n = 0; n < 100; n += 1) context.progress(n, 100, 'x'.repeat(1000));
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      context.progress(100);
      return 'done';
    });
    const session = await RawSession.open(http);
    const messages = await (await session.call('burst', {}, { _meta: { progressToken: 1 } })).messages();
    const progress = messages.slice(0, -1).map(({ params }) => params.progress);
    expect(progress).toEqual([...Array(9).keys(), 100]);
    expect(messages.at(-1)).toMatchObject({ result: { content: [{ text: 'done' }] } });
  });
});

describe('memory', () => {
  it('of sessions opened with large initializes is bounded by the store', () => {
    const store = memoryStore({ maxTotalBytes: 1 * MIB });
    const state = { snapshot: { clientInfo: { name: 'x'.repeat(50_000) } } };
    for (let n = 0; n < 100; n += 1) store.create(`${n}`, state, { keepMs: 3_600_000 });
    const kept = Array.from({ length: 100 }, (_, n) => store.find(`${n}`)).filter((found) => found !== undefined);
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.length * 100_000).toBeLessThan(1 * MIB);
    expect(store.find('99')).toBeDefined();
  });

  it('of events is bounded for all sessions: the least recently used lose theirs first, and live on', () => {
    const store = memoryStore({ maxTotalBytes: 1 * MIB });
    for (let n = 0; n < 20; n += 1) store.create(`${n}`, {}, { keepMs: 3_600_000 });
    const first = Array.from({ length: 20 }, (_, n) =>
      String(store.append(`${n}`, 'a', { text: 'x'.repeat(50_000), last: false })),
    );
    const known = first.map((id, n) => store.locate(`${n}`, id) !== undefined);
    expect(known[0]).toBe(false);
    expect(known[19]).toBe(true);
    for (let n = 0; n < 20; n += 1) expect(store.find(`${n}`)).toBeDefined();
  });
});

describe('maxConnections', () => {
  it('is the most that serveHttp accepts; idle connections make room', async () => {
    const { listener, http } = await serve({ maxConnections: 2 });
    const idle = [connect(listener.port, '127.0.0.1'), connect(listener.port, '127.0.0.1')];
    closeAfterwards(async () => {
      for (const socket of idle) socket.destroy();
    });
    for (const socket of idle) {
      socket.on('error', () => {});
      socket.write('PUT /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
      await once(socket, 'data');
    }
    const closed = idle.map((socket) => once(socket, 'close'));
    await http.send('PUT').catch(() => {});
    await Promise.all(closed);
    expect((await http.send('PUT')).status).toBe(405);
  });
});
