import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { runHttpCase } from '../../../../testing/http-fuzz.ts';
import { POST_HEADERS } from '../../../../testing/raw-http.ts';
import { initialize, RawSession } from '../../../../testing/raw-session.ts';
import { EVERYTHING, type Served, serve } from '../../../../testing/serve.ts';

/** Everything that the server sends until it closes the connection. */
async function exchange({ listener }: Served, bytes: string): Promise<string> {
  const socket = connect(listener.port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('error', () => {}).on('data', (part: Buffer) => parts.push(part));
  const closed = once(socket, 'close');
  socket.end(bytes, 'latin1');
  await closed;
  return Buffer.concat(parts).toString();
}

function post(target: string, body = JSON.stringify(initialize())): string {
  const headers = { Host: 'localhost', ...POST_HEADERS, 'Content-Length': body.length, Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

describe('a request target', () => {
  it.each([
    '//',
    '///',
    '//x:99999',
    'http://[',
    'http://%/',
    '*',
    '/%',
    '/mcp/',
    'x:y',
    '/\\',
    'http://localhost/other',
  ])('%s gets 404 or 400, and the server serves on', async (target) => {
    const served = await serve();
    expect(await exchange(served, post(target))).toMatch(/^HTTP\/1\.1 4(00|04) /);
    expect((await served.http.post(initialize())).status).toBe(200);
  });

  it('in absolute form is served by its path', async () => {
    const served = await serve();
    expect(await exchange(served, post('http://localhost/mcp'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exchange(served, post('http://localhost/mcp?x=1'))).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('a request for something else', () => {
  it.each([
    ['CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n', /^$/],
    ['GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', /^HTTP\/1\.1 405 /],
    [
      'GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n',
      /^HTTP\/1\.1 405 /,
    ],
    ['POST /mcp HTTP/1.1\r\nHost: localhost\r\nExpect: 200-ok\r\nContent-Length: 0\r\n\r\n', /^HTTP\/1\.1 417 /],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^HTTP\/1\.1 400 /],
    ['GET /mcp HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      /^HTTP\/1\.1 400 /,
    ],
  ])('%j gets a response or is dropped, and the server serves on', async (bytes, reply) => {
    const served = await serve();
    expect(await exchange(served, bytes)).toMatch(reply);
    expect((await served.http.post(initialize())).status).toBe(200);
  });
});

describe('a response of the client', () => {
  it('that is nested too deeply fails its question, or gets 400 in a batch, and the session goes on', async () => {
    const { http } = await serve({}, { onError: () => {} });
    for (const depth of [1001, 50_000]) {
      const session = await RawSession.open(http, { capabilities: EVERYTHING, version: '2025-03-26' });
      const call = await session.call('roots');
      const { id } = await call.message();
      const response = `{"jsonrpc":"2.0","id":${id},"result":{"roots":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
      expect((await session.post(`[${response}]`)).status).toBe(400);
      expect((await session.post(response)).status).toBe(202);
      const { error } = await call.message();
      expect(error.message).toBe('Message is nested deeper than the limit of 1000 levels');
      expect(await session.ask('ping')).toMatchObject({ result: {} });
    }
  });

  it('that is as deep as allowed is taken', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    const response = `{"jsonrpc":"2.0","id":1,"result":{"a":${'['.repeat(900)}${']'.repeat(900)}}}`;
    expect((await session.post(response)).status).toBe(202);
  });
});

describe('odd requests from a seed', () => {
  it.each(Array.from({ length: 150 }, (_, seed) => seed))('%i', runHttpCase);
});
