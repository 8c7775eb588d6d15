import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../testing/json.ts';
import { POST_HEADERS, type RawHttp, type RawResponse } from '../../../../testing/raw-http.ts';
import { RawSession } from '../../../../testing/raw-session.ts';
import { byHeader, serve, textOf } from '../../../../testing/serve.ts';

const VERSION = '2026-07-28';
const NAMED_BY: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/cancel': 'taskId',
};

function meta(capabilities: object = {}): { [key: string]: unknown } {
  return {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
}

interface Asked {
  readonly id?: string | number;
  readonly params?: { readonly [name: string]: unknown };
  readonly headers?: Record<string, string | undefined>;
}

/** A stateless request and the headers that go with it. */
function message(method: string, { id = 1, params = {} }: Asked): Json {
  return { jsonrpc: '2.0', id, method, params: { _meta: meta(), ...params } };
}

function headersOf(method: string, { params = {}, headers = {} }: Asked): Record<string, string | undefined> {
  const name = params[NAMED_BY[method] ?? ''] as string | undefined;
  return { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': method, 'Mcp-Name': name, ...headers };
}

function ask(http: RawHttp, method: string, asked: Asked = {}): Promise<RawResponse> {
  return http.post(message(method, asked), headersOf(method, asked));
}

describe('a stateless request', () => {
  it('has no session to ask through: context.session throws at once, and says what to use', async () => {
    const { http, server } = await serve({}, { onError: () => {} });
    server.tool({ name: 'through-session' }, async (_args, context) => {
      await context.session.elicit({ message: 'Who?', requestedSchema: { type: 'object' } });
      return 'asked';
    });
    const response = await ask(http, 'tools/call', { params: { name: 'through-session', arguments: {} } });
    const { result } = await response.json();
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toBe(
      'This request has no session, because MCP 2026-07-28 over HTTP has none: use the members of the context, such as context.elicit and context.notify',
    );
  });

  it('stands alone: there is no session, and one that is named means nothing', async () => {
    const { http, until } = await serve();
    for (const headers of [{}, { 'Mcp-Session-Id': 'no such session' }]) {
      const response = await ask(http, 'server/discover', { id: 'd', headers });
      expect(response.status).toBe(200);
      expect(response.sessionId).toBeUndefined();
      expect(response.headers['content-type']).toBe('application/json');
      expect(await response.json()).toMatchObject({
        id: 'd',
        result: { resultType: 'complete', supportedVersions: expect.arrayContaining([VERSION]) },
      });
    }
    await until((sessions) => sessions.size === 0);
  });

  it('may come beside those of sessions', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    const call = { params: { name: 'echo', arguments: { a: 1 } } };
    expect(await (await ask(http, 'tools/call', call)).json()).toMatchObject({ result: { resultType: 'complete' } });
    expect(await session.ask('tools/call', call.params)).toMatchObject({ result: { content: [{ text: '{"a":1}' }] } });
    // A session id does not make a stateless request part of the session.
    const mixed = await ask(http, 'tools/call', {
      ...call,
      headers: { ...session.headers, 'MCP-Protocol-Version': VERSION },
    });
    expect(await mixed.json()).toMatchObject({ result: { resultType: 'complete' } });
  });

  it('leaves nothing behind, however many there are', async () => {
    const { http, server, until } = await serve();
    for (let n = 0; n < 10; n += 1) {
      const calls = Array.from({ length: 20 }, () => ask(http, 'tools/call', { params: { name: 'echo' } }));
      for (const response of await Promise.all(calls)) await response.json();
    }
    await until((sessions) => sessions.size === 0);
    expect(server.sessions.size).toBe(0);
  });

  it('gets events without ids when something comes before the response', async () => {
    const { http } = await serve();
    const withToken = { _meta: { ...meta(), progressToken: 'p' } };
    const response = await ask(http, 'tools/call', { params: { name: 'count', ...withToken } });
    expect(response.headers['content-type']).toBe('text/event-stream');
    const blocks = [];
    for (let block = await response.block(); block !== undefined; block = await response.block()) blocks.push(block);
    expect(blocks.every(({ id, retry, event }) => id === undefined && retry === undefined && event === 'message')).toBe(
      true,
    );
    expect(blocks.map(({ data = '' }) => JSON.parse(data).method)).toEqual([
      'notifications/progress',
      'notifications/progress',
      'notifications/progress',
      undefined,
    ]);
    const logging = { _meta: { ...meta(), 'io.modelcontextprotocol/logLevel': 'error' } };
    const quiet = await ask(http, 'tools/call', { params: { name: 'count', ...logging } });
    expect(quiet.headers['content-type']).toBe('application/json');
    const loud = { _meta: { ...meta(), 'io.modelcontextprotocol/logLevel': 'warning' } };
    const messages = await (await ask(http, 'tools/call', { params: { name: 'count', ...loud } })).messages();
    expect(messages).toMatchObject([{ method: 'notifications/message' }, { result: { resultType: 'complete' } }]);
  });

  it('is cancelled when its client goes away, before the response began or after', async () => {
    const { http, calls, until } = await serve();
    const held = { params: { name: 'held', _meta: { ...meta(), progressToken: 1 } } };
    const sending = http.begin('POST', { ...POST_HEADERS, ...headersOf('tools/call', held) });
    sending.end(JSON.stringify(message('tools/call', held)));
    const silent = await calls.take();
    const silenced = once(silent.context.signal, 'abort');
    sending.destroy();
    await silenced;
    const pending = ask(http, 'tools/call', held);
    const { context } = await calls.take();
    const aborted = once(context.signal, 'abort');
    context.progress(1);
    await (await pending).break();
    await aborted;
    await until((sessions) => sessions.size === 0);
  });

  it('is not cancelled by a notification, which gets 202', async () => {
    const { http, calls } = await serve();
    const pending = ask(http, 'tools/call', { id: 'c', params: { name: 'held' } });
    const { context, finish } = await calls.take();
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } };
    const bare = await http.post(cancel, { 'MCP-Protocol-Version': VERSION });
    const full = await http.post({ ...cancel, params: { requestId: 'c', _meta: meta() } });
    for (const response of [bare, full]) {
      expect(response.status).toBe(202);
      expect(await response.text()).toBe('');
    }
    expect(context.signal.aborted).toBe(false);
    finish('done');
    expect(textOf(await (await pending).json())).toBe('done');
  });

  it('cannot be released: there is nothing to come back to', async () => {
    const { http, calls } = await serve();
    const pending = ask(http, 'tools/call', { params: { name: 'held' } });
    const { context, finish } = await calls.take();
    context.releaseStream();
    expect(context.signal.aborted).toBe(false);
    finish('done');
    expect(textOf(await (await pending).json())).toBe('done');
  });

  it('may have the id of another that is still open', async () => {
    const { http, calls } = await serve();
    const responses = [1, 2, 3].map((n) =>
      ask(http, 'tools/call', { id: 7, params: { name: 'held', arguments: { n } } }),
    );
    for (const _ of responses) {
      const { args, finish } = await calls.take();
      finish(String(args.n));
    }
    const texts = await Promise.all(responses.map(async (response) => textOf(await (await response).json())));
    expect(texts).toEqual(['1', '2', '3']);
  });
});

describe('the status', () => {
  const statusAndCode = async (pending: Promise<RawResponse>) => {
    const response = await pending;
    const { id, error } = await response.json();
    return [response.status, error?.code, id];
  };

  it('is 400 for an envelope that is not whole, also when only the header names the revision', async () => {
    const { http } = await serve();
    const { 'io.modelcontextprotocol/clientCapabilities': _gone, ...noCapabilities } = meta();
    const { 'io.modelcontextprotocol/protocolVersion': _too, ...noVersion } = meta();
    for (const _meta of [undefined, {}, noCapabilities, noVersion, null, 'x', []]) {
      const asking = ask(http, 'server/discover', { id: 5, params: { _meta } });
      expect(await statusAndCode(asking)).toEqual([400, -32602, 5]);
    }
  });

  it('is 400 for a revision not spoken here, on every request', async () => {
    const { http } = await serve();
    const _meta = { ...meta(), 'io.modelcontextprotocol/protocolVersion': 'v999.0.0' };
    for (let n = 0; n < 3; n += 1) {
      const headers = { 'MCP-Protocol-Version': 'v999.0.0' };
      const response = await ask(http, 'tools/list', { id: n, params: { _meta }, headers });
      expect(response.status).toBe(400);
      const { id, error } = await response.json();
      expect([id, error.code, error.data.requested]).toEqual([n, -32022, 'v999.0.0']);
      expect(error.data.supported).toContain(VERSION);
    }
  });

  it('is 404 for methods that do not exist, or no longer', async () => {
    const { http } = await serve();
    const removed = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'];
    for (const method of [...removed, 'tasks/list', 'tasks/result', 'tasks/get', 'no/such/method']) {
      expect([method, ...(await statusAndCode(ask(http, method, { id: 'x' })))]).toEqual([method, 404, -32601, 'x']);
    }
  });

  it('is 400 when a capability is missing, and 200 for errors of handlers', async () => {
    const { http, server } = await serve();
    server.tool({ name: 'broken' }, () => Promise.reject(new Error('broken')));
    const missing = await ask(http, 'tools/call', { params: { name: 'sample' } });
    expect(missing.status).toBe(400);
    expect(await missing.json()).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
    });
    expect(await statusAndCode(ask(http, 'tools/call', { params: { name: 'missing' } }))).toEqual([200, -32602, 1]);
    expect(await statusAndCode(ask(http, 'resources/read', { params: { uri: 'x://y' } }))).toEqual([200, -32602, 1]);
    const failed = await ask(http, 'tools/call', { params: { name: 'broken' } });
    expect(await failed.json()).toMatchObject({ result: { isError: true, resultType: 'complete' } });
  });

  it('is 400 for a header that says something else than the body', async () => {
    const { http, server } = await serve();
    const inputSchema = {
      type: 'object',
      properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, n: { type: 'integer', 'x-mcp-header': 'N' } },
    };
    server.tool({ name: 'size', inputSchema }, () => 'fine');
    const params = { name: 'size', arguments: { region: 'eu', n: 42 } };
    const encoded = `=?base64?${Buffer.from('size').toString('base64')}?=`;
    const right = { 'Mcp-Name': encoded, 'Mcp-Param-Region': 'eu', 'Mcp-Param-N': '42' };
    const call = (headers: Record<string, string | undefined>) =>
      ask(http, 'tools/call', { params, headers: { ...right, ...headers } });
    expect(textOf(await (await call({})).json())).toBe('fine');
    expect((await call({ 'Mcp-Param-N': '42.0' })).status).toBe(200);
    const wrong: Record<string, string | undefined>[] = [
      { 'MCP-Protocol-Version': '2025-11-25' },
      { 'MCP-Protocol-Version': undefined },
      { 'Mcp-Method': 'tools/list' },
      { 'Mcp-Method': 'TOOLS/CALL' },
      { 'Mcp-Method': undefined },
      { 'Mcp-Name': 'other' },
      { 'Mcp-Name': undefined },
      { 'Mcp-Name': '=?base64?Z3L2w59l?=' },
      { 'Mcp-Param-Region': 'us' },
      { 'Mcp-Param-Region': undefined },
      { 'Mcp-Param-Region': '=?base64?ZXU?=' },
      { 'Mcp-Param-N': '43' },
      { 'Mcp-Param-N': 'many' },
    ];
    for (const headers of wrong) {
      expect([headers, ...(await statusAndCode(call(headers)))]).toEqual([headers, 400, -32020, 1]);
    }
  });
});

describe('a subscription', () => {
  const listen = (http: RawHttp, notifications: object, id: string | number = 'sub') =>
    ask(http, 'subscriptions/listen', { id, params: { notifications } });

  it('is a stream without ids: acknowledged first, then what was asked for, alive by comments', async () => {
    const { http, server } = await serve({ keepAliveMs: 5 });
    const stream = await listen(http, { toolsListChanged: true }, 1_700_000_000_000);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    const first = await stream.block();
    expect(first?.id).toBeUndefined();
    expect(JSON.parse(first?.data ?? '')).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications: { toolsListChanged: true },
        _meta: { 'io.modelcontextprotocol/subscriptionId': 1_700_000_000_000 },
      },
    });
    expect(await stream.block()).toEqual({ comment: 'keep-alive' });
    server.tool({ name: 'new' }, () => '');
    expect(await stream.message()).toMatchObject({ method: 'notifications/tools/list_changed' });
    await stream.break();
  });

  it('ends when the client goes away', async () => {
    const { http, until } = await serve();
    const stream = await listen(http, { toolsListChanged: true });
    await stream.message();
    await stream.break();
    await until((sessions) => sessions.size === 0);
  });

  it('ends with its result when the server closes', async () => {
    const { http, server } = await serve();
    const stream = await listen(http, { toolsListChanged: true });
    await stream.message();
    await server.close();
    expect(await stream.messages()).toMatchObject([
      { id: 'sub', result: { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub' } } },
    ]);
    expect(await stream.over()).toBe('ended');
  });
});

describe('rounds of one request', () => {
  const capabilities = { elicitation: {} };
  const call = (http: RawHttp, more: object = {}, headers = {}) =>
    ask(http, 'tools/call', { params: { name: 'ask', _meta: meta(capabilities), ...more }, headers });
  const inputResponses = { elicitation: { action: 'accept', content: { name: 'Ada' } } };

  it('may go to different servers that share a secret, and to no others', async () => {
    const [a, b] = [await serve({}, { stateSecret: 'shared' }), await serve({}, { stateSecret: 'shared' })];
    const stranger = await serve();
    const { result } = await (await call(a.http)).json();
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { elicitation: expect.anything() } });
    const { requestState } = result;
    const second = { inputResponses, requestState };
    expect(textOf(await (await call(b.http, second)).json())).toBe(JSON.stringify(inputResponses.elicitation));
    expect(await (await call(stranger.http, second)).json()).toMatchObject({ error: { code: -32602 } });
  });

  it('belong to the principal that began them', async () => {
    const { http } = await serve({ authorize: byHeader });
    const ada = { Authorization: 'Bearer ada' };
    const { requestState } = (await (await call(http, {}, ada)).json()).result;
    const second = { inputResponses, requestState };
    for (const headers of [{}, { Authorization: 'Bearer bob' }]) {
      expect(await (await call(http, second, headers)).json()).toMatchObject({ error: { code: -32602 } });
    }
    expect(await (await call(http, second, ada)).json()).toMatchObject({ result: { resultType: 'complete' } });
  });
});

describe('a notification of a stateless client', () => {
  it('reaches its handler, with its origin and without a session', async () => {
    const { http, server } = await serve({ authorize: byHeader });
    const received = new Promise((resolve) => {
      server.onNotification('custom/news', (params, session, origin) =>
        resolve([params, session, origin?.principal?.id]),
      );
    });
    const params = { n: 1, _meta: meta() };
    const response = await http.post(
      { jsonrpc: '2.0', method: 'custom/news', params },
      { 'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'custom/news', Authorization: 'ada' },
    );
    expect(response.status).toBe(202);
    expect(await received).toEqual([params, undefined, 'ada']);
  });
});
