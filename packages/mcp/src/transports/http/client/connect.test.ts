import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ask, cleanUp, open, refusal, responses, sender } from '../../../../testing/http-client.ts';
import { Recorder } from '../../../../testing/recorder.ts';
import { type Call, ScriptedEndpoint } from '../../../../testing/scripted-endpoint.ts';
import { NotSerializable } from '../../../jsonrpc/errors.ts';
import { connectHttp } from './connect.ts';

describe('a request over HTTP', () => {
  it('is a POST that takes JSON and event streams, with the headers of the options and of the hints', async () => {
    const { endpoint, connection, received } = await open((call) => call.result({ ok: true }), {
      headers: { Authorization: 'Bearer t' },
    });
    connection.send(ask(7), { transport: { headers: { 'Mcp-Name': 'x' } } });
    await received.until(({ messages }) => messages.length === 1);
    expect(received.messages[0]).toEqual({ jsonrpc: '2.0', id: 7, result: { ok: true } });
    expect(endpoint.calls[0]).toMatchObject({
      method: 'POST',
      path: '/mcp',
      message: { jsonrpc: '2.0', id: 7, method: 'tools/list' },
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: 'Bearer t',
        'mcp-name': 'x',
      },
    });
  });

  it('reads an event stream as it comes, with messages before the response', async () => {
    const { connection, received } = await open((call) => {
      call.events(
        ': hello\r\n\r\nevent: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "method":"notifications/message"}\r\n\r',
      );
      void received
        .until(({ messages }) => messages.length === 1)
        .then(() => call.response.end('\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'));
    });
    connection.send(ask(1));
    await received.until(({ messages }) => messages.length === 2);
    expect(received.messages).toEqual([
      { jsonrpc: '2.0', method: 'notifications/message' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
  });

  it('uses its connection again, also after an event stream', async () => {
    const ports = new Set<number | undefined>();
    const { connection, received } = await open((call) => {
      ports.add(call.response.socket?.remotePort);
      if (call.message.id === 2) call.result({});
      else
        call.response
          .writeHead(200, { 'Content-Type': 'text/event-stream' })
          .end(`data: {"jsonrpc":"2.0","id":${call.message.id},"result":{}}\n\n`);
    });
    for (const id of [1, 2, 3]) {
      connection.send(ask(id));
      await received.until(({ messages }) => messages.length === id);
      await new Promise((resolve) => setImmediate(resolve)); // the end of the body is read
    }
    expect(ports.size).toBe(1);
  });

  const itWithSockets = sender.fetch === undefined ? it : () => {};
  itWithSockets('speaks through a unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hawser-http-'));
    cleanUp.push(() => rmSync(folder, { recursive: true }));
    const socketPath = join(folder, 'mcp.sock');
    const endpoint = await ScriptedEndpoint.open((call) => call.result({}), socketPath);
    const connection = connectHttp('http://localhost/mcp', { socketPath });
    cleanUp.push(() => endpoint.close());
    const received = new Recorder();
    connection.start(received);
    connection.send(ask(1));
    await received.until(({ messages }) => messages.length === 1);
    expect(endpoint.calls[0]).toMatchObject({ path: '/mcp', headers: { host: 'localhost' } });
    await connection.close();
  });

  it('waits until the connection is started', async () => {
    const endpoint = await ScriptedEndpoint.open((call) => call.result({}));
    cleanUp.push(() => endpoint.close());
    const connection = connectHttp(endpoint.url, sender);
    connection.send(ask(1));
    const received = new Recorder();
    connection.start(received);
    await received.until(({ messages }) => messages.length === 1);
    await connection.close();
  });

  it('follows a redirect within the same origin, and remembers it', async () => {
    const { endpoint, connection, received } = await open((call) => {
      if (call.path === '/mcp') call.status(307, '', { Location: '/mcp/' });
      else call.result({});
    });
    connection.send(ask(1));
    await received.until(({ messages }) => messages.length === 1);
    connection.send(ask(2));
    await received.until(({ messages }) => messages.length === 2);
    expect(endpoint.calls.map(({ path }) => path)).toEqual(['/mcp', '/mcp/', '/mcp/']);
  });

  it('is not sent to another origin', async () => {
    const { connection, received } = await open((call) => call.status(308, '', { Location: 'http://127.0.0.1:1/mcp' }));
    connection.send(ask(1));
    expect(await refusal(received)).toMatchObject({
      name: 'HttpError',
      message: 'HTTP 308: the server redirects to http://127.0.0.1:1; connect to that URL if you trust it',
      status: 308,
    });
  });

  it('refuses at once what JSON cannot say', async () => {
    const { connection } = await open((call) => call.result({}));
    expect(() => connection.send({ jsonrpc: '2.0', id: 1, result: 10n })).toThrow(NotSerializable);
  });
});

describe('a request over HTTP that the server responds with', () => {
  const jsonError = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no', data: [1] } });
  const anonymous = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: no session"}}';

  it.each([
    ['an error of JSON-RPC gets it, whatever the status', 404, jsonError, JSON.parse(jsonError).error],
    ['an error without an id gets it', 400, anonymous, { code: -32000, message: 'Bad Request: no session' }],
  ])('%s', async (_, status, body, error) => {
    const { connection, received } = await open((call) => call.status(status, body));
    connection.send(ask(1));
    await received.until((recorder) => responses(recorder).length === 1);
    expect(responses(received)).toEqual([{ jsonrpc: '2.0', id: 1, error }]);
  });

  const events = { 'Content-Type': 'text/event-stream' };
  const cases: [string, (call: Call) => void, object][] = [
    [
      'a page',
      (call) => call.status(502, '<html>oh no</html>', { 'Content-Type': 'text/html' }),
      { name: 'HttpError', message: 'HTTP 502: Bad Gateway', status: 502 },
    ],
    [
      'a refusal with a reason',
      (call) => call.status(401, 'token expired', { 'Content-Type': 'text/plain' }),
      { name: 'HttpError', message: 'HTTP 401: token expired', status: 401 },
    ],
    [
      'an error without an id because it is unavailable',
      (call) => call.status(503, anonymous, { 'Content-Type': 'application/json' }),
      { name: 'HttpError', message: 'HTTP 503: Bad Request: no session', status: 503 },
    ],
    [
      'nothing',
      (call) => call.status(202),
      { name: 'HttpError', message: 'HTTP 202: no JSON-RPC response in the body (content type: none)', status: 202 },
    ],
    [
      'a text of another kind',
      (call) => call.status(200, 'hello', { 'Content-Type': 'text/plain' }),
      {
        name: 'InvalidResponse',
        message: expect.stringContaining("The server's response is not a message: Parse error"),
      },
    ],
    [
      'a response to something else',
      (call) => call.json({ jsonrpc: '2.0', id: 99, result: {} }),
      { name: 'HttpError', message: expect.stringContaining('no JSON-RPC response in the body'), status: 200 },
    ],
    [
      'half a response',
      (call) => {
        call.response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
        call.response.write('{"jsonrpc"', () => call.response.destroy());
      },
      {
        name: 'NetworkError',
        message: expect.stringContaining('The connection broke before the whole response arrived: '),
      },
    ],
    [
      'a broken event stream',
      (call) => call.response.writeHead(200, events).end(': nothing\n\n'),
      { name: 'NetworkError', message: 'The stream ended before the response' },
    ],
    [
      'a response over the limit',
      (call) => call.result({ text: 'é'.repeat(5000) }),
      { name: 'LimitExceeded', message: 'Message is larger than the limit of 10000 bytes' },
    ],
    [
      'an event over the limit',
      (call) => call.events(`data: {"jsonrpc":"2.0","id":1,"result":"${'é'.repeat(5000)}"}\n\n`),
      { name: 'LimitExceeded', message: 'Message is larger than the limit of 10000 bytes' },
    ],
  ];
  it.each(cases)('%s is refused with a local error', async (_, response, error) => {
    const { connection, received } = await open(response, { maxMessageBytes: 10_000 });
    connection.send(ask(1));
    expect(await refusal(received)).toMatchObject(error);
    expect(responses(received).filter(({ id }) => id === 1)).toEqual([]);
    expect(received.closings).toEqual([]);
  });

  it.each([
    ['JSON', (call: Call, json: string) => call.status(200, json, { 'Content-Type': 'application/json' })],
    ['an event', (call: Call, json: string) => call.response.writeHead(200, events).end(`data: ${json}\n\n`)],
  ])('%s of as many bytes as the limit gets it', async (_, response) => {
    const json = '{"jsonrpc":"2.0","id":1,"result":"éé"}';
    const { connection, received } = await open((call) => response(call, json), {
      maxMessageBytes: Buffer.byteLength(json),
    });
    connection.send(ask(1));
    await received.until((recorder) => responses(recorder).length === 1);
    expect(responses(received)).toEqual([JSON.parse(json)]);
  });

  it('nothing, because there is no server, is refused with a NetworkError', async () => {
    const endpoint = await ScriptedEndpoint.open(() => {});
    const { url } = endpoint;
    await endpoint.close();
    const connection = connectHttp(url, sender);
    const received = new Recorder();
    connection.start(received);
    connection.send(ask(1));
    expect(await refusal(received)).toMatchObject({
      name: 'NetworkError',
      message: `Could not reach ${url}: connect ECONNREFUSED ${new URL(url).host}`,
      code: 'ECONNREFUSED',
      cause: expect.any(Error),
    });
    await connection.close();
  });

  it('a status that refuses a notification is reported', async () => {
    const { connection, received } = await open((call) => call.status(500, 'out of order'));
    connection.send({ jsonrpc: '2.0', method: 'notifications/progress' });
    await received.until(({ refusals }) => refusals.length === 1);
    expect(received.refusals[0]).toMatchObject({
      id: undefined,
      reason: { message: 'notifications/progress was not accepted: HTTP 500: out of order', cause: { status: 500 } },
    });
  });
});

describe('an HTTP connection', () => {
  it('closes once, ends what is under way, and does nothing afterwards', async () => {
    const { endpoint, connection, received } = await open(() => {});
    connection.send(ask(1));
    const call = await endpoint.received(() => true);
    await Promise.all([connection.close('done here'), connection.close('again')]);
    await call.closed;
    connection.send(ask(2));
    await connection.drained();
    expect(received.closings.map(({ message }) => message)).toEqual(['done here']);
    expect(received.messages).toEqual([]);
    expect(endpoint.calls).toHaveLength(1);
  });

  it('sends what was sent before the close', async () => {
    const { endpoint, connection } = await open((call) => call.status(202));
    for (let n = 0; n < 20; n += 1) connection.send({ jsonrpc: '2.0', method: 'note', params: { n } });
    await connection.close();
    expect(endpoint.calls).toHaveLength(20);
  });

  it('closes when its signal aborts', async () => {
    const stop = new AbortController();
    const { received } = await open(() => {}, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await received.until(({ closings }) => closings.length > 0);
    expect(received.closings[0]?.message).toBe('enough');
  });

  it('ends with a clear reason when the server takes nothing', async () => {
    const { connection, received } = await open(() => {}, { maxQueuedBytes: 100_000 });
    for (let n = 0; n < 3; n += 1) {
      connection.send({ jsonrpc: '2.0', method: 'flood', params: { text: 'x'.repeat(50_000) } });
    }
    await received.until(({ closings }) => closings.length > 0);
    expect(received.closings[0]?.message).toBe('The server is too slow: more than 100000 bytes are queued for it');
  });

  it('gives up a notification that is not taken in time', async () => {
    const { connection, received } = await open(() => {}, { acceptTimeout: 20 });
    connection.send({ jsonrpc: '2.0', method: 'note' });
    await received.until(({ refusals }) => refusals.length === 1);
    expect(received.refusals[0]?.reason.message).toBe('note was not accepted: the server did not respond within 20 ms');
  });

  it.each([Number.NaN, -1, 2 ** 31])('refuses a timeout of %s ms', (timeout) => {
    expect(() => connectHttp('http://localhost/', { acceptTimeout: timeout })).toThrow(RangeError);
    expect(() => connectHttp('http://localhost/', { connectTimeout: timeout })).toThrow(RangeError);
  });
});
