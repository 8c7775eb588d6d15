import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Recorder } from '../../../../testing/recorder.ts';
import { type Call, ScriptedEndpoint } from '../../../../testing/scripted-endpoint.ts';
import type { Connection } from '../../../jsonrpc/connection.ts';
import { ConnectionClosed, NotSerializable } from '../../../jsonrpc/errors.ts';
import type { Failure, Message } from '../../../jsonrpc/message.ts';
import { type ConnectHttpOptions, connectHttp } from './connect.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function open(answer: (call: Call) => void, options: ConnectHttpOptions = {}, path = '') {
  const endpoint = await ScriptedEndpoint.open(answer);
  const connection = connectHttp(endpoint.url + path, options);
  cleanUp.push(() => endpoint.close()); // undone in the other order
  cleanUp.push(() => connection.close());
  const heard = new Recorder();
  connection.start(heard);
  return { endpoint, connection, heard };
}

const ask = (id: number, method = 'tools/list', params: object = {}): Message =>
  ({ jsonrpc: '2.0', id, method, params }) as Message;
const initialize = ask(1, 'initialize', { protocolVersion: '2025-11-25' });
const initialized: Message = { jsonrpc: '2.0', method: 'notifications/initialized' };
const standalone = (id: number, method = 'tools/call', params: object = {}) =>
  ask(id, method, { ...params, _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } });
const answers = ({ messages }: Recorder) => messages.filter(({ method }) => method === undefined);
const errorOf = (message: Message | undefined) => (message as Failure).error;

/** What a server with sessions does, unless the test says otherwise. */
function serveSession(call: Call, id = 's-1'): void {
  const { method } = call.message;
  if (call.method === 'GET') call.status(405);
  else if (call.method === 'DELETE') call.status(200);
  else if (method === 'initialize') call.result({ protocolVersion: '2025-11-25' }, { 'Mcp-Session-Id': id });
  else if (call.message.id === undefined) call.status(202);
  else call.result({});
}

async function begin(connection: Connection, heard: Recorder): Promise<void> {
  connection.send(initialize);
  await heard.until((recorder) => answers(recorder).length === 1);
  connection.send(initialized);
}

describe('a request over HTTP', () => {
  it('is a POST that takes JSON and event streams, with the headers of the options and of the hints', async () => {
    const { endpoint, connection, heard } = await open((call) => call.result({ ok: true }), {
      headers: { Authorization: 'Bearer t' },
    });
    connection.send(ask(7), { headers: { 'Mcp-Name': 'x' } });
    await heard.until(({ messages }) => messages.length === 1);
    expect(heard.messages[0]).toEqual({ jsonrpc: '2.0', id: 7, result: { ok: true } });
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

  it('reads an event stream as it comes, with messages before the answer', async () => {
    const { connection, heard } = await open((call) => {
      call.events(
        ': hello\r\n\r\nevent: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "method":"notifications/message"}\r\n\r',
      );
      void heard
        .until(({ messages }) => messages.length === 1)
        .then(() => call.response.end('\ndata: {"jsonrpc":"2.0","id":1,"result":{}}\n\n'));
    });
    connection.send(ask(1));
    await heard.until(({ messages }) => messages.length === 2);
    expect(heard.messages).toEqual([
      { jsonrpc: '2.0', method: 'notifications/message' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
  });

  it('uses its connection again, also after an event stream', async () => {
    const ports = new Set<number | undefined>();
    const { connection, heard } = await open((call) => {
      ports.add(call.response.socket?.remotePort);
      if (call.message.id === 2) call.result({});
      else
        call.response
          .writeHead(200, { 'Content-Type': 'text/event-stream' })
          .end(`data: {"jsonrpc":"2.0","id":${call.message.id},"result":{}}\n\n`);
    });
    for (const id of [1, 2, 3]) {
      connection.send(ask(id));
      await heard.until(({ messages }) => messages.length === id);
      await new Promise((resolve) => setImmediate(resolve)); // the end of the body is read
    }
    expect(ports.size).toBe(1);
  });

  it('speaks through a unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hawser-http-'));
    cleanUp.push(() => rmSync(folder, { recursive: true }));
    const socketPath = join(folder, 'mcp.sock');
    const endpoint = await ScriptedEndpoint.open((call) => call.result({}), socketPath);
    const connection = connectHttp('http://localhost/mcp', { socketPath });
    cleanUp.push(() => endpoint.close());
    const heard = new Recorder();
    connection.start(heard);
    connection.send(ask(1));
    await heard.until(({ messages }) => messages.length === 1);
    expect(endpoint.calls[0]).toMatchObject({ path: '/mcp', headers: { host: 'localhost' } });
    await connection.close();
  });

  it('waits until there is someone to hear the answer', async () => {
    const endpoint = await ScriptedEndpoint.open((call) => call.result({}));
    cleanUp.push(() => endpoint.close());
    const connection = connectHttp(endpoint.url);
    connection.send(ask(1));
    const heard = new Recorder();
    connection.start(heard);
    await heard.until(({ messages }) => messages.length === 1);
    await connection.close();
  });

  it('follows a redirect within the same origin, and remembers it', async () => {
    const { endpoint, connection, heard } = await open((call) => {
      if (call.path === '/mcp') call.status(307, '', { Location: '/mcp/' });
      else call.result({});
    });
    connection.send(ask(1));
    await heard.until(({ messages }) => messages.length === 1);
    connection.send(ask(2));
    await heard.until(({ messages }) => messages.length === 2);
    expect(endpoint.calls.map(({ path }) => path)).toEqual(['/mcp', '/mcp/', '/mcp/']);
  });

  it('is not sent to another origin', async () => {
    const { connection, heard } = await open((call) => call.status(308, '', { Location: 'http://127.0.0.1:1/mcp' }));
    connection.send(ask(1));
    await heard.until(({ messages }) => messages.length === 1);
    expect(errorOf(heard.messages[0])).toEqual({
      code: -32000,
      message: 'HTTP 308: the server redirects to http://127.0.0.1:1, which must be asked for itself',
      data: { status: 308 },
    });
  });

  it('refuses at once what JSON cannot say', async () => {
    const { connection } = await open((call) => call.result({}));
    expect(() => connection.send({ jsonrpc: '2.0', id: 1, result: 10n })).toThrow(NotSerializable);
  });
});

describe('a request over HTTP that fails is answered:', () => {
  const jsonError = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'no', data: [1] } });
  const anonymous = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: no session"}}';
  const cases: [string, (call: Call) => void, object][] = [
    ['an error of JSON-RPC, whatever the status', (call) => call.status(404, jsonError), JSON.parse(jsonError).error],
    [
      'an error without an id',
      (call) => call.status(400, anonymous),
      { code: -32000, message: 'Bad Request: no session' },
    ],
    [
      'a page',
      (call) => call.status(502, '<html>oh no</html>', { 'Content-Type': 'text/html' }),
      { code: -32000, message: 'HTTP 502: Bad Gateway', data: { status: 502 } },
    ],
    [
      'a refusal with a reason',
      (call) => call.status(401, 'token expired', { 'Content-Type': 'text/plain' }),
      { code: -32000, message: 'HTTP 401: token expired', data: { status: 401 } },
    ],
    [
      'nothing',
      (call) => call.status(202),
      { code: -32000, message: 'HTTP 202: the server gave no answer (content type: none)', data: { status: 202 } },
    ],
    [
      'a text of another kind',
      (call) => call.status(200, 'hello', { 'Content-Type': 'text/plain' }),
      { code: -32000, message: expect.stringContaining('The answer is no message: Parse error') },
    ],
    [
      'an answer to something else',
      (call) => call.json({ jsonrpc: '2.0', id: 99, result: {} }),
      { code: -32000, message: expect.stringContaining('the server gave no answer'), data: { status: 200 } },
    ],
    [
      'half an answer',
      (call) => {
        call.response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
        call.response.write('{"jsonrpc"', () => call.response.destroy());
      },
      { code: -32000, message: expect.stringContaining('aborted') },
    ],
    [
      'a broken event stream',
      (call) => call.response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(': nothing\n\n'),
      { code: -32000, message: 'The stream ended before the answer', data: { network: 'ended' } },
    ],
    [
      'an answer over the limit',
      (call) => call.result({ text: 'x'.repeat(20_000) }),
      { code: -32000, message: 'Message is larger than the limit of 10000 bytes' },
    ],
    [
      'an event over the limit',
      (call) => call.events(`data: {"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(20_000)}"}\n\n`),
      { code: -32600, message: 'Message is larger than the limit of 10000 bytes' },
    ],
  ];
  it.each(cases)('%s', async (_, answer, error) => {
    const { connection, heard } = await open(answer, { maxMessageBytes: 10_000 });
    connection.send(ask(1));
    await heard.until((recorder) => answers(recorder).some(({ id }) => id === 1));
    expect(answers(heard).find(({ id }) => id === 1)).toEqual({ jsonrpc: '2.0', id: 1, error });
    expect(heard.closings).toEqual([]);
  });

  it('nobody is there', async () => {
    const endpoint = await ScriptedEndpoint.open(() => {});
    const { url } = endpoint;
    await endpoint.close();
    const connection = connectHttp(url);
    const heard = new Recorder();
    connection.start(heard);
    connection.send(ask(1));
    await heard.until(({ messages }) => messages.length === 1);
    expect(errorOf(heard.messages[0])).toEqual({
      code: -32000,
      message: `Could not reach ${url}: connect ECONNREFUSED ${new URL(url).host}`,
      data: { network: 'ECONNREFUSED' },
    });
    await connection.close();
  });

  it('and a notification that is refused is reported', async () => {
    const { connection, heard } = await open((call) => call.status(500, 'out of order'));
    connection.send({ jsonrpc: '2.0', method: 'notifications/progress' });
    await heard.until(({ messages }) => messages.length === 1);
    expect(heard.messages[0]).toEqual({
      jsonrpc: '2.0',
      error: {
        code: -32000,
        message: 'notifications/progress was not taken: HTTP 500: out of order',
        data: { status: 500 },
      },
    });
  });
});

describe('a session over HTTP', () => {
  it('sends its id and revision with everything after initialize, and a DELETE at the end', async () => {
    const { endpoint, connection, heard } = await open((call) => serveSession(call));
    await begin(connection, heard);
    connection.send(ask(2));
    await heard.until((recorder) => answers(recorder).length === 2);
    await connection.close();
    expect(
      endpoint.calls.map(({ method, message, headers }) => [
        message.method ?? method,
        headers['mcp-session-id'],
        headers['mcp-protocol-version'],
      ]),
    ).toEqual([
      ['initialize', undefined, undefined],
      ['notifications/initialized', 's-1', '2025-11-25'],
      ['GET', 's-1', '2025-11-25'],
      ['tools/list', 's-1', '2025-11-25'],
      ['DELETE', 's-1', '2025-11-25'],
    ]);
    expect(heard.closings.map(({ message }) => message)).toEqual(['Closed by this side']);
    expect(heard.closings[0]).toBeInstanceOf(ConnectionClosed);
  });

  it("asks nothing before the stream of the server's own messages is open", async () => {
    let stream: Call | undefined;
    const { endpoint, connection, heard } = await open((call) => {
      if (call.method !== 'GET') return serveSession(call);
      stream = call;
      setImmediate(() => call.events('data: {"jsonrpc":"2.0","id":"s1","method":"roots/list"}\n\n'));
    });
    await begin(connection, heard);
    connection.send(ask(2));
    await heard.until((recorder) => answers(recorder).length === 2);
    expect(endpoint.calls.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'POST']);
    await heard.until(({ messages }) => messages.some(({ method }) => method === 'roots/list'));
    connection.send({ jsonrpc: '2.0', id: 's1', result: { roots: [] } });
    await endpoint.heard(({ message }) => 'result' in message);
    await connection.close();
    await stream?.closed;
  });

  it('picks up a broken stream of an answer after the time the server asks for', async () => {
    let ended = 0;
    const { endpoint, connection, heard } = await open((call) => {
      if (call.message.method === 'tools/call') {
        call.events('id: e-1\nretry: 120\ndata: \n\n');
        ended = performance.now();
        call.response.end();
      } else if (call.headers['last-event-id'] === 'e-1') {
        call.response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        call.response.end('id: e-2\ndata: {"jsonrpc":"2.0","id":2,"result":{"late":true}}\n\n');
      } else serveSession(call);
    });
    await begin(connection, heard);
    connection.send(ask(2, 'tools/call'));
    const resumed = await endpoint.heard(({ headers }) => headers['last-event-id'] !== undefined);
    expect(performance.now() - ended).toBeGreaterThanOrEqual(118);
    expect(resumed).toMatchObject({ method: 'GET', headers: { 'mcp-session-id': 's-1', 'last-event-id': 'e-1' } });
    await heard.until((recorder) => answers(recorder).length === 2);
    expect(answers(heard)[1]).toEqual({ jsonrpc: '2.0', id: 2, result: { late: true } });
  });

  it("comes back to the stream of the server's own messages where it was cut", async () => {
    let streams = 0;
    const { endpoint, connection, heard } = await open((call) => {
      if (call.method !== 'GET') return serveSession(call);
      streams += 1;
      call.events(`id: ${streams}\nretry: 1\ndata: {"jsonrpc":"2.0","method":"note","params":{"n":${streams}}}\n\n`);
      if (streams === 1) call.response.end();
    });
    await begin(connection, heard);
    await heard.until(({ messages }) => messages.filter(({ method }) => method === 'note').length === 2);
    const gets = endpoint.calls.filter(({ method }) => method === 'GET');
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1']);
  });

  it('gives up an answer that cannot be picked up', async () => {
    const { connection, heard } = await open(
      (call) => {
        if (call.message.method === 'tools/call') {
          call.events('id: e-1\nretry: 1\ndata: \n\n');
          call.response.end();
        } else if (call.headers['last-event-id']) call.status(400, 'unknown event');
        else serveSession(call);
      },
      { resumeAttempts: 2 },
    );
    await begin(connection, heard);
    connection.send(ask(2, 'tools/call'));
    await heard.until((recorder) => answers(recorder).length === 2);
    expect(errorOf(answers(heard)[1]).message).toBe('HTTP 400: unknown event');
  });

  it('that the server has forgotten is begun anew, and what was asked is asked once more', async () => {
    let known = 's-1';
    const { endpoint, connection, heard } = await open((call) => {
      const { 'mcp-session-id': id } = call.headers;
      if (id !== undefined && id !== known)
        call.status(404, '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
      else serveSession(call, known);
    });
    await begin(connection, heard);
    connection.send(ask(2));
    await heard.until((recorder) => answers(recorder).length === 2);
    known = 's-2';
    endpoint.calls.splice(0);
    connection.send(ask(3));
    connection.send(ask(4));
    await heard.until((recorder) => answers(recorder).length === 4);
    // The answer to the second initialize is nobody's business.
    expect(
      answers(heard)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([1, 2, 3, 4]);
    const seen = endpoint.calls.map(({ method, message, headers }) => [
      message.method ?? method,
      headers['mcp-session-id'],
    ]);
    expect(seen.filter(([method]) => method === 'initialize')).toEqual([['initialize', undefined]]);
    expect(seen.filter(([method]) => method === 'notifications/initialized')).toEqual([
      ['notifications/initialized', 's-2'],
    ]);
    expect(seen.filter(([method, id]) => method === 'tools/list' && id === 's-2')).toHaveLength(2);
  });

  it('begun anew is asked for the log level and the subscriptions that the lost one had', async () => {
    let known = 's-1';
    const { endpoint, connection, heard } = await open((call) => {
      const { 'mcp-session-id': id } = call.headers;
      const { uri } = (call.message.params ?? {}) as { uri?: string };
      if (id !== undefined && id !== known) call.status(404);
      else if (uri === 'a:refused')
        call.json({ jsonrpc: '2.0', id: call.message.id, error: { code: -32602, message: 'no' } });
      else serveSession(call, known);
    });
    await begin(connection, heard);
    connection.send(ask(2, 'logging/setLevel', { level: 'debug' }));
    await heard.until((recorder) => answers(recorder).length === 2);
    connection.send(ask(3, 'logging/setLevel', { level: 'error' }));
    for (const [index, uri] of ['a:1', 'a:2', 'a:refused'].entries()) {
      connection.send(ask(4 + index, 'resources/subscribe', { uri }));
    }
    await heard.until((recorder) => answers(recorder).length === 6);
    connection.send(ask(7, 'resources/unsubscribe', { uri: 'a:1' }));
    await heard.until((recorder) => answers(recorder).length === 7);
    for (const next of ['s-2', 's-3']) {
      known = next;
      endpoint.calls.splice(0);
      connection.send(ask(next === 's-2' ? 8 : 9));
      const before = answers(heard).length;
      await heard.until((recorder) => answers(recorder).length > before);
      const inNew = endpoint.calls.filter(({ headers }) => headers['mcp-session-id'] === next);
      expect(
        inNew.filter(({ method }) => method === 'POST').map(({ message }) => [message.method, message.params]),
      ).toEqual([
        ['notifications/initialized', undefined],
        ['logging/setLevel', { level: 'error' }],
        ['resources/subscribe', { uri: 'a:2' }],
        ['tools/list', {}],
      ]);
    }
    expect(answers(heard).map(({ id }) => id)).toHaveLength(9);
  });

  it('whose loss cannot be mended fails what was asked, and is tried again by the next request', async () => {
    let health: 'well' | 'forgetful' | 'broken' = 'well';
    const { connection, heard } = await open((call) => {
      if (health === 'broken') call.status(call.message.method === 'initialize' ? 503 : 404);
      else if (health === 'forgetful' && call.headers['mcp-session-id'] === 's-1') call.status(404);
      else if (call.headers['mcp-session-id'] === undefined && call.message.method !== 'initialize') call.status(400);
      else serveSession(call, health === 'well' ? 's-1' : 's-2');
    });
    await begin(connection, heard);
    connection.send(ask(2));
    await heard.until((recorder) => answers(recorder).length === 2);
    health = 'broken';
    connection.send(ask(3));
    await heard.until((recorder) => answers(recorder).length === 3);
    expect(errorOf(answers(heard)[2])).toEqual({
      code: -32000,
      message: 'The server has forgotten the session, and a new one failed: HTTP 503: Service Unavailable',
      data: { status: 404 },
    });
    health = 'forgetful';
    connection.send(ask(4));
    await heard.until((recorder) => answers(recorder).length === 4);
    expect(answers(heard)[3]).toEqual({ jsonrpc: '2.0', id: 4, result: {} });
  });

  it('sends a cancellation, and then lets go of the answer', async () => {
    let call: Call | undefined;
    const { endpoint, connection, heard } = await open((incoming) => {
      if (incoming.message.method === 'tools/call') {
        call = incoming;
        call.events(': wait\n\n');
      } else serveSession(incoming);
    });
    await begin(connection, heard);
    connection.send(ask(2, 'tools/call'));
    await endpoint.heard(({ message }) => message.method === 'tools/call');
    connection.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    await endpoint.heard(({ message }) => message.method === 'notifications/cancelled');
    await call?.closed;
    expect(answers(heard)).toHaveLength(1);
  });

  it('tells a notification when the one before was taken, so that they arrive in order', async () => {
    const waiting: Call[] = [];
    const { endpoint, connection, heard } = await open((call) => {
      if (call.message.method === 'note') waiting.push(call);
      else serveSession(call);
    });
    await begin(connection, heard);
    for (const n of [1, 2, 3]) connection.send({ jsonrpc: '2.0', method: 'note', params: { n } });
    for (const n of [1, 2, 3]) {
      await endpoint.heard(({ message }) => message.params?.n === n);
      connection.send(ask(10 + n));
      await heard.until((recorder) => answers(recorder).some(({ id }) => id === 10 + n));
      expect(waiting.map(({ message }) => message.params?.n)).toEqual([n]);
      waiting.shift()?.status(202);
    }
  });
});

describe('a request over HTTP that stands alone', () => {
  it('names its revision and method in headers, and knows no session', async () => {
    const { endpoint, connection, heard } = await open((call) => call.result({}, { 'Mcp-Session-Id': 'ignored' }));
    connection.send(standalone(1, 'tools/list'));
    connection.send(standalone(2, 'tools/call', { name: 'x' }), { headers: { 'Mcp-Name': 'x' } });
    await heard.until((recorder) => answers(recorder).length === 2);
    await connection.close();
    expect(
      endpoint.calls.map(({ method, headers }) => [
        method,
        headers['mcp-protocol-version'],
        headers['mcp-method'],
        headers['mcp-name'],
        headers['mcp-session-id'],
      ]),
    ).toEqual([
      ['POST', '2026-07-28', 'tools/list', undefined, undefined],
      ['POST', '2026-07-28', 'tools/call', 'x', undefined],
    ]);
  });

  it('is cancelled by ending its exchange, and nothing is sent', async () => {
    const { endpoint, connection, heard } = await open((call) => {
      if (call.message.id === 2) call.result({});
    });
    connection.send(standalone(1));
    const call = await endpoint.heard(() => true);
    connection.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await call.closed;
    connection.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } });
    connection.send(standalone(2));
    await heard.until((recorder) => answers(recorder).length === 1);
    expect(endpoint.calls.map(({ message }) => message.method)).toEqual(['tools/call', 'tools/call']);
    expect(answers(heard).map(({ id }) => id)).toEqual([2]);
  });

  it('is lost with its stream, even where an event had an id', async () => {
    const { endpoint, connection, heard } = await open((call) => {
      call.events('id: 1\ndata: {"jsonrpc":"2.0","method":"note"}\n\n');
      call.response.end();
    });
    connection.send(standalone(1));
    await heard.until((recorder) => answers(recorder).length === 1);
    expect(errorOf(answers(heard)[0]).message).toBe('The stream ended before the answer');
    expect(endpoint.calls).toHaveLength(1);
  });
});

describe('an HTTP connection', () => {
  it('closes once, ends what is under way, and does nothing afterwards', async () => {
    const { endpoint, connection, heard } = await open(() => {});
    connection.send(ask(1));
    const call = await endpoint.heard(() => true);
    await Promise.all([connection.close('done here'), connection.close('again')]);
    await call.closed;
    connection.send(ask(2));
    await connection.drained();
    expect(heard.closings.map(({ message }) => message)).toEqual(['done here']);
    expect(heard.messages).toEqual([]);
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
    const { heard } = await open(() => {}, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await heard.until(({ closings }) => closings.length > 0);
    expect(heard.closings[0]?.message).toBe('enough');
  });

  it('ends with a clear reason when the server takes nothing', async () => {
    const { connection, heard } = await open(() => {}, { maxQueuedBytes: 100_000 });
    for (let n = 0; n < 3; n += 1) {
      connection.send({ jsonrpc: '2.0', method: 'flood', params: { text: 'x'.repeat(50_000) } });
    }
    await heard.until(({ closings }) => closings.length > 0);
    expect(heard.closings[0]?.message).toBe('The reader is too slow: more than 100000 bytes are waiting');
  });

  it('gives up a notification that is not taken in time', async () => {
    const { connection, heard } = await open(() => {}, { acceptTimeout: 20 });
    connection.send({ jsonrpc: '2.0', method: 'note' });
    await heard.until(({ messages }) => messages.length === 1);
    expect(errorOf(heard.messages[0]).message).toBe('note was not taken: the server said nothing for 20 ms');
  });

  it('asks again on a new connection when a kept one was closed under it', async () => {
    const { endpoint, connection, heard } = await open((call) => call.result({}));
    connection.send(ask(1));
    await heard.until(({ messages }) => messages.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    endpoint.dropConnections();
    connection.send(ask(2));
    await heard.until(({ messages }) => messages.length === 2);
    expect(heard.messages[1]).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  });
});
