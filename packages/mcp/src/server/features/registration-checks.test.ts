import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openMemory } from '../../../testing/raw-wire.ts';
import { join, makeServer } from '../../../testing/server-session.ts';
import { RpcError } from '../../jsonrpc/errors.ts';
import { StoreUnavailable } from '../../protocol/store-unavailable.ts';
import { Server } from '../server.ts';

// biome-ignore lint/suspicious/noExplicitAny: these are the calls that the compiler refuses
const untyped = () => makeServer() as any;
const handler = () => '';
const objectOf = (properties: unknown) => ({ type: 'object', properties });

describe('a mistake in a registration is reported where it is made', () => {
  it.each<[string, () => unknown, string]>([
    [
      'a tool in the way of the official SDK',
      () => untyped().tool('q', {}, handler),
      'got "q" first. Write server.tool({ name',
    ],
    [
      'a tool without a handler',
      () => untyped().tool({ name: 'q' }),
      'the second argument must be a function, got undefined',
    ],
    ['a resource by name', () => untyped().resource('a', 'test://a', handler), 'server.resource takes a definition'],
    [
      'a template by name',
      () => untyped().resourceTemplate('a', handler),
      'server.resourceTemplate takes a definition',
    ],
    ['a prompt by name', () => untyped().prompt('p', handler), 'server.prompt takes a definition'],
    ['a request without a handler', () => untyped().onRequest('custom/x'), 'the handler of custom/x is not a function'],
    [
      'a tool without a name',
      () => untyped().tool({}, handler),
      'Tool: name must be a non-empty string, got undefined',
    ],
    ['a prompt with an empty name', () => makeServer().prompt({ name: '' }, handler), 'must be a non-empty string'],
    [
      'two arguments of one name',
      () => makeServer().prompt({ name: 'p', arguments: [{ name: 'a' }, { name: 'a' }] }, handler),
      'Prompt p: there are two arguments called a',
    ],
    [
      'prompt arguments in an object',
      () => untyped().prompt({ name: 'p', arguments: { a: {} } }, handler),
      'Prompt p: arguments must be an array',
    ],
    [
      'prompt arguments in the way of the official SDK',
      () => untyped().prompt({ name: 'p', argsSchema: { a: z.string() } }, handler),
      'Prompt p: argsSchema is an object of schemas; make one schema of it, as z.object({ … }) does',
    ],
    [
      'a schema under the name of another library',
      () => untyped().tool({ name: 'q', parameters: { type: 'object' } }, handler),
      'Tool q: parameters is not supported. Give the schema as inputSchema',
    ],
    [
      'a type that does not exist',
      () => untyped().tool({ name: 'q', inputSchema: objectOf({ a: { type: 'strng' } }) }, handler),
      'Tool q: inputSchema: properties.a.type is "strng"; types are string, number, integer',
    ],
    [
      'a type that does not exist, deeper',
      () =>
        untyped().tool({ name: 'q', inputSchema: objectOf({ a: { items: { anyOf: [{ type: 'any' }] } } }) }, handler),
      'Tool q: inputSchema: properties.a.items.anyOf[0].type is "any"',
    ],
    [
      'required at the property',
      () => untyped().tool({ name: 'q', inputSchema: objectOf({ a: { type: 'string', required: true } }) }, handler),
      'Tool q: inputSchema: properties.a.required is true; it lists the names of required properties',
    ],
    [
      'a type in place of a schema',
      () => untyped().tool({ name: 'q', inputSchema: objectOf({ a: 'string' }) }, handler),
      'Tool q: inputSchema: properties.a is "string"; a schema is an object',
    ],
    [
      'properties in an array',
      () => untyped().tool({ name: 'q', inputSchema: objectOf(['a']) }, handler),
      'Tool q: inputSchema: properties is an array; it has a schema for each name',
    ],
    [
      'a notification without a handler',
      () => untyped().onNotification('custom/x'),
      'onNotification: the handler of custom/x must be a function, got undefined',
    ],
    [
      'a handler for initialize',
      () => untyped().onRequest('initialize', handler),
      'the server responds to initialize itself',
    ],
    ['a notification without a method', () => untyped().notifyAll(), 'A message has a method or a definition of one'],
    [
      'a list that does not exist',
      () => untyped().listChanged('tool'),
      "server.listChanged: the list must be 'tools' or 'prompts' or 'resources', got \"tool\"",
    ],
    [
      'a callback that is no function',
      // biome-ignore lint/suspicious/noExplicitAny: the compiler refuses this call
      () => new (Server as any)({ name: 'a', version: '1' }, { onError: 'ignore' }),
      'new Server: onError must be a function, got "ignore"',
    ],
    [
      'a choice that does not exist',
      // biome-ignore lint/suspicious/noExplicitAny: the compiler refuses this call
      () => new (Server as any)({ name: 'a', version: '1' }, { negotiation: 'strct' }),
      "new Server: negotiation must be 'lenient' or 'strict', got \"strct\"",
    ],
    [
      'an option that does not exist',
      // biome-ignore lint/suspicious/noExplicitAny: the compiler refuses this call
      () => new (Server as any)({ name: 'a', version: '1' }, { instruction: 'Sells fruit.' }),
      'new Server has no option instruction. Did you mean instructions?',
    ],
    [
      'a limit that does not exist',
      // biome-ignore lint/suspicious/noExplicitAny: the compiler refuses this call
      () => new (Server as any)({ name: 'a', version: '1' }, { limits: { maxInflight: 5 } }),
      'new Server: limits has no option maxInflight. Did you mean maxInFlight?',
    ],
    [
      'an option of tasks that does not exist',
      // biome-ignore lint/suspicious/noExplicitAny: the compiler refuses this call
      () => new (Server as any)({ name: 'a', version: '1' }, { tasks: { ttl: 5 } }),
      'new Server: tasks has no option ttl. Did you mean ttlMs?',
    ],
    [
      'a limit below zero',
      () => makeServer({ limits: { maxInFlight: -1 } }),
      'new Server: limits.maxInFlight must be a number that is not negative, got -1',
    ],
    [
      'a limit of tasks that is no number',
      () => makeServer({ tasks: { maxTasks: Number.NaN } }),
      'new Server: tasks.maxTasks must be a number that is not negative, got NaN',
    ],
    ['empty pages', () => makeServer({ pageSize: 0 }), 'new Server: pageSize must be a positive integer, got 0'],
    ['an empty secret', () => makeServer({ stateSecret: '' }), 'new Server: stateSecret is empty. Give it at least 32'],
    ['a bus that is none', () => makeServer({ bus: {} as never }), 'bus takes an EventBus, got an object without'],
    [
      'a session without a connection',
      () => untyped().connect(),
      'server.connect takes a Connection, got undefined. To listen, use serveStdio, serveHttp or serveWebSocket',
    ],
    [
      'a transport of the official SDK',
      () => untyped().connect({ start: async () => {}, send: async () => {}, close: async () => {} }),
      'server.connect takes a Connection, got an object without drained(). To listen, use serveStdio',
    ],
    [
      'a server without a name and a version',
      // biome-ignore lint/suspicious/noExplicitAny: the compiler refuses this call
      () => new (Server as any)('notes'),
      "new Server takes { name, version }, both strings, first. Write new Server({ name: 'notes', version: '1.0.0' })",
    ],
    [
      'a relative URI',
      () => makeServer().resource({ uri: 'a.txt', name: 'a' }, handler),
      'Resource a: uri must be an absolute URI',
    ],
    [
      'a template as the URI of a resource',
      () => makeServer().resource({ uri: 'test://{a}', name: 'a' }, handler),
      'Resource a: a URI has no braces. For a template, write server.resourceTemplate({ uriTemplate: "test://{a}",',
    ],
    [
      'prompt arguments as texts',
      () => untyped().prompt({ name: 'p', arguments: ['a'] }, handler),
      'Prompt p: argument: name must be a non-empty string, got undefined',
    ],
    [
      'an update of nothing',
      () => untyped().resourceUpdated(),
      'server.resourceUpdated takes a URI first, got undefined',
    ],
    [
      'a level of another logger',
      () => makeServer({ capabilities: { logging: {} } }).log('warn' as never, ''),
      'server.log: level must be one of debug, info, notice, warning, error, critical, alert, emergency, got "warn"',
    ],
    [
      'a template that is malformed',
      () => makeServer().resourceTemplate({ uriTemplate: 'test://{a', name: 't' }, handler),
      'Malformed URI template "test://{a": a { is not closed',
    ],
    [
      'a completer for no variable',
      () => untyped().resourceTemplate({ uriTemplate: 'test://{a}', name: 't', complete: { b: handler } }, handler),
      'Resource template t: complete has b, which is not a variable of test://{a}',
    ],
    ['a method of JSON-RPC itself', () => makeServer().onRequest('rpc.discover', handler), 'JSON-RPC reserves'],
    [
      'an object of schemas',
      () => untyped().tool({ name: 'q', inputSchema: { a: z.string() } }, handler),
      'Tool q: inputSchema is an object of schemas; make one schema of it, as z.object({ … }) does',
    ],
    [
      'a schema that is not of an object',
      () => makeServer().tool({ name: 'q', inputSchema: z.string() }, handler),
      'Tool q: inputSchema must have type "object" at its root, got "string"',
    ],
    [
      'a schema that cannot be described',
      () => makeServer().tool({ name: 'q', inputSchema: v.object({ n: v.number() }) }, handler),
      'Tool q: inputSchema: A schema of valibot cannot describe itself as JSON Schema. Give its JSON Schema as inputJsonSchema.',
    ],
    [
      'an output schema that cannot be described',
      () => untyped().tool({ name: 'q', outputSchema: z.object({ at: z.date() }) }, handler),
      'Tool q: outputSchema: This zod schema cannot be described as JSON Schema',
    ],
  ])('%s', (_, register, message) => {
    expect(register).toThrow(message);
  });
});

describe('a mistake in a result gets -32603 and is reported with its name', () => {
  it.each<[string, unknown, string]>([
    ['a number', 5, 'returned a number'],
    ['null', null, 'returned null'],
    ['an array', [], 'returned an array'],
    ['an object of something else', { temperature: 5 }, 'returned an object without content or structuredContent'],
    ['content that is a text', { content: 'text' }, 'returned content that is a string'],
    [
      'content of texts',
      { content: ['text'] },
      'returned content whose item 0 is a string, not a content block like { type: "text"',
    ],
    ['a text block without text', { content: [{ type: 'text' }] }, 'returned content whose item 0 has no text'],
    ['content with a hole', { content: [undefined] }, 'returned content whose item 0 is undefined'],
    [
      'a block of an unknown type',
      {
        content: [
          { type: 'text', text: '' },
          { type: 'txt', text: '' },
        ],
      },
      'returned content whose item 1 has the type "txt"; types are text, image, audio, resource and resource_link',
    ],
    [
      'an image as bytes',
      { content: [{ type: 'image', data: Buffer.from('x'), mimeType: 'image/png' }] },
      "returned content whose item 0 has data that is an object, not a text in Base64, as buffer.toString('base64')",
    ],
    [
      'an image without its type',
      { content: [{ type: 'image', data: '' }] },
      'returned content whose item 0 has no mimeType',
    ],
    [
      'a link without a name',
      { content: [{ type: 'resource_link', uri: 'a:b' }] },
      'returned content whose item 0 has no name',
    ],
    [
      'a resource without contents',
      { content: [{ type: 'resource', resource: { uri: 'a:b' } }] },
      'returned content whose item 0 has a resource that has neither text nor blob',
    ],
    ['a date', new Date(0), 'returned an object without content or structuredContent'],
    [
      'structuredContent that is a function',
      { structuredContent: () => 1 },
      'returned structuredContent that is a function',
    ],
  ])('of a tool: %s', async (_, outcome, problem) => {
    const reported: string[] = [];
    const server = makeServer({ onError: ({ message }, { what }) => reported.push(`${what}: ${message}`) });
    server.tool({ name: 'wrong' }, () => outcome as string);
    const [session] = await join(server);
    await expect(session.callTool('wrong')).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining(`Internal error: tool wrong ${problem}`),
    });
    expect(reported).toEqual([expect.stringContaining(`tool wrong: tool wrong ${problem}`)]);
  });

  it('of a prompt, a resource and a completer', async () => {
    const reported: string[] = [];
    const server = makeServer({ onError: ({ message }, { what }) => reported.push(`${what}: ${message}`) });
    server.prompt(
      { name: 'p', arguments: [{ name: 'a', complete: () => 'text' as never }] },
      () => ({ text: '' }) as never,
    );
    server.resource({ uri: 'test://r', name: 'r' }, async () => Buffer.from('bytes') as never);
    const [session] = await join(server);
    const fails = (asked: Promise<unknown>) => expect(asked).rejects.toMatchObject({ code: -32603 });
    await fails(session.getPrompt('p'));
    await fails(session.readResource('test://r'));
    await fails(session.complete({ ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }));
    expect(reported).toEqual([
      'prompt p: Prompt p returned an object; return a string or { messages: [{ role, content }] }',
      expect.stringContaining(
        'resource r: Resource r returned an object that has neither text nor blob; return a string, { text }, { blob }',
      ),
      'completion of a: A completer must return an array of strings, got a string',
    ]);
  });

  it.each<[string, unknown, string]>([
    ['no role', [{ content: { type: 'text', text: '' } }], 'returned messages[0] whose role is undefined'],
    [
      'another role',
      [{ role: 'system', content: { type: 'text', text: '' } }],
      'returned messages[0] whose role is "system"; roles are user and assistant',
    ],
    ['a text as content', [{ role: 'user', content: 'text' }], 'returned messages[0] whose content is a string, not a'],
    ['no message', [null], 'returned messages[0] whose role is undefined'],
  ])('of a prompt: %s', async (_, messages, problem) => {
    const reported: string[] = [];
    const server = makeServer({ onError: ({ message }) => reported.push(message) });
    server.prompt({ name: 'p' }, () => ({ messages }) as never);
    const [session] = await join(server);
    await expect(session.getPrompt('p')).rejects.toMatchObject({ code: -32603 });
    expect(reported).toEqual([expect.stringContaining(`Prompt p ${problem}`)]);
  });

  it.each<[string, unknown, string]>([
    ['a number', 5, 'returned a number'],
    [
      'a blob as bytes',
      { blob: Buffer.from('x') },
      'returned an object that has a blob that is an object, not a text in',
    ],
    ['contents that are no list', { contents: 'x' }, 'returned an object that has contents that are a string'],
    ['contents without a text', { contents: [{ uri: 'a:b' }] }, 'returned contents whose item 0 has neither text nor'],
    ['an array of texts', ['x'], 'returned contents whose item 0 has neither text nor blob'],
  ])('of a resource: %s', async (_, outcome, problem) => {
    const reported: string[] = [];
    const server = makeServer({ onError: ({ message }) => reported.push(message) });
    server.resource({ uri: 'test://r', name: 'r' }, () => outcome as string);
    const [session] = await join(server);
    await expect(session.readResource('test://r')).rejects.toMatchObject({ code: -32603 });
    expect(reported).toEqual([expect.stringContaining(`Resource r ${problem}`)]);
  });

  it('of a task, too', async () => {
    const reported: string[] = [];
    const server = makeServer({ tasks: {}, onError: ({ message }) => reported.push(message) });
    server.tool({ name: 'work' }, (_args, { task }) => task(() => 5 as never));
    const [session] = await join(server, { negotiation: 'discover' });
    await expect(session.callTool('work')).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('tool work returned a number'),
    });
    expect(reported).toHaveLength(1);
  });
});

describe('what a handler throws, with maskErrors', () => {
  it('is hidden behind an id that is in the log, unless a tool or an RpcError says it', async () => {
    const reported: unknown[] = [];
    const server = makeServer({
      maskErrors: true,
      onError: ({ message }, { what, id }) => reported.push({ what, id, message }),
    });
    const secret = (): never => {
      throw new Error('password: hunter2');
    };
    server.tool({ name: 't' }, secret);
    server.resource({ uri: 'test://r', name: 'r' }, secret);
    server.prompt({ name: 'p' }, async () => secret());
    server.onRequest('custom/ask', secret);
    server.onRequest('custom/rpc', () => {
      throw new RpcError(-32050, 'for the client');
    });
    const [session] = await join(server);
    const hidden = async (request: Promise<unknown>) => {
      const { message } = await request.then(
        () => new Error('It has succeeded'),
        (error: Error) => error,
      );
      const [, id] = /^Internal error\. The server's log has the reason \(id ([0-9a-f]{8})\)\.$/.exec(message) ?? [];
      return id;
    };
    expect(await session.callTool('t')).toMatchObject({ isError: true, content: [{ text: 'password: hunter2' }] });
    const ids = [
      await hidden(session.request('resources/read', { uri: 'test://r' })),
      await hidden(session.request('prompts/get', { name: 'p' })),
      await hidden(session.request('custom/ask')),
    ];
    await expect(session.request('custom/rpc')).rejects.toMatchObject({ message: 'for the client' });
    server.use(secret);
    ids.push(await hidden(session.request('ping')));
    const message = 'password: hunter2';
    expect(reported).toEqual([
      { what: 'tool t', id: expect.any(String), message },
      { what: 'resource r', id: ids[0], message },
      { what: 'prompt p', id: ids[1], message },
      { what: 'request custom/ask', id: ids[2], message },
      { what: 'middleware of ping', id: ids[3], message },
    ]);
  });

  it('is said if it is StoreUnavailable, whose message holds no secrets', async () => {
    const reported: string[] = [];
    const server = makeServer({ maskErrors: true, onError: ({ message }) => reported.push(message) });
    server.onRequest('custom/ask', () => {
      throw new StoreUnavailable('the store is away');
    });
    const [session] = await join(server);
    await expect(session.request('custom/ask')).rejects.toThrow('Internal error: the store is away');
    expect(reported).toEqual(['the store is away']);
  });

  it('is on in production', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const server = makeServer({ onError: () => {} });
    vi.unstubAllEnvs();
    server.onRequest('custom/ask', () => {
      throw new Error('password: hunter2');
    });
    const [session] = await join(server);
    await expect(session.request('custom/ask')).rejects.toThrow('Internal error. The server');
  });
});

describe('what a handler throws', () => {
  it('is reported with its stack and where it happened, besides being sent', async () => {
    const reported: unknown[] = [];
    const server = makeServer({
      onError: (error, { what, session }) =>
        reported.push([what, error.message, error.stack?.includes('registration-checks.test.ts'), session?.state]),
    });
    const boom = (message: string) => (): never => {
      throw new Error(message);
    };
    server.tool({ name: 'sync' }, boom('one'));
    server.tool({ name: 'async' }, async () => boom('two')());
    server.prompt({ name: 'p', arguments: [{ name: 'a', complete: boom('three') }] }, boom('four'));
    server.resource({ uri: 'test://r', name: 'r' }, boom('five'));
    server.onRequest('custom/ask', async () => boom('six')());
    server.onNotification('custom/tell', boom('seven'));
    const [session] = await join(server);
    expect(await session.callTool('sync')).toMatchObject({ isError: true, content: [{ text: 'one' }] });
    expect(await session.callTool('async')).toMatchObject({ isError: true, content: [{ text: 'two' }] });
    const asked = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } } as const;
    await expect(session.complete(asked)).rejects.toThrow('Internal error: three');
    await expect(session.getPrompt('p')).rejects.toThrow('Internal error: four');
    await expect(session.readResource('test://r')).rejects.toThrow('Internal error: five');
    await expect(session.request('custom/ask')).rejects.toThrow('Internal error: six');
    session.notify('custom/tell');
    await session.ping();
    expect(reported).toEqual([
      ['tool sync', 'one', true, 'ready'],
      ['tool async', 'two', true, 'ready'],
      ['completion of a', 'three', true, 'ready'],
      ['prompt p', 'four', true, 'ready'],
      ['resource r', 'five', true, 'ready'],
      ['request custom/ask', 'six', true, 'ready'],
      ['notification custom/tell', 'seven', true, 'ready'],
    ]);
  });

  it('is reported for stateless requests too', async () => {
    const reported: string[] = [];
    const server = makeServer({ onError: ({ message }, { what }) => reported.push(`${what}: ${message}`) });
    server.tool({ name: 'bad' }, () => Promise.reject(new Error('no')));
    await openMemory(server).call('bad');
    expect(reported).toEqual(['tool bad: no']);
  });
});
