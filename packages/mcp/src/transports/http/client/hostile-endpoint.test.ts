import { afterEach, describe, expect, it } from 'vitest';
import { failOnEscapes } from '../../../../testing/fail-on-escapes.ts';
import { sender } from '../../../../testing/http-client.ts';
import { emptyResponse, jsonResponse, RawEndpoint, type RawRequest } from '../../../../testing/raw-endpoint.ts';
import { Recorder } from '../../../../testing/recorder.ts';
import { Client } from '../../../client/client.ts';
import type { Message } from '../../../jsonrpc/message.ts';
import { type ConnectHttpOptions, connectHttp } from './connect.ts';

failOnEscapes();

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function open(response: (request: RawRequest) => void, options: ConnectHttpOptions = {}) {
  const endpoint = await RawEndpoint.open(response);
  cleanUp.push(() => endpoint.close());
  const connection = connectHttp(endpoint.url, { ...sender, ...options });
  cleanUp.push(() => connection.close());
  const received = new Recorder();
  connection.start(received);
  return { endpoint, connection, received };
}

const ask = (id: number, method = 'tools/call'): Message => ({ jsonrpc: '2.0', id, method, params: {} });
const result = ({ message }: RawRequest, value: object = {}, headers = '') =>
  jsonResponse({ jsonrpc: '2.0', id: message.id, result: value }, headers);

/** Opens a session; other requests than those of the handshake are for the test. */
async function openSession(response: (request: RawRequest) => void, options: ConnectHttpOptions = {}) {
  const parts = await open((request) => {
    const { method } = request.message;
    if (method === 'initialize')
      request.socket.write(result(request, { protocolVersion: '2025-11-25' }, 'Mcp-Session-Id: s\r\n'));
    else if (method === 'notifications/initialized') request.socket.write(emptyResponse(202));
    else response(request);
  }, options);
  parts.connection.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: {} });
  await parts.received.until(({ messages }) => messages.length === 1);
  parts.connection.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return parts;
}

describe('a connection that breaks while a request is under way', () => {
  it('fails a POST, and it is not sent again', async () => {
    const { endpoint, connection, received } = await open((request) => {
      if (request.message.id === 1) request.socket.write(result(request));
      else request.socket.resetAndDestroy();
    });
    connection.send(ask(1));
    await received.until(({ messages }) => messages.length === 1);
    await new Promise((resolve) => setImmediate(resolve)); // the connection is free again
    connection.send(ask(2));
    await received.until(({ refusals }) => refusals.length === 1);
    expect(received.refusals[0]).toMatchObject({
      id: 2,
      reason: { name: 'NetworkError', message: expect.stringContaining('Lost the connection to '), code: 'ECONNRESET' },
    });
    expect(new Set(endpoint.requests.map(({ socket }) => socket)).size).toBe(1); // it was a connection used before
    expect(endpoint.requests.map(({ message }) => message.id)).toEqual([1, 2]);
    connection.send(ask(1));
    await received.until(({ messages }) => messages.length === 2);
  });
});

describe('a server that responds without end', () => {
  const drip = ({ socket }: RawRequest, head: string) => {
    socket.write(head);
    const timer = setInterval(() => socket.write('x'), 20);
    socket.on('close', () => clearInterval(timer));
  };

  it('with a dripping 401 is reported, and not waited for', async () => {
    const { connection, received } = await open((request) =>
      drip(request, 'HTTP/1.1 401 No\r\nContent-Length: 100000\r\n\r\n'),
    );
    connection.send(ask(1));
    await received.until(({ refusals }) => refusals.length === 1);
    expect(received.refusals[0]?.reason).toMatchObject({ name: 'HttpError', status: 401 });
  });

  it('to the handshake is given up at the timeout, and its connection is closed', async () => {
    const { endpoint, connection } = await (async () => {
      const endpoint = await RawEndpoint.open((request) =>
        drip(request, 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n'),
      );
      cleanUp.push(() => endpoint.close());
      return { endpoint, connection: connectHttp(endpoint.url, sender) };
    })();
    await expect(
      new Client({ name: 'c', version: '1' }).connect(connection, { timeout: 200, maxTimeout: 600 }),
    ).rejects.toThrow(/got no response within (200|600) ms/);
    await expect.poll(() => endpoint.requests.every(({ socket }) => socket.destroyed)).toBe(true);
  });

  it.each([
    ['accepts a notification', 'HTTP/1.1 202 OK\r\nContent-Length: 100000\r\n\r\n'],
    ['redirects', 'HTTP/1.1 307 Go\r\nLocation: /mcp2\r\nContent-Length: 100000\r\n\r\n'],
  ])('when it %s keeps no connection', async (_, head) => {
    const { endpoint, connection } = await open((request) => drip(request, head));
    connection.send({ jsonrpc: '2.0', method: 'note' });
    await endpoint.until(() => endpoint.requests.length > 0);
    const { socket } = endpoint.requests[0] as RawRequest;
    await new Promise((resolve) => socket.once('close', resolve));
  });
});

describe('a server that', () => {
  it.each([
    ['with an upgrade', 'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
    ['without one', 'HTTP/1.1 101 Switching\r\n\r\n'],
  ])('responds to DELETE with 101 %s does not keep close from settling', async (_, response) => {
    const { connection, received } = await openSession(({ method, socket }) =>
      socket.write(method === 'DELETE' ? response : emptyResponse(405)),
    );
    await connection.close();
    expect(received.closings).toHaveLength(1);
  });

  it.each([
    [
      '101 with an upgrade',
      'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
      sender.fetch ? 'NetworkError' : 'HttpError',
    ],
    ['a status of 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n', 'HttpError'],
    ['a status of 204', 'HTTP/1.1 204 None\r\n\r\n', 'HttpError'],
    ['a redirect without a place', 'HTTP/1.1 307 Go\r\nContent-Length: 0\r\n\r\n', 'HttpError'],
    ['a redirect to an invalid URL', 'HTTP/1.1 308 Go\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n', 'HttpError'],
    ['a redirect to itself', 'HTTP/1.1 307 Go\r\nLocation: /mcp\r\nContent-Length: 0\r\n\r\n', 'HttpError'],
    ['bytes that are not HTTP', 'hello\r\n\r\n', 'NetworkError'],
    ['giant headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, 'NetworkError'],
    [
      'a broken chunk',
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'NetworkError',
    ],
    [
      'a broken chunk of events',
      'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n: x\r\nzz\r\n',
      'NetworkError',
    ],
    ['no content type', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'InvalidResponse'],
    ['JSON of another kind', jsonResponse(5), 'InvalidResponse'],
    ['a batch of nonsense', jsonResponse([null, 5, {}]), 'HttpError'],
  ])('responds to a request with %s gets a clear error from the client', async (_, response, name) => {
    const { connection, received } = await open(({ socket }) => socket.write(response));
    connection.send(ask(1));
    await received.until(({ refusals }) => refusals.some(({ id }) => id === 1));
    expect(received.refusals.find(({ id }) => id === 1)?.reason.name).toBe(name);
  });

  it('asks for reconnects without delay is contacted at a falling rate', async () => {
    const { endpoint } = await openSession(({ method, socket }) => {
      if (method !== 'GET') return;
      const event = 'id: 1\nretry: 0\ndata: {"jsonrpc":"2.0","method":"note"}\n\n';
      socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n${event}`);
    });
    const times: number[] = [];
    const gets = () => endpoint.requests.filter(({ method }) => method === 'GET').length;
    for (let n = 1; n <= 7; n += 1) {
      await endpoint.until(() => gets() >= n);
      times.push(performance.now());
    }
    // 10, 20, 40, 80, 160 and 320 ms.
    expect((times[6] as number) - (times[0] as number)).toBeGreaterThan(600);
  });

  it('gives an event id that is not ASCII gets it back when the stream is resumed', async () => {
    let gets = 0;
    const { endpoint, received } = await openSession(({ method, socket }) => {
      if (method !== 'GET') return;
      gets += 1;
      const event = `id: ✓\nretry: 1\ndata: {"jsonrpc":"2.0","method":"note${gets}"}\n\n`;
      socket.end(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n${event}`);
    });
    await received.until(({ messages }) => messages.some(({ method }) => method === 'note2'));
    expect(endpoint.requests.length).toBeGreaterThan(3);
  });

  it('floods the client with requests gets at most 16 responses at once', async () => {
    let most = 0;
    let open = 0;
    let responded = 0;
    const { connection, received, endpoint } = await openSession(({ method, message, socket }) => {
      if (method === 'GET') {
        const ping = (n: number) => `data: {"jsonrpc":"2.0","id":"p${n}","method":"ping"}\n\n`;
        const events = Array.from({ length: 200 }, (_, n) => ping(n)).join('');
        socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n${events}`);
      } else if (message.method === undefined && method === 'POST') {
        open += 1;
        most = Math.max(most, open);
        setImmediate(() => {
          open -= 1;
          responded += 1;
          socket.write(emptyResponse(202));
        });
      } else socket.write(emptyResponse(200));
    });
    await received.until(({ messages }) => messages.filter(({ method }) => method === 'ping').length === 200);
    for (let n = 0; n < 200; n += 1) connection.send({ jsonrpc: '2.0', id: `p${n}`, result: {} });
    await endpoint.until(() => endpoint.requests.filter(({ body }) => body.includes('"result"')).length === 200);
    expect(most).toBeLessThanOrEqual(16);
    await connection.drained();
    expect(responded).toBeGreaterThan(0);
  });

  it('never responds to the initialize of a new session fails the request in time', async () => {
    let initialized = 0;
    const endpoint = await RawEndpoint.open((request) => {
      const { method } = request.message;
      if (method === 'initialize') {
        initialized += 1;
        if (initialized === 1)
          request.socket.write(result(request, { protocolVersion: '2025-11-25' }, 'Mcp-Session-Id: s\r\n'));
      } else if (request.method === 'GET') request.socket.write(emptyResponse(405));
      else if (request.message.id === undefined) request.socket.write(emptyResponse(202));
      else request.socket.write(emptyResponse(404));
    });
    cleanUp.push(() => endpoint.close());
    const connection = connectHttp(endpoint.url, { ...sender, acceptTimeout: 100 });
    cleanUp.push(() => connection.close());
    const received = new Recorder();
    connection.start(received);
    connection.send(ask(1, 'initialize'));
    await received.until(({ messages }) => messages.length === 1);
    connection.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    connection.send(ask(2));
    await received.until(({ refusals }) => refusals.length === 1);
    expect(received.refusals[0]).toMatchObject({
      id: 2,
      reason: { message: expect.stringContaining('initialize got no response within 100 ms') },
    });
  });
});

it('more requests than connections wait for a free one, and control messages do not wait behind them', async () => {
  const waiting: RawRequest[] = [];
  const { endpoint, connection, received } = await open(
    (request) => {
      if (request.message.id === undefined) request.socket.write(emptyResponse(202));
      else waiting.push(request);
    },
    { maxConnections: 2 },
  );
  for (const id of [1, 2, 3]) connection.send(ask(id));
  await endpoint.until(() => waiting.length === 2);
  connection.send({ jsonrpc: '2.0', method: 'note' });
  await endpoint.until(() => endpoint.requests.length === 3);
  expect(endpoint.requests.map(({ message }) => message.method)).toEqual(['tools/call', 'tools/call', 'note']);
  for (const request of waiting.splice(0)) request.socket.write(result(request));
  await endpoint.until(() => waiting.length === 1);
  for (const request of waiting) request.socket.write(result(request));
  await received.until(({ messages }) => messages.length === 3);
});
