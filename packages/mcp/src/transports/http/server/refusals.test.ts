import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { POST_HEADERS, responseTo } from '../../../../testing/raw-http.ts';
import { initialize, RawSession } from '../../../../testing/raw-session.ts';
import { listenOn, type Served, serve, serveWith } from '../../../../testing/serve.ts';
import { createHttpHandler } from './node/serve.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A connection on which a test writes what it likes. */
async function open({ listener }: Served): Promise<Socket> {
  const socket = connect(listener.port, '127.0.0.1');
  socket.on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** Everything the server says until the connection is over, however it ends. */
function rest(socket: Socket): Promise<string> {
  const parts: string[] = [];
  socket.setEncoding('utf8').on('data', (part: string) => parts.push(part));
  return new Promise((resolve) => socket.once('close', () => resolve(parts.join(''))));
}

/** The head of a POST, to be followed by whatever body. */
function head(headers: Record<string, string | number>): string {
  const lines = Object.entries({ Host: 'localhost', ...POST_HEADERS, ...headers }).map(([k, v]) => `${k}: ${v}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n`;
}

describe('callers', () => {
  it('with a foreign Host or Origin get 403 on every method; local ones get in', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    const foreign = [{ Host: 'evil.example.com' }, { Origin: 'http://evil.example.com' }, { Origin: 'null' }];
    for (const headers of foreign) {
      const refusals = [
        await http.post(initialize(), headers),
        await session.post(PING, headers),
        await http.send('GET', { headers: { ...session.headers, Accept: 'text/event-stream', ...headers } }),
        await http.send('DELETE', { headers: { ...session.headers, ...headers } }),
      ];
      for (const refusal of refusals) {
        expect(refusal.status).toBe(403);
        expect(await refusal.json()).toMatchObject({ error: { message: expect.stringMatching(/^(Host|Origin) not/) } });
      }
    }
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      const headers = { Host: `${name}:1234`, Origin: `http://${name}:1234` };
      expect((await session.post(PING, headers)).status).toBe(200);
    }
  });

  it('are let in by name with allowedHosts and allowedOrigins, and no others', async () => {
    const allowed = { allowedHosts: ['mcp.example.com'], allowedOrigins: ['https://app.example.com'] };
    const { http } = await serve(allowed);
    const status = async (headers: Record<string, string>) => (await http.post(initialize(), headers)).status;
    expect(await status({ Host: 'mcp.example.com:443' })).toBe(200);
    expect(await status({ Origin: 'https://app.example.com' })).toBe(200);
    expect(await status({ Host: 'mcp.example.com', Origin: 'https://app.example.com' })).toBe(200);
    expect(await status({ Host: 'example.com' })).toBe(403);
    expect(await status({ Origin: 'http://app.example.com' })).toBe(403);
    expect(await status({ Origin: 'https://mcp.example.com' })).toBe(403);
  });

  it('without authorization get 401 on every method, after Host and Origin were looked at', async () => {
    const asked: (string | undefined)[] = [];
    const { http } = await serve({
      authorize: async ({ headers, method }) => {
        asked.push(method);
        return headers.authorization === 'Bearer right' ? { id: 'ada' } : undefined;
      },
    });
    const right = { Authorization: 'Bearer right' };
    const session = new RawSession(http, { id: 'x', version: '2025-11-25' });
    expect((await http.post(initialize(), right)).status).toBe(200);
    for (const refusal of [await http.post(initialize()), await session.listen(), await session.delete()]) {
      expect(refusal.status).toBe(401);
      expect(await refusal.json()).toMatchObject({ error: { message: 'Unauthorized' } });
    }
    expect((await http.post(initialize(), { Authorization: 'Bearer wrong' })).status).toBe(401);
    expect(asked).toEqual(['POST', 'POST', 'GET', 'DELETE', 'POST']);
    expect((await http.post(initialize(), { ...right, Host: 'evil.example.com' })).status).toBe(403);
    expect(asked).toHaveLength(5);
  });

  it('get 500 when the authorization itself fails, the reason goes to onError, and the server lives on', async () => {
    let fails = true;
    const errors: Error[] = [];
    const { http } = await serve({
      onError: (error) => errors.push(error),
      authorize: () => {
        if (fails) throw new Error('the directory is down');
        return { id: 'ada' };
      },
    });
    const failed = await http.post(initialize());
    expect(failed.status).toBe(500);
    const message = 'Internal server error: the request was not carried out';
    expect(await failed.json()).toMatchObject({ error: { code: -32603, message } });
    expect(errors).toMatchObject([{ message: 'the directory is down' }]);
    fails = false;
    expect((await http.post(initialize())).status).toBe(200);
  });
});

describe('a request in the wrong form', () => {
  it('with another content type gets 415', async () => {
    const { http } = await serve();
    const types = [undefined, '', 'text/plain', 'application/jsonp', 'application/x-www-form-urlencoded', 'json'];
    for (const type of types) expect((await http.post(PING, { 'Content-Type': type })).status).toBe(415);
    const gzip = await http.post(PING, { 'Content-Encoding': 'gzip' });
    expect(gzip.status).toBe(415);
    expect(await gzip.json()).toMatchObject({ error: { message: 'Content-Encoding must be identity' } });
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON ;x=y']) {
      expect((await http.post(initialize(), { 'Content-Type': type })).status).toBe(200);
    }
  });

  it('that accepts too little gets 406; wildcards accept enough', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    for (const accept of [undefined, '', 'application/json', 'text/event-stream', 'text/html', 'application/*']) {
      const refused = await session.post(PING, { Accept: accept });
      expect(refused.status).toBe(406);
      expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('text/event-stream') } });
    }
    for (const accept of ['*/*', 'text/*, application/*;q=0.1', 'TEXT/event-stream,application/JSON; q=1']) {
      expect((await session.post(PING, { Accept: accept })).status).toBe(200);
    }
    const get = await http.send('GET', { headers: { ...session.headers, Accept: 'application/json' } });
    expect(get.status).toBe(406);
  });

  it('by another method gets 405 and what is allowed', async () => {
    const { http } = await serve();
    for (const method of ['PUT', 'PATCH', 'OPTIONS', 'HEAD']) {
      const refused = await http.send(method);
      expect(refused.status).toBe(405);
      expect(refused.headers.allow).toBe('POST, GET, DELETE');
    }
  });

  it('to another path gets 404; a query does no harm', async () => {
    const served = await serve();
    const { http } = await serve({ path: '/deep/er' });
    expect((await http.post(initialize())).status).toBe(200);
    const socket = await open(served);
    const body = JSON.stringify(initialize());
    const rightHead = head({ 'Content-Length': body.length, Connection: 'close' });
    socket.write(`${rightHead.replace('/mcp', '/elsewhere')}${body}`);
    expect(await rest(socket)).toMatch(/^HTTP\/1.1 404 (.|\s)*MCP is served at \/mcp/);
    const second = await open(served);
    second.write(`${rightHead.replace('/mcp', '/mcp?a=/b')}${body}`);
    expect(await rest(second)).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('a body', () => {
  it.each([
    ['empty', '', -32700],
    ['blank', ' \r\n ', -32700],
    ['cut off', '{"jsonrpc":"2.0","id":1,"meth', -32700],
    ['no JSON', 'jsonrpc=2.0&id=1', -32700],
    ['not UTF-8', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff"}}', 'latin1'), -32700],
    ['no object', '"ping"', -32600],
    ['null', 'null', -32600],
    ['of another JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['with an id of another type', '{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600],
    ['with a fraction as its id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['with params of another type', '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', -32600],
    ['nested deeper than the stack', `${'['.repeat(200_000)}`, -32600],
  ])('that is %s gets 400 within a session and without', async (_what, body, code) => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    for (const refused of [await session.post(body), await http.post(body)]) {
      expect(refused.status).toBe(400);
      expect(refused.headers['content-type']).toBe('application/json');
      expect(await refused.json()).toMatchObject({ jsonrpc: '2.0', error: { code } });
    }
    expect(await session.ask('ping')).toMatchObject({ result: {} });
  });

  it('with text outside of ASCII, even U+FFFD itself, is taken as it is', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    const text = '\ufffd é 😀 \u2028 \u0000';
    const response = await session.ask('tools/call', { name: 'echo', arguments: { text } });
    expect(JSON.parse(response.result.content[0].text)).toEqual({ text });
    const withMark = await session.post(`\ufeff${JSON.stringify(PING)}`);
    expect(await withMark.json()).toMatchObject({ result: {} });
  });

  it('larger than the limit gets 413 and a word on the limit, whether its length was announced or not', async () => {
    const { http } = await serve({ maxMessageBytes: 10_000 });
    const session = await RawSession.open(http);
    const large = JSON.stringify({ ...PING, params: { text: 'x'.repeat(4_000_000) } });
    const announced = await session.post(large, { 'Content-Length': String(large.length) });
    const sending = http.begin('POST', { ...POST_HEADERS, ...session.headers, 'Transfer-Encoding': 'chunked' });
    const unannounced = responseTo(sending);
    sending.end(large);
    for (const refused of [announced, await unannounced]) {
      expect(refused.status).toBe(413);
      expect(refused.headers.connection).toBe('close');
      const message = 'The body is larger than the limit of 10000 bytes';
      expect(await refused.json()).toEqual({ jsonrpc: '2.0', error: { code: -32000, message } });
    }
  });

  it('just within the limit is taken', async () => {
    const { http } = await serve({ maxMessageBytes: 10_000 });
    const session = await RawSession.open(http);
    const padded = (length: number) => JSON.stringify(PING).padEnd(length);
    expect((await session.post(padded(10_000))).status).toBe(200);
    expect((await session.post(padded(10_001))).status).toBe(413);
  });

  it('that is far too large does no harm to others meanwhile', async () => {
    const served = await serve({ maxMessageBytes: 10_000 });
    const session = await RawSession.open(served.http);
    const stream = await session.listen();
    const flood = await Promise.all(Array.from({ length: 20 }, () => open(served)));
    const part = 'x'.repeat(60_000);
    const responses = flood.map(async (socket) => {
      socket.write(head({ 'Content-Length': 1_000_000_000, ...session.headers }));
      // It sends for a while before it looks whether there is a response.
      for (let n = 0; n < 20; n += 1) await new Promise((resolve) => socket.write(part, resolve));
      return rest(socket);
    });
    expect(await session.ask('ping')).toMatchObject({ result: {} });
    for (const response of responses) expect(await response).toMatch(/^HTTP\/1.1 413 /);
    expect(await session.ask('ping')).toMatchObject({ result: {} });
    served.server.resourceUpdated('test://watched'); // has no subscribers
    served.server.notifyAll('notifications/still/here');
    expect(await stream.message()).toMatchObject({ method: 'notifications/still/here' });
  });

  it('that breaks off is forgotten, and the server lives on', async () => {
    const served = await serve();
    const session = await RawSession.open(served.http);
    for (const headers of [{ 'Content-Length': 1000 }, { 'Transfer-Encoding': 'chunked' }]) {
      const socket = await open(served);
      socket.write(head({ ...headers, ...session.headers }));
      socket.write('Transfer-Encoding' in headers ? '10\r\n{"jsonrpc":' : '{"jsonrpc":');
      socket.destroy();
    }
    const halfClosed = await open(served);
    halfClosed.end(`${head({ 'Content-Length': 1000, ...session.headers })}{"jsonrpc"`);
    expect(await rest(halfClosed)).not.toMatch(/ 200 /);
    expect(await session.ask('ping')).toMatchObject({ result: {} });
    expect(served.server.sessions.size).toBe(1);
  });

  it('in chunks that are none gets 400', async () => {
    const served = await serve();
    const socket = await open(served);
    socket.write(`${head({ 'Transfer-Encoding': 'chunked' })}zzz\r\nnonsense`);
    expect(await rest(socket)).toMatch(/^HTTP\/1.1 400 /);
  });

  it('that never arrives holds up no other request, and a time limit ends it', async () => {
    const limits = { requestTimeout: 100, headersTimeout: 100, connectionsCheckingInterval: 20 };
    const served = await serveWith((server) => {
      const handler = createHttpHandler(server);
      return listenOn(createServer(limits, handler), handler);
    });
    const session = await RawSession.open(served.http);
    const waiting = await Promise.all(Array.from({ length: 50 }, () => open(served)));
    const responses = waiting.map(rest);
    for (const socket of waiting) socket.write(head({ 'Content-Length': 1000, ...session.headers }));
    expect(await session.ask('ping')).toMatchObject({ result: {} });
    for (const response of responses) expect(await response).toMatch(/^(HTTP\/1.1 408 |$)/);
    expect(await session.ask('ping')).toMatchObject({ result: {} });
  });

  it('that never arrives ends when the listener closes', async () => {
    const served = await serve();
    const socket = await open(served);
    socket.write(head({ 'Content-Length': 1000 }));
    const closed = rest(socket);
    await RawSession.open(served.http); // the server has read the head by now
    await served.listener.close();
    expect(await closed).toBe('');
  });
});

describe('headers', () => {
  it('beyond all measure get 431 from Node, and the server lives on', async () => {
    const served = await serve();
    const socket = await open(served);
    socket.write(head({ 'X-Absurd': 'x'.repeat(100_000), 'Content-Length': 0 }));
    expect(await rest(socket)).toMatch(/^HTTP\/1.1 431 /);
    expect((await served.http.post(initialize())).status).toBe(200);
  });

  it('that are no headers get 400', async () => {
    const served = await serve();
    const socket = await open(served);
    socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nNo colon here\r\n\r\n');
    expect(await rest(socket)).toMatch(/^HTTP\/1.1 400 /);
    const binary = await open(served);
    binary.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00])); // the start of a TLS handshake
    expect(await rest(binary)).toMatch(/^HTTP\/1.1 400 /);
  });

  it('of a session twice, or with strange characters, name no session', async () => {
    const served = await serve();
    const session = await RawSession.open(served.http);
    const twice = await open(served);
    const body = JSON.stringify(PING);
    const rightHead = head({ 'Content-Length': body.length, Connection: 'close', 'Mcp-Session-Id': session.id });
    twice.write(rightHead.replace('\r\n\r\n', `\r\nMcp-Session-Id: ${session.id}\r\n\r\n`) + body);
    expect(await rest(twice)).toMatch(/^HTTP\/1.1 404 /);
    for (const id of ['__proto__', 'constructor', '', `${session.id}\u00e9`, '*', '../../etc/passwd']) {
      const refused = await served.http.post(PING, { 'Mcp-Session-Id': id });
      expect([400, 404]).toContain(refused.status);
    }
  });

  it('may ask for 100 Continue', async () => {
    const served = await serve();
    const body = JSON.stringify(initialize());
    const sending = served.http.begin('POST', { ...POST_HEADERS, Expect: '100-continue' });
    const response = responseTo(sending);
    sending.flushHeaders();
    await once(sending, 'continue');
    sending.end(body);
    expect((await response).status).toBe(200);
  });
});
