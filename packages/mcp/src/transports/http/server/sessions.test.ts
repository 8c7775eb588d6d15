import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { initialize, RawSession } from '../../../../testing/raw-session.ts';
import { EVERYTHING, serve, textOf } from '../../../../testing/serve.ts';
import { RpcError } from '../../../jsonrpc/errors.ts';
import type { HttpStore } from '../store.ts';
import { memoryStore } from '../stores/memory.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('what a user has typed', () => {
  it('is removed from the store once it is delivered', async () => {
    const store = memoryStore();
    const texts: string[] = [];
    const erased: string[] = [];
    const watched: HttpStore = {
      ...store,
      append: (session, stream, event) => {
        if (stream === 'inbox') texts.push(event.text);
        return store.append(session, stream, event);
      },
      erase: (session, id) => {
        erased.push(id);
        return store.erase?.(session, id);
      },
    };
    const { http } = await serve({ store: watched });
    const session = await RawSession.open(http, { capabilities: EVERYTHING });
    const response = await session.call('ask');
    const { id } = await response.message();
    await session.respond(id, { action: 'accept', content: { name: 'secret' } });
    expect(textOf(await response.outcome())).toContain('secret');
    expect(texts).toHaveLength(1);
    expect(erased).toHaveLength(1);
    expect(store.locate(session.id, erased[0] as string)).toBeUndefined();
  });
});

describe('a store that never settles', () => {
  it('leaves no request without a response', async () => {
    const never = () => new Promise<never>(() => {});
    const store: HttpStore = { ...memoryStore(), create: never, find: never, append: never };
    const { http } = await serve({ store, storeTimeoutMs: 50, onError: () => {} });
    const opening = await http.post(initialize());
    expect(opening.status).toBe(503);
    const asking = { 'Mcp-Session-Id': 'any', 'MCP-Protocol-Version': '2025-11-25' };
    const asked = await http.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, asking);
    expect(asked.status).toBe(503);
    expect(await asked.json()).toMatchObject({ error: { message: expect.stringContaining('within 50 ms') } });
  });
});

describe('middleware that awaits before next()', () => {
  it('opens sessions, and ends those whose initialize is refused', async () => {
    const { http, server, until } = await serve();
    server.use(async ({ params }, next) => {
      // Any wait will do.
      await new Promise((resolve) => setTimeout(resolve, 1));
      const { clientInfo } = (params ?? {}) as { clientInfo?: { name?: string } };
      if (clientInfo?.name === 'refused') throw new RpcError(-32000, 'Not you');
      return next();
    });
    const session = await RawSession.open(http);
    expect(await session.ask('tools/list')).toMatchObject({ result: { tools: expect.any(Array) } });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'refused', version: '0' } };
    const refused = await http.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect(refused.sessionId).toBeUndefined();
    expect(await refused.outcome()).toMatchObject({ error: { code: -32000, message: 'Not you' } });
    await until((sessions) => sessions.size === 1);
  });

  it('is waited for by a server that closes', async () => {
    const { http, server, listener } = await serve();
    const entered = new Promise<void>((resolve) => {
      server.use(() => {
        resolve();
        return new Promise(() => {});
      });
    });
    const opening = http.post(initialize()).catch((error) => error);
    await entered;
    await listener.close();
    await opening;
    await server.close();
    expect(server.sessions.size).toBe(0);
  });
});

describe('a session', () => {
  it('begins with initialize, which gives it an id of visible ASCII that cannot be guessed', async () => {
    const { http } = await serve();
    const ids = new Set<string>();
    for (let n = 0; n < 20; n += 1) {
      const response = await http.post(initialize());
      expect(response.status).toBe(200);
      expect(response.headers['content-type']).toBe('application/json');
      expect(await response.json()).toMatchObject({ id: 'initialize', result: { protocolVersion: '2025-11-25' } });
      expect(response.sessionId).toMatch(/^[\x21-\x7e]{32,}$/);
      ids.add(response.sessionId ?? '');
    }
    expect(ids.size).toBe(20);
  });

  it('goes on over separate connections, and its requests get a response', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    expect(textOf(await session.ask('tools/call', { name: 'echo', arguments: { a: 1 } }))).toBe('{"a":1}');
    expect(await session.ask('ping')).toMatchObject({ result: {} });
    expect(await session.ask('unheard/of')).toMatchObject({ error: { code: -32601 } });
    expect((await session.request('unheard/of')).status).toBe(200);
  });

  it('responds with the revision that was asked for, or with the newest that has sessions', async () => {
    const { http } = await serve();
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      expect((await RawSession.open(http, { version })).version).toBe(version);
    }
    expect((await RawSession.open(http, { version: '1999-01-01' })).version).toBe('2025-11-25');
  });

  it('is independent of every other: what one sets, another does not have', async () => {
    const { http, server } = await serve();
    const [one, two] = [await RawSession.open(http), await RawSession.open(http)];
    expect(one.id).not.toBe(two.id);
    await one.ask('logging/setLevel', { level: 'error' });
    await one.ask('resources/subscribe', { uri: 'test://watched' });
    const [first, second] = [...server.sessions];
    expect([first?.logLevel, second?.logLevel]).toEqual(['error', 'debug']);
    expect([first?.isSubscribed('test://watched'), second?.isSubscribed('test://watched')]).toEqual([true, false]);
    await one.delete();
    expect(await two.ask('ping')).toMatchObject({ result: {} });
  });

  it('that is unknown gets 404 on every method', async () => {
    const { http } = await serve();
    const stranger = new RawSession(http, { id: 'no-such-session', version: '2025-11-25' });
    const refusals = [
      await stranger.request('ping'),
      await stranger.notify('notifications/initialized'),
      await stranger.respond(1, {}),
      await stranger.listen(),
      await stranger.listen('standalone_1'),
      await stranger.delete(),
    ];
    for (const refusal of refusals) {
      expect(refusal.status).toBe(404);
      expect(await refusal.json()).toEqual({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' } });
    }
  });

  it('ends with DELETE: running calls are aborted, streams end, and whatever follows gets 404', async () => {
    const { http, calls, until } = await serve();
    const session = await RawSession.open(http);
    const stream = await session.listen();
    const running = session.call('held');
    const { context } = await calls.take();
    running.catch(() => {}); // it breaks off: there is no response
    const deleted = await session.delete();
    expect(deleted.status).toBe(204);
    expect(await deleted.text()).toBe('');
    await stream.over();
    expect(context.signal.aborted).toBe(true);
    await until((sessions) => sessions.size === 0);
    expect((await session.request('ping')).status).toBe(404);
    expect((await session.listen()).status).toBe(404);
    expect((await session.delete()).status).toBe(404);
  });

  it('cannot be initialized again: initialize with a session id gets 400', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    const refused = await session.post(initialize());
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('Already initialized') } });
    expect(await session.ask('ping')).toMatchObject({ result: {} });
  });

  it('does not begin with an initialize that is refused', async () => {
    const { http, until, server } = await serve();
    const response = await http.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 5 } });
    expect(response.sessionId).toBeUndefined();
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32602 } });
    await until((sessions) => sessions.size === 0);
    expect(server.sessions.size).toBe(0);
  });

  it('does not serve requests before the client has said that it is initialized', async () => {
    const { http } = await serve();
    const { sessionId = '' } = await http.post(initialize());
    const session = new RawSession(http, { id: sessionId, version: '2025-11-25' });
    const early = await session.request('tools/list');
    expect(early.status).toBe(400);
    expect(await early.json()).toMatchObject({ error: { code: -32600 } });
    expect(await session.ask('ping')).toMatchObject({ result: {} });
    await session.notify('notifications/initialized');
    expect((await session.request('tools/list')).status).toBe(200);
  });

  it('is needed for every request of its revision: without its id there is 400, and 405 for GET and DELETE', async () => {
    const { http } = await serve();
    const request = await http.post(LIST);
    expect(request.status).toBe(400);
    expect(await request.json()).toMatchObject({ id: 1, error: { code: -32600 } });
    expect((await http.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(400);
    expect((await http.post({ jsonrpc: '2.0', id: 1, result: {} })).status).toBe(400);
    for (const method of ['GET', 'DELETE']) {
      const refused = await http.send(method, { headers: { Accept: 'text/event-stream' } });
      expect(refused.status).toBe(405);
      expect(refused.headers.allow).toBe('POST');
    }
  });
});

describe('a response', () => {
  it('is JSON when nothing comes before it', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    const response = await session.request('tools/call', { name: 'echo', arguments: {} }, 'the id');
    expect(response.headers['content-type']).toBe('application/json');
    expect(await response.text()).toBe(
      '{"jsonrpc":"2.0","id":"the id","result":{"content":[{"type":"text","text":"{}"}]}}',
    );
  });

  it('is the last event of a stream when something comes before it', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    const response = await session.call('count', {}, { _meta: { progressToken: 'p' } });
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    const messages = await response.messages();
    expect(messages).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 3 } },
      { method: 'notifications/progress', params: { progress: 2 } },
      { method: 'notifications/progress', params: { progress: 3 } },
      { method: 'notifications/message', params: { level: 'warning', data: 'counted' } },
      { result: { content: [{ text: 'three' }] } },
    ]);
    expect(await response.over()).toBe('ended');
  });

  it('is always an event with responseFormat: sse', async () => {
    const { http } = await serve({ responseFormat: 'sse' });
    const session = await RawSession.open(http);
    const response = await session.call('echo');
    expect(response.headers['content-type']).toBe('text/event-stream');
    expect(await response.messages()).toMatchObject([{ result: { content: [{ text: '{}' }] } }]);
  });

  it('is not needed by notifications and responses: they get 202 and no body', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    const accepted = [
      await session.notify('notifications/roots/list_changed'),
      await session.notify('notifications/without/listener'),
      await session.notify('notifications/cancelled', { requestId: 5000 }),
      await session.respond(5000, {}),
      await session.post({ jsonrpc: '2.0', id: 5000, error: { code: 1, message: 'no' } }),
    ];
    for (const response of accepted) {
      expect(response.status).toBe(202);
      expect(await response.text()).toBe('');
    }
  });

  it('may be many megabytes, and arrives whole', async () => {
    const { http, calls } = await serve();
    const session = await RawSession.open(http);
    const large = 'é😀x'.repeat(500_000);
    const whole = session.call('held', { large });
    const { args, finish } = await calls.take();
    expect(args).toEqual({ large });
    finish(large);
    const digest = (text: string) => createHash('sha1').update(text).digest('hex');
    expect(digest(textOf(await (await whole).json()) ?? '')).toBe(digest(large));
  });

  it('comes to each of many calls at once, whatever the order they finish in', async () => {
    const { http, calls } = await serve();
    const session = await RawSession.open(http);
    const running = Array.from({ length: 50 }, (_, n) => session.call('held', { n }));
    const held = [];
    for (const _ of running) held.push(await calls.take());
    for (const { args, finish } of held.reverse()) finish(`call ${args.n}`);
    const responses = await Promise.all(running.map(async (response) => textOf(await (await response).json())));
    expect(responses).toEqual(Array.from({ length: 50 }, (_, n) => `call ${n}`));
  });

  it('to a second request with the id of one still open is an error, on its own response', async () => {
    const { http, calls } = await serve();
    const session = await RawSession.open(http);
    const first = session.request('tools/call', { name: 'held' }, 7);
    const { finish } = await calls.take();
    const second = await session.request('tools/list', {}, 7);
    expect(await second.json()).toMatchObject({
      id: 7,
      error: { code: -32600, message: expect.stringContaining('7') },
    });
    finish('the first');
    expect(textOf(await (await first).json())).toBe('the first');
    expect(await (await session.request('ping', {}, 7)).json()).toMatchObject({ id: 7, result: {} });
  });

  it.each(['stored', 'none'] as const)(
    'comes from a handler that ends its session at once (sessions: %s)',
    async (sessions) => {
      const { http, server } = await serve({ sessions });
      server.tool({ name: 'leave' }, (_args, { session }) => {
        void session.close('enough');
        return 'never sent';
      });
      const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'leave', arguments: {} } };
      const response = await (sessions === 'stored' ? (await RawSession.open(http)).post(call) : http.post(call));
      expect(response.status).toBe(503);
      const error = { code: -32603, message: 'Internal error: closed before the response: enough' };
      expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 7, error });
    },
  );

  it('to a cancellation that is sent as a request says that there is no such method', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    const response = await session.request('notifications/cancelled', { requestId: 1 }, 'odd');
    expect(await response.json()).toMatchObject({ id: 'odd', error: { code: -32601 } });
  });

  it('to a request that the client cancels never comes: its response ends empty', async () => {
    const { http, calls } = await serve();
    const session = await RawSession.open(http);
    const cancelled = session.request('tools/call', { name: 'held' }, 'doomed');
    const { context, finish } = await calls.take();
    await session.notify('notifications/cancelled', { requestId: 'doomed', reason: 'enough' });
    expect(context.signal.aborted).toBe(true);
    finish('too late');
    expect(await (await cancelled).messages()).toEqual([]);
    expect(await (await session.request('ping', {}, 'doomed')).json()).toMatchObject({ result: {} });
  });
});

describe('a batch', () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

  it('gets its responses as an array at 2025-03-26', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http, { version: '2025-03-26' });
    const response = await session.post([ping(1), { jsonrpc: '2.0', method: 'notifications/x' }, 5, ping(2)]);
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('application/json');
    const responses = (await response.json()) as { id: unknown }[];
    expect(responses).toHaveLength(3);
    expect(responses).toContainEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(responses).toContainEqual({ jsonrpc: '2.0', id: 2, result: {} });
    expect(responses).toContainEqual(expect.objectContaining({ error: expect.objectContaining({ code: -32600 }) }));
  });

  it('of notifications and responses alone gets 202', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http, { version: '2025-03-26', capabilities: EVERYTHING });
    const changed = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
    expect((await session.post([changed, changed])).status).toBe(202);
    const calls = [await session.call('sample'), await session.call('roots')];
    const asked = [await calls[0]?.message(), await calls[1]?.message()];
    const message = { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' };
    const responses = await session.post([
      { jsonrpc: '2.0', id: asked[1].id, result: { roots: [] } },
      { jsonrpc: '2.0', id: asked[0].id, result: message },
    ]);
    expect(responses.status).toBe(202);
    expect(textOf(await calls[0]?.outcome())).toBe(JSON.stringify(message));
    expect(textOf(await calls[1]?.outcome())).toBe('[]');
  });

  it('becomes a stream when something comes before its responses, which still come together', async () => {
    const { http, calls } = await serve();
    const session = await RawSession.open(http, { version: '2025-03-26' });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'held', _meta: { progressToken: 1 } } };
    const pending = session.post([call, ping(2)]);
    const { context, finish } = await calls.take();
    context.progress(1);
    finish('done');
    const messages = await (await pending).messages();
    expect(messages).toHaveLength(2);
    expect(messages[0]).toMatchObject({ method: 'notifications/progress' });
    expect((messages[1] as { id: number }[]).map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  it('that repeats an id still open leaves that request its response', async () => {
    const { http, calls } = await serve();
    const session = await RawSession.open(http, { version: '2025-03-26' });
    const first = session.request('tools/call', { name: 'held' }, 1);
    const { finish } = await calls.take();
    const held = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'held' } };
    const batch = session.post([ping(1), held]);
    const second = await calls.take();
    finish('mine');
    expect(textOf(await (await first).json())).toBe('mine');
    second.finish('of the batch');
    const responses = (await (await batch).json()) as { id: number }[];
    expect(responses).toContainEqual(
      expect.objectContaining({ id: 1, error: expect.objectContaining({ code: -32600 }) }),
    );
    expect(responses).toContainEqual(expect.objectContaining({ id: 2, result: expect.anything() }));
  });

  it('whose requests are all cancelled ends empty', async () => {
    const { http, calls } = await serve();
    const session = await RawSession.open(http, { version: '2025-03-26' });
    const held = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'held' } });
    const batch = session.post([held(1), held(2)]);
    await calls.take();
    await calls.take();
    await session.notify('notifications/cancelled', { requestId: 1 });
    await session.notify('notifications/cancelled', { requestId: 2 });
    expect(await (await batch).messages()).toEqual([]);
  });

  it.each(['2024-11-05', '2025-06-18', '2025-11-25'])('is refused with 400 at %s', async (version) => {
    const { http } = await serve();
    const session = await RawSession.open(http, { version });
    for (const items of [[ping(1)], [{ jsonrpc: '2.0', id: 1, result: {} }], []]) {
      const refused = await session.post(items);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { code: -32600 } });
    }
  });

  it('is refused with 400 outside of a session, and cannot hold an initialize', async () => {
    const { http } = await serve();
    const refused = await http.post([initialize()]);
    expect(refused.status).toBe(400);
    expect(refused.sessionId).toBeUndefined();
    const session = await RawSession.open(http, { version: '2025-03-26' });
    expect(await (await session.post([initialize()])).json()).toMatchObject([{ error: { code: -32600 } }]);
  });
});

describe('the header MCP-Protocol-Version', () => {
  it('that names no revision spoken here gets 400 on every request, not only on the first', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http);
    const wrong = new RawSession(http, { id: session.id, version: '1999-01-01' });
    for (let round = 0; round < 3; round += 1) {
      const refusals = [
        await wrong.request('ping'),
        await wrong.request('tools/list'),
        await wrong.notify('notifications/roots/list_changed'),
        await wrong.respond(1, {}),
        await wrong.post([]),
        await wrong.listen(),
        await wrong.listen('standalone_1'),
        await wrong.delete(),
        await http.post(initialize(), { 'MCP-Protocol-Version': '1999-01-01' }),
        await http.post(LIST, { 'MCP-Protocol-Version': '1999-01-01' }),
      ];
      for (const refusal of refusals) {
        expect(refusal.status).toBe(400);
        expect(await refusal.json()).toMatchObject({
          error: { code: -32600, message: expect.stringContaining('Unsupported protocol version') },
        });
      }
      expect(await session.ask('ping')).toMatchObject({ result: {} });
    }
  });

  it('may be absent, or name another revision than the one agreed on, which goes on', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http, { version: '2025-06-18' });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: 5 } };
    for (const version of [undefined, '2025-03-26', '2025-11-25']) {
      const response = await session.post(call, { 'MCP-Protocol-Version': version });
      expect(response.status).toBe(200);
    }
  });

  it('is allowed on initialize, where the body decides', async () => {
    const { http } = await serve();
    const session = await RawSession.open(http, {
      version: '2025-06-18',
      headers: { 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Method': 'initialize' },
    });
    expect(session.version).toBe('2025-06-18');
  });
});
