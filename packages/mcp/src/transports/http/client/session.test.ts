import { describe, expect, it } from 'vitest';
import { ask, begin, open, refusal, responses, serveSession, standalone } from '../../../../testing/http-client.ts';
import type { Call } from '../../../../testing/scripted-endpoint.ts';
import { ConnectionClosed } from '../../../jsonrpc/errors.ts';

describe('a session over HTTP', () => {
  it('sends its id and revision with everything after initialize, and a DELETE at the end', async () => {
    const { endpoint, connection, received } = await open((call) => serveSession(call));
    await begin(connection, received);
    connection.send(ask(2));
    await received.until((recorder) => responses(recorder).length === 2);
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
    expect(received.closings.map(({ message }) => message)).toEqual(['Closed by this side']);
    expect(received.closings[0]).toBeInstanceOf(ConnectionClosed);
  });

  it("asks nothing before the stream of the server's own messages is open", async () => {
    let stream: Call | undefined;
    const { endpoint, connection, received } = await open((call) => {
      if (call.method !== 'GET') return serveSession(call);
      stream = call;
      setImmediate(() => call.events('data: {"jsonrpc":"2.0","id":"s1","method":"roots/list"}\n\n'));
    });
    await begin(connection, received);
    connection.send(ask(2));
    await received.until((recorder) => responses(recorder).length === 2);
    expect(endpoint.calls.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'POST']);
    await received.until(({ messages }) => messages.some(({ method }) => method === 'roots/list'));
    connection.send({ jsonrpc: '2.0', id: 's1', result: { roots: [] } });
    await endpoint.received(({ message }) => 'result' in message);
    await connection.close();
    await stream?.closed;
  });

  it('picks up a broken stream of a response after the time the server asks for', async () => {
    let ended = 0;
    const { endpoint, connection, received } = await open((call) => {
      if (call.message.method === 'tools/call') {
        call.events('id: e-1\nretry: 120\ndata: \n\n');
        ended = performance.now();
        call.response.end();
      } else if (call.headers['last-event-id'] === 'e-1') {
        call.response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        call.response.end('id: e-2\ndata: {"jsonrpc":"2.0","id":2,"result":{"late":true}}\n\n');
      } else serveSession(call);
    });
    await begin(connection, received);
    connection.send(ask(2, 'tools/call'));
    const resumed = await endpoint.received(({ headers }) => headers['last-event-id'] !== undefined);
    expect(performance.now() - ended).toBeGreaterThanOrEqual(118);
    expect(resumed).toMatchObject({ method: 'GET', headers: { 'mcp-session-id': 's-1', 'last-event-id': 'e-1' } });
    await received.until((recorder) => responses(recorder).length === 2);
    expect(responses(received)[1]).toEqual({ jsonrpc: '2.0', id: 2, result: { late: true } });
  });

  it("comes back to the stream of the server's own messages where it was cut", async () => {
    let streams = 0;
    const { endpoint, connection, received } = await open((call) => {
      if (call.method !== 'GET') return serveSession(call);
      streams += 1;
      call.events(`id: ${streams}\nretry: 1\ndata: {"jsonrpc":"2.0","method":"note","params":{"n":${streams}}}\n\n`);
      if (streams === 1) call.response.end();
    });
    await begin(connection, received);
    await received.until(({ messages }) => messages.filter(({ method }) => method === 'note').length === 2);
    const gets = endpoint.calls.filter(({ method }) => method === 'GET');
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '1']);
  });

  it('gives up a response that cannot be picked up', async () => {
    const { connection, received } = await open(
      (call) => {
        if (call.message.method === 'tools/call') {
          call.events('id: e-1\nretry: 1\ndata: \n\n');
          call.response.end();
        } else if (call.headers['last-event-id']) call.status(400, 'unknown event');
        else serveSession(call);
      },
      { resumeAttempts: 2 },
    );
    await begin(connection, received);
    connection.send(ask(2, 'tools/call'));
    expect((await refusal(received, 2))?.message).toBe('HTTP 400: unknown event');
  });

  it('that the server has forgotten is begun anew, and what was asked is asked once more', async () => {
    let known = 's-1';
    const { endpoint, connection, received } = await open((call) => {
      const { 'mcp-session-id': id } = call.headers;
      if (id !== undefined && id !== known)
        call.status(404, '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
      else serveSession(call, known);
    });
    await begin(connection, received);
    connection.send(ask(2));
    await received.until((recorder) => responses(recorder).length === 2);
    known = 's-2';
    endpoint.calls.splice(0);
    connection.send(ask(3));
    connection.send(ask(4));
    await received.until((recorder) => responses(recorder).length === 4);
    // The receiver does not get the response to the second initialize.
    expect(
      responses(received)
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
    const { endpoint, connection, received } = await open((call) => {
      const { 'mcp-session-id': id } = call.headers;
      const { uri } = (call.message.params ?? {}) as { uri?: string };
      if (id !== undefined && id !== known) call.status(404);
      else if (uri === 'a:refused')
        call.json({ jsonrpc: '2.0', id: call.message.id, error: { code: -32602, message: 'no' } });
      else serveSession(call, known);
    });
    await begin(connection, received);
    connection.send(ask(2, 'logging/setLevel', { level: 'debug' }));
    await received.until((recorder) => responses(recorder).length === 2);
    connection.send(ask(3, 'logging/setLevel', { level: 'error' }));
    for (const [index, uri] of ['a:1', 'a:2', 'a:refused'].entries()) {
      connection.send(ask(4 + index, 'resources/subscribe', { uri }));
    }
    await received.until((recorder) => responses(recorder).length === 6);
    connection.send(ask(7, 'resources/unsubscribe', { uri: 'a:1' }));
    await received.until((recorder) => responses(recorder).length === 7);
    for (const next of ['s-2', 's-3']) {
      known = next;
      endpoint.calls.splice(0);
      connection.send(ask(next === 's-2' ? 8 : 9));
      const before = responses(received).length;
      await received.until((recorder) => responses(recorder).length > before);
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
    expect(responses(received).map(({ id }) => id)).toHaveLength(9);
  });

  it('whose loss cannot be mended fails what was asked, and is tried again by the next request', async () => {
    let health: 'well' | 'forgetful' | 'broken' = 'well';
    const { connection, received } = await open((call) => {
      if (health === 'broken') call.status(call.message.method === 'initialize' ? 503 : 404);
      else if (health === 'forgetful' && call.headers['mcp-session-id'] === 's-1') call.status(404);
      else if (call.headers['mcp-session-id'] === undefined && call.message.method !== 'initialize') call.status(400);
      else serveSession(call, health === 'well' ? 's-1' : 's-2');
    });
    await begin(connection, received);
    connection.send(ask(2));
    await received.until((recorder) => responses(recorder).length === 2);
    health = 'broken';
    connection.send(ask(3));
    expect(await refusal(received, 3)).toMatchObject({
      name: 'HttpError',
      message: 'The server has forgotten the session, and a new one failed: HTTP 503: Service Unavailable',
      status: 404,
    });
    health = 'forgetful';
    connection.send(ask(4));
    await received.until((recorder) => responses(recorder).length === 3);
    expect(responses(received)[2]).toEqual({ jsonrpc: '2.0', id: 4, result: {} });
  });

  it('that the server forgot is begun anew as soon as its stream ends, and subscribed again', async () => {
    let known = 's-1';
    const streams: Call[] = [];
    const { endpoint, connection, received } = await open((call) => {
      const { 'mcp-session-id': id } = call.headers;
      if (id !== undefined && id !== known) call.status(404);
      else if (call.method === 'GET') {
        streams.push(call);
        call.events('id: e-1\nretry: 10\ndata: \n\n');
      } else if (call.message.method === 'initialize') {
        const capabilities = { tools: { listChanged: true }, prompts: {} };
        call.result({ protocolVersion: '2025-11-25', capabilities }, { 'Mcp-Session-Id': known });
      } else serveSession(call, known);
    });
    await begin(connection, received);
    connection.send(ask(2, 'resources/subscribe', { uri: 'a:1' }));
    await received.until((recorder) => responses(recorder).length === 2);
    known = 's-2';
    streams[0]?.response.end();
    const isSubscribed = ({ message, headers }: Call) =>
      message.method === 'resources/subscribe' && headers['mcp-session-id'] === 's-2';
    await endpoint.received(isSubscribed);
    expect(streams).toHaveLength(2);
    expect(responses(received)).toHaveLength(2);
    // What has changed in between is not known.
    await received.until(({ messages }) => messages.length === 4);
    expect(received.messages.slice(2)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a:1' } },
    ]);
    expect(received.refusals).toEqual([]);
  });

  it("tries until it can open the stream of the server's own messages, and keeps on when it breaks", async () => {
    let gets = 0;
    const { endpoint, connection, received } = await open(
      (call) => {
        if (call.method !== 'GET') return serveSession(call);
        gets += 1;
        if (gets === 1) call.response.destroy();
        else if (gets === 2) call.status(503, 'No process');
        else if (gets === 3) call.events('id: e-1\nretry: 10\ndata: \n\n');
        else if (gets < 6) call.status(503);
        else call.events('id: e-2\ndata: {"jsonrpc":"2.0","method":"note"}\n\n');
        if (gets === 3) call.response.end();
      },
      { resumeAttempts: 0 },
    );
    await begin(connection, received);
    await received.until(({ messages }) => messages.some(({ method }) => method === 'note'));
    const resumed = endpoint.calls
      .filter(({ method }) => method === 'GET')
      .map(({ headers }) => headers['last-event-id']);
    expect(resumed).toEqual([undefined, undefined, undefined, 'e-1', 'e-1', 'e-1']);
    expect(received.refusals.length).toBeGreaterThan(0);
  });

  it('sends notifications/initialized again when it did not reach the server', async () => {
    let times = 0;
    const { connection, received } = await open((call) => {
      if (call.message.method !== 'notifications/initialized') return serveSession(call);
      times += 1;
      if (times === 1) call.response.destroy();
      else if (times === 2) call.status(503, 'No process');
      else serveSession(call);
    });
    await begin(connection, received);
    connection.send(ask(2));
    await received.until((recorder) => responses(recorder).length === 2);
    expect(times).toBe(3);
    expect(received.refusals).toEqual([]);
  });

  it('resumes the stream of a response in the session that asked, also while a new one begins', async () => {
    let known = 's-1';
    let initialize: Call | undefined;
    let called: Call | undefined;
    const { endpoint, connection, received } = await open((call) => {
      const { 'mcp-session-id': id } = call.headers;
      if (id !== undefined && id !== known) call.status(404);
      else if (call.message.method === 'tools/call') {
        called = call;
        call.events('id: e-1\nretry: 200\ndata: \n\n');
      } else if (call.message.method === 'initialize' && known === 's-2') initialize = call;
      else if (call.method === 'GET' && id === undefined) call.status(405);
      else serveSession(call, known);
    });
    await begin(connection, received);
    connection.send(ask(2, 'tools/call'));
    await endpoint.received(({ message }) => message.method === 'tools/call');
    known = 's-2';
    called?.response.end();
    connection.send(ask(3));
    await endpoint.received(() => initialize !== undefined);
    const resumed = await endpoint.received(({ headers }) => headers['last-event-id'] === 'e-1');
    expect(resumed.headers['mcp-session-id']).toBe('s-1');
    expect(await refusal(received, 2)).toMatchObject({ name: 'HttpError', status: 404 });
    serveSession(initialize as Call, known);
    await received.until((recorder) => responses(recorder).length === 2);
  });

  it('begun anew repeats a subscription that did not reach the server', async () => {
    let known = 's-1';
    let subscribes = 0;
    const { endpoint, connection, received } = await open((call) => {
      const { 'mcp-session-id': id } = call.headers;
      if (id !== undefined && id !== known) return call.status(404);
      if (call.message.method === 'resources/subscribe') {
        subscribes += 1;
        if (subscribes === 2) return call.response.destroy();
        // It has arrived, but its response was lost.
        const message = 'Invalid request: id 2 is still in use by an open request';
        if (subscribes === 3)
          return call.json({ jsonrpc: '2.0', id: call.message.id, error: { code: -32600, message } });
      }
      return serveSession(call, known);
    });
    await begin(connection, received);
    connection.send(ask(2, 'resources/subscribe', { uri: 'a:1' }));
    await received.until((recorder) => responses(recorder).length === 2);
    known = 's-2';
    connection.send(ask(3));
    await received.until((recorder) => responses(recorder).length === 3);
    expect(endpoint.calls.filter(({ message }) => message.method === 'resources/subscribe')).toHaveLength(3);
    expect(received.refusals).toEqual([]);
  });

  it('is begun anew however often that fails, when the server forgot it and its stream has ended', async () => {
    let known = 's-1';
    let refusals = 0;
    const { endpoint, connection, received } = await open((call) => {
      const { 'mcp-session-id': id } = call.headers;
      if (id !== undefined && id !== known) call.status(404);
      else if (known === 's-2' && id === undefined && refusals < 2) {
        refusals += 1;
        if (refusals === 1) call.status(503);
        else call.response.destroy();
      } else if (call.method === 'GET') {
        call.events('id: e-1\nretry: 10\ndata: \n\n');
        if (id === 's-1') call.response.end(() => (known = 's-2'));
      } else serveSession(call, known);
    });
    await begin(connection, received);
    await endpoint.received(({ method, headers }) => method === 'GET' && headers['mcp-session-id'] === 's-2');
    expect(received.refusals.map(({ reason }) => reason.message)).toEqual([
      expect.stringContaining('a new one failed: HTTP 503'),
      expect.stringContaining('a new one failed: Lost the connection'),
    ]);
  });

  it('sends the response to a question again when it did not reach the server', async () => {
    let times = 0;
    const { connection, received, endpoint } = await open((call) => {
      if (!('result' in call.message)) return serveSession(call);
      times += 1;
      if (times === 1) call.response.destroy();
      else if (times === 2) call.status(503, 'No process');
      else call.status(202);
    });
    await begin(connection, received);
    connection.send({ jsonrpc: '2.0', id: 's1', result: { roots: [] } });
    await endpoint.received(() => times === 3);
    await connection.close();
    expect(received.refusals).toEqual([]);
  });

  it('sends a cancellation, and then lets go of the response', async () => {
    let call: Call | undefined;
    const { endpoint, connection, received } = await open((incoming) => {
      if (incoming.message.method === 'tools/call') {
        call = incoming;
        call.events(': wait\n\n');
      } else serveSession(incoming);
    });
    await begin(connection, received);
    connection.send(ask(2, 'tools/call'));
    await endpoint.received(({ message }) => message.method === 'tools/call');
    connection.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    await endpoint.received(({ message }) => message.method === 'notifications/cancelled');
    await call?.closed;
    expect(responses(received)).toHaveLength(1);
  });

  it('tells a notification when the one before was taken, so that they arrive in order', async () => {
    const waiting: Call[] = [];
    const { endpoint, connection, received } = await open((call) => {
      if (call.message.method === 'note') waiting.push(call);
      else serveSession(call);
    });
    await begin(connection, received);
    for (const n of [1, 2, 3]) connection.send({ jsonrpc: '2.0', method: 'note', params: { n } });
    for (const n of [1, 2, 3]) {
      await endpoint.received(({ message }) => message.params?.n === n);
      connection.send(ask(10 + n));
      await received.until((recorder) => responses(recorder).some(({ id }) => id === 10 + n));
      expect(waiting.map(({ message }) => message.params?.n)).toEqual([n]);
      waiting.shift()?.status(202);
    }
  });
});

describe('a request over HTTP that stands alone', () => {
  it('names its revision and method in headers, and knows no session', async () => {
    const { endpoint, connection, received } = await open((call) => call.result({}, { 'Mcp-Session-Id': 'ignored' }));
    connection.send(standalone(1, 'tools/list'));
    connection.send(standalone(2, 'tools/call', { name: 'x' }), { transport: { headers: { 'Mcp-Name': 'x' } } });
    await received.until((recorder) => responses(recorder).length === 2);
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
    const { endpoint, connection, received } = await open((call) => {
      if (call.message.id === 2) call.result({});
    });
    connection.send(standalone(1));
    const call = await endpoint.received(() => true);
    connection.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await call.closed;
    connection.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 77 } });
    connection.send(standalone(2));
    await received.until((recorder) => responses(recorder).length === 1);
    expect(endpoint.calls.map(({ message }) => message.method)).toEqual(['tools/call', 'tools/call']);
    expect(responses(received).map(({ id }) => id)).toEqual([2]);
  });

  it('is lost with its stream, even where an event had an id', async () => {
    const { endpoint, connection, received } = await open((call) => {
      call.events('id: 1\ndata: {"jsonrpc":"2.0","method":"note"}\n\n');
      call.response.end();
    });
    connection.send(standalone(1));
    expect((await refusal(received))?.message).toBe('The stream ended before the response');
    expect(endpoint.calls).toHaveLength(1);
  });
});
