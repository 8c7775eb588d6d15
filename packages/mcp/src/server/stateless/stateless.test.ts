import { describe, expect, it } from 'vitest';
import { meta, openMemory, type RawWire, request, stateless, VERSION, WIRES } from '../../../testing/raw-wire.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { Server } from '../server.ts';
import type { ServerOptions } from '../server-options.ts';

const INFO = { name: 'test', version: '1.2.3' };
const SERVER_INFO = { 'io.modelcontextprotocol/serverInfo': INFO };
const KEY = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
} as const;

function makeServer(options: ServerOptions = {}): Server {
  const server = new Server(INFO, { capabilities: { logging: {} }, ...options });
  server.tool({ name: 'echo' }, (args) => JSON.stringify(args));
  server.tool({ name: 'who' }, (_args, { clientInfo, revision }) => `${clientInfo?.name} ${revision.version}`);
  server.tool({ name: 'count' }, (_args, context) => {
    context.progress(1, 2);
    context.log('info', 'half');
    context.log('error', 'done');
    return 'counted';
  });
  server.resource({ uri: 'test://text', name: 'text' }, () => 'text');
  server.resourceTemplate({ uriTemplate: 'test://t/{id}', name: 't' }, ({ id }) => id);
  server.prompt({ name: 'greet' }, () => 'Hello');
  return server;
}

describe.each(WIRES)('over %s', (_name, open) => {
  it('a server tells what it is before anybody has introduced themselves', async () => {
    const wire = await open(makeServer({ instructions: 'Be kind' }));
    expect(await wire.ask('server/discover')).toMatchObject({
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
        capabilities: {
          tools: { listChanged: true },
          resources: { subscribe: true, listChanged: true },
          prompts: { listChanged: true },
        },
        instructions: 'Be kind',
        ttlMs: 0,
        cacheScope: 'private',
        _meta: SERVER_INFO,
      },
    });
  });

  it('requests are served without a handshake, each by what it says of itself', async () => {
    const wire = await open(makeServer());
    const as = (name: string) => ({ _meta: { ...meta(), [KEY.clientInfo]: { name, version: '1' } } });
    expect(await wire.call('who', as('ada'))).toMatchObject({ result: { content: [{ text: `ada ${VERSION}` }] } });
    expect(await wire.call('who', as('bob'))).toMatchObject({ result: { content: [{ text: `bob ${VERSION}` }] } });
    expect(await wire.call('who')).toMatchObject({ result: { content: [{ text: `undefined ${VERSION}` }] } });
  });

  it('a tool returns any JSON value as its structured content, with any schema', async () => {
    const server = makeServer({ onError: () => {} });
    const outputSchema = { type: 'array', items: { type: 'number' } } as const;
    server.tool({ name: 'numbers', outputSchema }, () => ({ structuredContent: [1, 2] }));
    server.tool({ name: 'wrong', outputSchema }, () => ({ structuredContent: ['one'] as never }));
    server.tool({ name: 'null' }, () => ({ structuredContent: null }));
    const wire = await open(server);
    const { result } = await wire.ask('tools/list');
    expect(result.tools).toContainEqual(expect.objectContaining({ name: 'numbers', outputSchema }));
    expect(await wire.call('numbers')).toMatchObject({
      result: { structuredContent: [1, 2], content: [{ type: 'text', text: '[1,2]' }] },
    });
    expect(await wire.call('wrong')).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('structuredContent[0]: expected number, got string') },
    });
    expect(await wire.call('null')).toMatchObject({ result: { structuredContent: null, content: [{ text: 'null' }] } });
  });

  it('stateless requests and a session are served side by side on one connection', async () => {
    const wire = await open(makeServer());
    expect(await wire.responseTo(request('tools/list'))).toMatchObject({ error: { code: -32600 } });
    expect(await wire.call('who')).toMatchObject({ result: { resultType: 'complete' } });
    expect(await wire.initialize()).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    for (let n = 0; n < 3; n += 1) {
      const legacy = await wire.responseTo(request('tools/call', { name: 'who' }));
      expect(legacy.result).toEqual({ content: [{ type: 'text', text: 'raw 2025-11-25' }] });
      const modern = await wire.call('who', { _meta: { ...meta(), [KEY.clientInfo]: { name: 'new', version: '1' } } });
      expect(modern.result).toEqual({
        resultType: 'complete',
        content: [{ type: 'text', text: `new ${VERSION}` }],
        _meta: SERVER_INFO,
      });
    }
    const running = [request('tools/call', { name: 'who' }), stateless('tools/call', { name: 'who' })];
    for (const message of running) wire.send(message);
    expect([(await wire.next()).id, (await wire.next()).id]).toEqual(running.map(({ id }) => id));
  });

  it('a request that says too little of itself is refused', async () => {
    const wire = await open(makeServer());
    const { [KEY.capabilities]: _gone, ...noCapabilities } = meta();
    const flawed = [
      noCapabilities,
      { ...meta(), [KEY.version]: 20260728 },
      { ...meta(), [KEY.version]: null },
      { ...meta(), [KEY.capabilities]: null },
      { ...meta(), [KEY.capabilities]: [] },
      { ...meta(), [KEY.capabilities]: 'all' },
      { ...meta(), [KEY.clientInfo]: 'me' },
      { ...meta(), [KEY.logLevel]: 'shouting' },
    ];
    for (const _meta of flawed) {
      const { error } = await wire.ask('tools/list', { _meta });
      expect(error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('_meta["io.modelcontextprotocol/'),
      });
    }
    // Without a version it belongs to a session, which has not been initialized.
    expect(await wire.ask('tools/list', { _meta: {} })).toMatchObject({ error: { code: -32600 } });
    expect(await wire.ask('tools/list')).toMatchObject({ result: { resultType: 'complete' } });
  });

  it('an unsupported version is refused on every request, with those that are supported', async () => {
    const wire = await open(makeServer());
    for (const requested of ['2027-01-01', 'v999.0.0', '', '2025-11-25', '2027-01-01']) {
      const { error } = await wire.ask('tools/list', { _meta: { ...meta(), [KEY.version]: requested } });
      expect(error).toEqual({
        code: -32022,
        message: `Unsupported protocol version: ${requested}`,
        data: { supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'], requested },
      });
      expect(await wire.ask('tools/list')).toMatchObject({ result: { resultType: 'complete' } });
    }
  });

  it('methods that are no longer there are not found', async () => {
    const wire = await open(makeServer({ capabilities: { logging: {} }, tasks: {} }));
    const params = { protocolVersion: VERSION, level: 'info', uri: 'test://text', taskId: 'x' };
    const removed = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'];
    for (const method of [...removed, 'tasks/list', 'tasks/result', 'health', 'unheard/of']) {
      expect(await wire.ask(method, params)).toMatchObject({
        error: { code: -32601, message: `Method not found: ${method}` },
      });
    }
    // And those of the stateless revision do not exist in a session.
    await wire.initialize();
    for (const method of ['server/discover', 'subscriptions/listen', 'tasks/get']) {
      expect(await wire.responseTo(request(method, { notifications: {} }))).toMatchObject({ error: { code: -32601 } });
    }
  });

  it('progress comes to who asks for it, logs at the level that the request names, before the response', async () => {
    const wire = await open(makeServer());
    const received = async (more: object) => {
      const message = stateless('tools/call', { name: 'count', _meta: { ...meta(), ...more } });
      wire.send(message);
      const received = [];
      for (let next = await wire.next(); next.id !== message.id; next = await wire.next()) received.push(next);
      return received;
    };
    expect(await received({})).toEqual([]);
    expect(await received({ progressToken: 'p' })).toEqual([
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } },
    ]);
    const levels = async (level: string) =>
      (await received({ [KEY.logLevel]: level })).map(({ params }) => params.level);
    expect(await levels('debug')).toEqual(['info', 'error']);
    expect(await levels('warning')).toEqual(['error']);
    expect(await levels('emergency')).toEqual([]);
  });

  it('a cancelled request is aborted and gets no response', async () => {
    const server = makeServer();
    const begun = new Promise<AbortSignal>((resolve) => {
      server.tool({ name: 'wait' }, (_args, { signal }) => {
        resolve(signal);
        return new Promise(() => {});
      });
    });
    const wire = await open(server);
    const message = stateless('tools/call', { name: 'wait' });
    wire.send(message);
    const signal = await begun;
    wire.send({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: message.id, reason: 'enough' },
    });
    expect(await wire.ask('server/discover')).toMatchObject({ result: expect.anything() });
    expect(signal.aborted).toBe(true);
    expect(wire.rest).toEqual([]);
  });
});

describe('results', () => {
  const results: [method: string, params: object][] = [
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['resources/read', { uri: 'test://text' }],
    ['server/discover', {}],
  ];

  const ask = async (wire: RawWire, method: string, params: object = {}) => (await wire.ask(method, params)).result;

  it('say of what kind they are, and who made them', async () => {
    const wire = openMemory(makeServer());
    const all: [string, object][] = [...results, ['tools/call', { name: 'echo' }], ['prompts/get', { name: 'greet' }]];
    for (const [method, params] of all) {
      expect(await ask(wire, method, params)).toMatchObject({ resultType: 'complete', _meta: SERVER_INFO });
    }
  });

  it('that may be kept say for how long and for whom, as the server is configured', async () => {
    const [plain, caching] = [
      openMemory(makeServer()),
      openMemory(makeServer({ caching: { ttlMs: 60_000, cacheScope: 'public' } })),
    ];
    for (const [method, params] of results) {
      expect(await ask(plain, method, params)).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
      expect(await ask(caching, method, params)).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
    }
    for (const result of [
      await ask(caching, 'tools/call', { name: 'echo' }),
      await ask(caching, 'prompts/get', { name: 'greet' }),
    ]) {
      expect(Object.keys(result)).not.toContain('ttlMs');
      expect(Object.keys(result)).not.toContain('cacheScope');
    }
  });

  it('keep the _meta of their handlers', async () => {
    const server = makeServer();
    server.tool({ name: 'meta' }, () => ({ content: [], _meta: { 'example.com/own': 1 } }));
    const result = await ask(openMemory(server), 'tools/call', { name: 'meta' });
    expect(result._meta).toEqual({ 'example.com/own': 1, ...SERVER_INFO });
  });

  it('come in the old shape to those in a session, from the same server', async () => {
    const wire = openMemory(makeServer());
    await wire.initialize();
    const { result } = await wire.responseTo(request('tools/list'));
    expect(Object.keys(result)).toEqual(['tools']);
    const read = await wire.responseTo(request('resources/read', { uri: 'test://text' }));
    expect(read.result).toEqual({ contents: [{ uri: 'test://text', text: 'text' }] });
  });

  it('of requests of one’s own are completed too, whatever they are', async () => {
    const server = makeServer();
    server.onRequest('own/object', () => ({ a: 1 }));
    server.onRequest('own/nothing', () => undefined);
    server.onRequest('own/later', async () => undefined);
    server.onRequest('own/text', () => 'text');
    server.onRequest('own/list', () => [1, 2]);
    const wire = openMemory(server);
    expect(await ask(wire, 'own/object')).toEqual({ resultType: 'complete', a: 1, _meta: SERVER_INFO });
    expect(await ask(wire, 'own/nothing')).toEqual({ resultType: 'complete', _meta: SERVER_INFO });
    expect(await ask(wire, 'own/later')).toEqual({ resultType: 'complete', _meta: SERVER_INFO });
    // There is no room in these.
    expect(await ask(wire, 'own/text')).toBe('text');
    expect(await ask(wire, 'own/list')).toEqual([1, 2]);
  });

  it('that are errors are those of the revision', async () => {
    const server = makeServer();
    server.tool({ name: 'rpc' }, () => {
      throw new RpcError(-32050, 'for the client', { why: 1 });
    });
    const wire = openMemory(server);
    expect((await wire.ask('resources/read', { uri: 'test://none' })).error).toEqual({
      code: -32602,
      message: 'Resource not found: test://none',
      data: { uri: 'test://none' },
    });
    expect((await wire.call('rpc')).error).toEqual({ code: -32050, message: 'for the client', data: { why: 1 } });
    expect((await wire.call('missing')).error).toMatchObject({ code: -32602 });
    await wire.initialize();
    expect(await wire.responseTo(request('resources/read', { uri: 'test://none' }))).toMatchObject({
      error: { code: -32002 },
    });
  });
});

describe('a client that needs no session', () => {
  it('is known to the server by its first request', async () => {
    const states: string[] = [];
    const server = makeServer({ onState: (_session, state) => states.push(state) });
    const wire = openMemory(server);
    await wire.ask('tools/list', {
      _meta: { ...meta({ sampling: {} }), [KEY.clientInfo]: { name: 'me', version: '1' } },
    });
    const [session] = server.sessions;
    expect(session?.clientInfo).toEqual({ name: 'me', version: '1' });
    expect(session?.clientCapabilities).toEqual({ sampling: {} });
    expect(states).toEqual(['waiting', 'ready']);
  });

  it('may ask to be in a session later', async () => {
    const wire = openMemory(makeServer());
    await wire.ask('tools/list');
    expect(await wire.initialize()).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    expect(await wire.responseTo(request('tools/list'))).toMatchObject({ result: { tools: expect.any(Array) } });
    expect(await wire.responseTo(request('initialize', {}))).toMatchObject({ error: { code: -32600 } });
  });

  it('hears of changes only when it has subscribed', async () => {
    const server = makeServer();
    const wire = openMemory(server);
    await wire.ask('tools/list');
    server.tool({ name: 'new' }, () => '');
    await wire.ask('tools/list');
    expect(wire.rest).toEqual([]);
  });
});
