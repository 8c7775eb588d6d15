import * as v from 'valibot';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { Client, type ClientOptions } from '../client/client.ts';
import type { ClientSession } from '../client/session.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import { defineNotification, defineRequest } from '../protocol/definition.ts';
import type { SessionState } from '../protocol/types.ts';
import { memoryPair } from '../transports/memory/pair.ts';
import { Server, type ServerOptions } from './server.ts';
import type { ServerSession } from './session.ts';

const INFO = { name: 'test', version: '1.2.3' };

function makeServer(options: ServerOptions = {}): Server {
  return new Server(INFO, {
    onError: (error) => {
      throw error;
    },
    ...options,
  });
}

/** A client in session with the server, over JSON as on a wire. */
async function join(server: Server, options: ClientOptions = {}): Promise<[ClientSession, ServerSession]> {
  const [ours, theirs] = memoryPair({ copy: 'json' });
  const serverSession = server.connect(ours);
  const session = await new Client({ name: 'tester', version: '0' }, { negotiation: 'initialize', ...options }).connect(
    theirs,
  );
  // The server has read `notifications/initialized` once it answers what came after.
  await session.ping();
  return [session, serverSession];
}

const once = <T>(begin: (done: (value: T) => void) => unknown) => new Promise<T>((resolve) => void begin(resolve));

describe('tools', () => {
  it('a tool may answer with text, blocks, structured content or nothing', async () => {
    const server = makeServer();
    server.tool({ name: 'text' }, () => 'plain');
    server.tool({ name: 'blocks' }, async () => ({
      content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
    }));
    server.tool({ name: 'structured' }, () => ({ structuredContent: { n: 1 } }));
    server.tool({ name: 'nothing' }, () => undefined);
    const [session] = await join(server);
    expect(await session.callTool('text')).toEqual({ content: [{ type: 'text', text: 'plain' }] });
    expect(await session.callTool('blocks')).toEqual({
      content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
    });
    expect(await session.callTool('structured')).toEqual({
      content: [{ type: 'text', text: '{"n":1}' }],
      structuredContent: { n: 1 },
    });
    expect(await session.callTool('nothing')).toEqual({ content: [] });
  });

  it('a tool that throws answers with isError, unless it throws an RpcError', async () => {
    const server = makeServer();
    const throwing = (thrown: unknown) => () => {
      throw thrown;
    };
    server.tool({ name: 'error' }, throwing(new Error('no such file')));
    server.tool({ name: 'late' }, () => Promise.reject(new Error('gave up')));
    server.tool({ name: 'nothing' }, throwing(undefined));
    server.tool({ name: 'rpc' }, throwing(new RpcError(-32050, 'for the client')));
    const [session] = await join(server);
    const failure = (text: string) => ({ content: [{ type: 'text', text }], isError: true });
    expect(await session.callTool('error')).toEqual(failure('no such file'));
    expect(await session.callTool('late')).toEqual(failure('gave up'));
    expect(await session.callTool('nothing')).toEqual(failure('The tool failed and gave no reason'));
    await expect(session.callTool('rpc')).rejects.toMatchObject({ code: -32050, message: 'for the client' });
  });

  it('arguments are checked by plain JSON Schema, simple or not, before the handler runs', async () => {
    const server = makeServer();
    const handler = vi.fn(() => 'ran');
    server.tool({ name: 'simple', inputSchema: { type: 'object', properties: { n: { type: 'integer' } } } }, handler);
    const pattern = { type: 'object', properties: { id: { type: 'string', pattern: '^[a-z]+$' } }, required: ['id'] };
    server.tool({ name: 'full', inputSchema: pattern }, handler);
    const [session] = await join(server);
    expect(await session.callTool('simple', { n: 1.5 })).toMatchObject({ isError: true });
    const { content, isError } = await session.callTool('full', { id: 'A1' });
    expect(isError).toBe(true);
    expect(content[0]).toMatchObject({
      text: expect.stringContaining('Invalid arguments for tool full: arguments.id:'),
    });
    expect(await session.callTool('full', {})).toMatchObject({
      content: [{ text: 'Invalid arguments for tool full: arguments.id: required but missing' }],
    });
    expect(handler).not.toHaveBeenCalled();
    expect(await session.callTool('full', { id: 'abc' })).toMatchObject({ content: [{ text: 'ran' }] });
  });

  it('arguments are checked and typed by zod, and by valibot with a JSON Schema beside it', async () => {
    const server = makeServer();
    server.tool(
      { name: 'zod', inputSchema: z.object({ n: z.number().int(), who: z.string().default('you') }) },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{ n: number; who: string }>();
        return `${args.who} ${args.n}`;
      },
    );
    const inputJsonSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    server.tool({ name: 'valibot', inputSchema: v.object({ n: v.number() }), inputJsonSchema }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ n: number }>();
      return String(args.n);
    });
    expect(() => server.tool({ name: 'x', inputSchema: v.object({ n: v.number() }) }, () => '')).toThrow(/JSON Schema/);
    const [session] = await join(server);
    const [zod, valibot] = await session.listTools();
    expect(zod?.inputSchema).toMatchObject({ type: 'object', properties: { n: { type: 'integer' } } });
    expect(valibot?.inputSchema).toEqual(inputJsonSchema);
    expect(await session.callTool('zod', { n: 2 })).toMatchObject({ content: [{ text: 'you 2' }] });
    expect(await session.callTool('valibot', { n: 3 })).toMatchObject({ content: [{ text: '3' }] });
    expect(await session.callTool('zod', { n: 'two' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('arguments.n') }],
    });
  });

  it('structured content is held to the output schema on both sides', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const server = makeServer();
    server.tool({ name: 'good', outputSchema }, () => ({ structuredContent: { n: 1 } }));
    server.tool({ name: 'bad', outputSchema }, () => ({ structuredContent: { n: 'one' } }));
    server.tool({ name: 'none', outputSchema }, () => 'text only');
    server.tool({ name: 'failing', outputSchema }, () => Promise.reject(new Error('sorry')));
    const [session] = await join(server);
    await session.listTools();
    expect(await session.callTool('good')).toMatchObject({ structuredContent: { n: 1 } });
    expect(await session.callTool('failing')).toMatchObject({ isError: true });
    const message = 'Internal error: tool bad broke its outputSchema: structuredContent.n: expected number, got string';
    await expect(session.callTool('bad')).rejects.toMatchObject({ code: -32603, message });
    await expect(session.callTool('none')).rejects.toMatchObject({ code: -32603 });
    const lying = makeServer({ capabilities: { tools: {} } });
    lying.onRequest('tools/list', () => ({ tools: [{ name: 'liar', inputSchema: { type: 'object' }, outputSchema }] }));
    lying.onRequest('tools/call', () => ({ content: [], structuredContent: { n: 'one' } }));
    const [wary] = await join(lying);
    await wary.listTools();
    await expect(wary.callTool('liar')).rejects.toThrow('Tool liar broke its outputSchema: structuredContent.n');
  });

  it('lists come in pages that a client puts together, in the order of registration', async () => {
    const server = makeServer({ pageSize: 3 });
    const names = Array.from({ length: 8 }, (_, n) => `tool ${n}`);
    for (const name of names) server.tool({ name }, () => '');
    const [session] = await join(server);
    expect((await session.listTools()).map(({ name }) => name)).toEqual(names);
    const first = (await session.request('tools/list', {})) as { tools: unknown[]; nextCursor: string };
    expect(first.tools).toHaveLength(3);
    const second = (await session.request('tools/list', { cursor: first.nextCursor })) as { tools: object[] };
    expect(second.tools[0]).toMatchObject({ name: 'tool 3' });
    await expect(session.request('tools/list', { cursor: 'made up' })).rejects.toMatchObject({ code: -32602 });
    await expect(session.request('tools/list', { cursor: 5 })).rejects.toMatchObject({ code: -32602 });
    expect(await session.request('tools/list', { cursor: null })).toEqual(first);
  });

  it('a change of the list is announced once for all changes made together', async () => {
    const server = makeServer();
    const [one, two] = [server.tool({ name: 'one' }, () => ''), server.tool({ name: 'two' }, () => '')];
    const [session] = await join(server);
    const announced = vi.fn();
    session.onNotification('notifications/tools/list_changed', announced);
    const next = once((done) => session.onNotification('notifications/tools/list_changed', done));
    one.remove();
    server.tool({ name: 'three' }, () => '');
    two.remove();
    two.remove();
    await next;
    expect((await session.listTools()).map(({ name }) => name)).toEqual(['three']);
    expect(announced).toHaveBeenCalledOnce();
  });

  it('a list that has become empty is announced and still answered', async () => {
    const server = makeServer();
    const only = server.tool({ name: 'only' }, () => '');
    const [session] = await join(server);
    const announced = once((done) => session.onNotification('notifications/tools/list_changed', done));
    only.remove();
    await announced;
    expect(await session.listTools()).toEqual([]);
    await expect(session.callTool('only')).rejects.toMatchObject({ code: -32602, message: 'Unknown tool: only' });
  });

  it('arguments of null are taken as absent', async () => {
    const server = makeServer();
    server.tool({ name: 'plain' }, (args) => JSON.stringify(args));
    const [session] = await join(server);
    const answer = await session.request('tools/call', { name: 'plain', arguments: null });
    expect(answer).toMatchObject({ content: [{ text: '{}' }] });
  });

  it('a server that declares a static list announces nothing', async () => {
    const server = makeServer({ capabilities: { tools: {} } });
    server.tool({ name: 'one' }, () => '');
    const [session] = await join(server);
    expect(session.serverCapabilities).toEqual({ tools: {} });
    const announced = vi.fn();
    session.onNotification('notifications/tools/list_changed', announced);
    server.tool({ name: 'two' }, () => '');
    expect(await session.listTools()).toHaveLength(2);
    expect(announced).not.toHaveBeenCalled();
  });

  it('two tools of one name, and input that is no object, are refused at registration', () => {
    const server = makeServer();
    server.tool({ name: 'one' }, () => '');
    expect(() => server.tool({ name: 'one' }, () => '')).toThrow('There is already a tool called one');
    expect(() => server.tool({ name: 'two', inputSchema: { type: 'string' } }, () => '')).toThrow(
      'Tool two: inputSchema must have type "object"',
    );
  });

  it('a handler that waits for a person holds up nothing else', async () => {
    const server = makeServer();
    let decide = (_: string) => {};
    server.tool({ name: 'review' }, () => once<string>((done) => (decide = done)));
    server.tool({ name: 'quick' }, () => 'at once');
    const [session] = await join(server);
    const [other] = await join(server);
    const review = session.callTool('review', {}, { timeout: undefined });
    expect(await session.callTool('quick')).toMatchObject({ content: [{ text: 'at once' }] });
    expect(await other.callTool('quick')).toMatchObject({ content: [{ text: 'at once' }] });
    decide('accepted');
    expect(await review).toMatchObject({ content: [{ text: 'accepted' }] });
  });

  it('a cancelled call aborts the signal of its handler', async () => {
    const server = makeServer();
    const aborted = once<unknown>((done) => {
      server.tool({ name: 'slow' }, (_args, { signal }) => {
        signal.addEventListener('abort', () => done(signal.reason));
        return new Promise<never>(() => {});
      });
    });
    const [session] = await join(server);
    const controller = new AbortController();
    const call = session.callTool('slow', {}, { signal: controller.signal });
    await session.ping();
    controller.abort(new Error('not needed any more'));
    await expect(call).rejects.toThrow('not needed any more');
    expect(await aborted).toEqual(new Error('Cancelled by the other side: not needed any more'));
  });

  it('progress reaches the caller that asked for it, and nobody else', async () => {
    const server = makeServer();
    server.tool({ name: 'work' }, (_args, context) => {
      context.progress(1, 3);
      context.progress(2, 3, 'nearly');
      return 'done';
    });
    const [session] = await join(server);
    const heard: unknown[] = [];
    await session.callTool('work', {}, { onProgress: (progress) => heard.push(progress) });
    await session.callTool('work');
    expect(heard).toEqual([
      { progress: 1, total: 3 },
      { progress: 2, total: 3, message: 'nearly' },
    ]);
  });
});

describe('resources', () => {
  it('fixed resources and templates are listed and read; what is not there is -32002 with its uri', async () => {
    const server = makeServer();
    server.resource({ uri: 'test://a', name: 'a', mimeType: 'text/plain' }, () => ({
      text: 'A',
      mimeType: 'text/plain',
    }));
    server.resource({ uri: 'test://gone', name: 'gone' }, async () => undefined);
    server.resourceTemplate(
      { uriTemplate: 'test://user/{id}/{part}', name: 'user' },
      ({ id, part }) => `${id}: ${part}`,
    );
    server.resourceTemplate({ uriTemplate: 'test://many/{n}', name: 'many' }, ({ n }, uri) =>
      n === '0'
        ? undefined
        : [
            { uri, text: 'one' },
            { uri: `${uri}/2`, blob: 'AA==' },
          ],
    );
    const [session] = await join(server);
    expect(await session.listResources()).toEqual([
      { uri: 'test://a', name: 'a', mimeType: 'text/plain' },
      { uri: 'test://gone', name: 'gone' },
    ]);
    expect(await session.listResourceTemplates()).toMatchObject([{ name: 'user' }, { name: 'many' }]);
    expect(await session.readResource('test://a')).toEqual([{ uri: 'test://a', text: 'A', mimeType: 'text/plain' }]);
    expect(await session.readResource('test://user/7/na%20me')).toEqual([
      { uri: 'test://user/7/na%20me', text: '7: na me' },
    ]);
    expect(await session.readResource('test://many/2')).toHaveLength(2);
    for (const uri of ['test://gone', 'test://many/0', 'test://nowhere', '__proto__']) {
      await expect(session.readResource(uri)).rejects.toMatchObject({
        code: -32002,
        message: `Resource not found: ${uri}`,
        data: { uri },
      });
    }
    await expect(session.request('resources/read', {})).rejects.toMatchObject({ code: -32602 });
  });

  it('an update reaches the sessions that subscribed, until they unsubscribe', async () => {
    const server = makeServer();
    server.resource({ uri: 'test://a', name: 'a' }, () => 'A');
    const [subscriber] = await join(server);
    const [bystander] = await join(server);
    const heard: unknown[] = [];
    subscriber.onNotification('notifications/resources/updated', (params) => heard.push(params));
    bystander.onNotification('notifications/resources/updated', () => heard.push('bystander'));
    await subscriber.subscribe('test://a');
    server.resourceUpdated('test://a');
    server.resourceUpdated('test://b');
    await subscriber.unsubscribe('test://a');
    server.resourceUpdated('test://a');
    await Promise.all([subscriber.ping(), bystander.ping()]);
    expect(heard).toEqual([{ uri: 'test://a' }]);
  });
});

describe('prompts and completion', () => {
  const withPrompts = () => {
    const server = makeServer();
    const languages = ['python', 'pascal', 'perl', 'ruby'];
    server.prompt(
      {
        name: 'review',
        description: 'Reviews code',
        arguments: [
          { name: 'code', required: true },
          { name: 'language', complete: (value) => languages.filter((each) => each.startsWith(value)) },
        ],
      },
      ({ code, language = 'any' }) => `Review this ${language} code: ${code}`,
    );
    server.prompt({ name: 'chat' }, async () => ({
      messages: [{ role: 'assistant', content: { type: 'text', text: 'Hello' } }],
    }));
    server.resourceTemplate(
      {
        uriTemplate: 'file:///{dir}/{name}',
        name: 'file',
        complete: { name: async (value, { dir }) => Array.from({ length: 250 }, (_, n) => `${dir}-${value}${n}`) },
      },
      () => '',
    );
    return server;
  };

  it('prompts are listed and got; a missing or wrong argument is -32602', async () => {
    const [session] = await join(withPrompts());
    expect(await session.listPrompts()).toEqual([
      {
        name: 'review',
        description: 'Reviews code',
        arguments: [{ name: 'code', required: true }, { name: 'language' }],
      },
      { name: 'chat' },
    ]);
    expect(await session.getPrompt('review', { code: 'x=1' })).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'Review this any code: x=1' } }],
    });
    expect(await session.getPrompt('chat')).toMatchObject({ messages: [{ role: 'assistant' }] });
    const refused = (message: string) => ({ code: -32602, message });
    await expect(session.getPrompt('review')).rejects.toMatchObject(
      refused('Invalid params for prompts/get: prompt review needs the argument code'),
    );
    await expect(session.request('prompts/get', { name: 'review', arguments: { code: 1 } })).rejects.toMatchObject(
      refused('Invalid params for prompts/get: arguments.code: expected string, got number'),
    );
    await expect(session.getPrompt('toString')).rejects.toMatchObject(refused('Unknown prompt: toString'));
  });

  it('completes arguments of prompts and variables of templates, at most a hundred at a time', async () => {
    const [session] = await join(withPrompts());
    expect(session.serverCapabilities.completions).toEqual({});
    const prompt = { type: 'ref/prompt', name: 'review' } as const;
    expect(await session.complete({ ref: prompt, argument: { name: 'language', value: 'p' } })).toEqual({
      values: ['python', 'pascal', 'perl'],
      total: 3,
      hasMore: false,
    });
    expect(await session.complete({ ref: prompt, argument: { name: 'code', value: '' } })).toMatchObject({
      values: [],
    });
    const completion = await session.complete({
      ref: { type: 'ref/resource', uri: 'file:///{dir}/{name}' },
      argument: { name: 'name', value: 'n' },
      context: { arguments: { dir: 'src' } },
    });
    expect(completion).toMatchObject({ total: 250, hasMore: true });
    expect(completion.values).toHaveLength(100);
    expect(completion.values[0]).toBe('src-n0');
    for (const params of [
      {},
      { ref: 5, argument: 'x' },
      { ref: { type: 'ref/prompt', name: 'no' }, argument: { name: 'a', value: '' } },
    ]) {
      await expect(session.request('completion/complete', params)).rejects.toMatchObject({ code: -32602 });
    }
  });
});

describe('what a server does not offer', () => {
  it('is not declared and is answered with -32601', async () => {
    const [session] = await join(makeServer());
    expect(session.serverCapabilities).toEqual({});
    for (const method of ['tools/list', 'resources/list', 'prompts/list', 'completion/complete', 'logging/setLevel']) {
      await expect(session.request(method)).rejects.toMatchObject({
        code: -32601,
        message: `Method not found: ${method}`,
      });
    }
  });
});

describe('logging', () => {
  it('messages below the level the client chose stay here', async () => {
    const [quiet, serverSession] = await join(makeServer({ capabilities: { logging: {} } }));
    const heard: unknown[] = [];
    quiet.onNotification('notifications/message', (message) => heard.push(message));
    await quiet.setLogLevel('warning');
    serverSession.log('info', 'ignored');
    serverSession.log('warning', { text: 'heard' });
    serverSession.log('emergency', 'heard too', 'core');
    await quiet.ping();
    expect(heard).toEqual([
      { level: 'warning', data: { text: 'heard' } },
      { level: 'emergency', data: 'heard too', logger: 'core' },
    ]);
    await expect(quiet.request('logging/setLevel', { level: 'loud' })).rejects.toMatchObject({ code: -32602 });
  });

  it('a server that does not declare logging cannot log', async () => {
    const [, serverSession] = await join(makeServer());
    expect(() => serverSession.log('info', 'x')).toThrow('does not declare the logging capability');
  });
});

describe('what a server asks of its client', () => {
  it('sampling, elicitation and roots are answered by the client, which is told of its capabilities', async () => {
    const asked: unknown[] = [];
    const [session, server] = await join(makeServer(), {
      createMessage: (params) => {
        asked.push(params);
        return { role: 'assistant', content: { type: 'text', text: 'Hi' }, model: 'm' };
      },
      elicit: async () => ({ action: 'accept', content: { name: 'Ada' } }),
      roots: () => [{ uri: 'file:///project' }],
    });
    expect(server.clientCapabilities).toEqual({ sampling: {}, elicitation: {}, roots: { listChanged: true } });
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello' } }];
    expect(await server.createMessage({ messages, maxTokens: 5 })).toMatchObject({ model: 'm' });
    expect(asked).toEqual([{ messages, maxTokens: 5 }]);
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    expect(await server.elicit({ message: 'Who?', requestedSchema })).toEqual({
      action: 'accept',
      content: { name: 'Ada' },
    });
    expect(await server.listRoots()).toEqual([{ uri: 'file:///project' }]);
    await server.ping();
    const numeric = { type: 'object', properties: { name: { type: 'number' } } };
    await expect(server.elicit({ message: 'Who?', requestedSchema: numeric })).rejects.toThrow(
      "The client's answer does not fit: content.name: expected number, got string",
    );
    await session.close();
  });

  it('a client without them is not asked', async () => {
    const [, server] = await join(makeServer());
    await expect(server.listRoots()).rejects.toThrow('tester does not offer roots');
    await expect(server.createMessage({ messages: [], maxTokens: 1 })).rejects.toThrow(
      'tester does not offer sampling',
    );
    await expect(server.request('sampling/createMessage', {})).rejects.toMatchObject({ code: -32601 });
  });

  it('a change of the roots is announced to the server', async () => {
    const server = makeServer();
    const changed = once<ServerSession>((done) => {
      server.onNotification('notifications/roots/list_changed', (_params, session) => done(session));
    });
    const client = new Client({ name: 'c', version: '1' }, { negotiation: 'initialize', roots: () => [] });
    const [ours, theirs] = memoryPair();
    const serverSession = server.connect(ours);
    await client.connect(theirs);
    client.rootsChanged();
    expect(await changed).toBe(serverSession);
  });
});

describe('messages of one’s own', () => {
  interface Selection {
    text: string;
    filePath: string;
  }
  const selectionChanged = defineNotification<Selection>('selection_changed');
  const ideConnected = defineNotification('ide_connected', z.object({ pid: z.number() }));
  const add = defineRequest<{ a: number; b: number }, { sum: number }>('custom/add', {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  });

  it('notifications are typed, and reach the other side in both directions', async () => {
    const server = makeServer();
    const connected = once<number>((done) => {
      server.onNotification(ideConnected, (params) => {
        expectTypeOf(params).toEqualTypeOf<{ pid: number }>();
        done(params.pid);
      });
    });
    const [session] = await join(server);
    const selected = once<Selection>((done) => session.onNotification(selectionChanged, done));
    session.notify(ideConnected, { pid: 42 });
    expect(await connected).toBe(42);
    server.notifyAll(selectionChanged, { text: 'x', filePath: '/f' });
    expect(await selected).toEqual({ text: 'x', filePath: '/f' });
  });

  it.each([
    'selection_changed',
    'at_mentioned',
    'diagnostics_changed',
    'log_event',
    'ide_connected',
    'notifications/selection_changed',
    'notifications/ide_connected',
    'notifications/tools/list_changed',
  ])('%s travels from server to client and from client to server', async (method) => {
    const server = makeServer();
    const atServer = once((done) => server.onNotification(method, done));
    const [session, serverSession] = await join(server);
    const atClient = once((done) => session.onNotification(method, done));
    serverSession.notify(method, { n: 1 });
    session.notify(method, { n: 2 });
    expect(await atClient).toEqual({ n: 1 });
    expect(await atServer).toEqual({ n: 2 });
  });

  it('notifications travel both ways in the stateless era too', async () => {
    const server = makeServer();
    server.tool({ name: 'one' }, () => '');
    const atServer = once((done) => server.onNotification('ide_connected', done));
    const [session, serverSession] = await join(server, { negotiation: 'discover' });
    expect(serverSession.state).toBe('ready');
    expect(serverSession.clientInfo).toMatchObject({ name: 'tester' });
    const heard: string[] = [];
    session.onNotification('selection_changed', () => heard.push('selection_changed'));
    const atClient = once((done) => session.onNotification('at_mentioned', done));
    server.notifyAll('selection_changed', { n: 1 });
    server.notifyAll('at_mentioned', { n: 2 });
    session.notify('ide_connected', { pid: 3 });
    expect(await atClient).toEqual({ n: 2 });
    expect(await atServer).toMatchObject({ pid: 3 });
    expect(heard).toEqual(['selection_changed']);
  });

  it('requests are typed and checked, in both directions', async () => {
    const server = makeServer();
    server.onRequest(add, ({ a, b }) => ({ sum: a + b }));
    const client = new Client({ name: 'c', version: '1' }, { negotiation: 'initialize' });
    client.onRequest(add, async ({ a, b }) => ({ sum: 10 * (a + b) }));
    const [ours, theirs] = memoryPair();
    const serverSession = server.connect(ours);
    const session = await client.connect(theirs);
    const { sum } = await session.request(add, { a: 1, b: 2 });
    expectTypeOf(sum).toEqualTypeOf<number>();
    expect(sum).toBe(3);
    expect(await serverSession.request(add, { a: 1, b: 2 })).toEqual({ sum: 30 });
    await expect(session.request('custom/add', { a: 1 })).rejects.toMatchObject({
      code: -32602,
      message: 'Invalid params for custom/add: params.b: required but missing',
    });
  });

  it('a notification whose params are wrong, or whose handler fails, is reported and harms nobody', async () => {
    const errors: string[] = [];
    const server = makeServer({ onError: ({ message }) => errors.push(message) });
    server.onNotification(ideConnected, () => expect.unreachable());
    server.onNotification('broken', () => {
      throw new Error('handler broke');
    });
    server.onNotification('broken', async () => {
      throw new Error('handler broke later');
    });
    const [session] = await join(server);
    session.notify('ide_connected', { pid: 'none' });
    session.notify('broken');
    await session.ping();
    expect(errors.sort()).toEqual([
      'Invalid params for ide_connected: params.pid: Invalid input: expected number, received string',
      'handler broke',
      'handler broke later',
    ]);
  });
});

describe('sessions', () => {
  it('a session goes from waiting to initializing to ready to closed, and says so', async () => {
    const seen: SessionState[] = [];
    const server = makeServer({ onState: (_session, state) => seen.push(state) });
    const [session, serverSession] = await join(server);
    const heard: SessionState[] = [];
    serverSession.onStateChange((state) => heard.push(state));
    expect(serverSession.state).toBe('ready');
    expect(serverSession.clientInfo).toEqual({ name: 'tester', version: '0' });
    expect(serverSession.protocolVersion).toBe('2025-11-25');
    expect(server.sessions.size).toBe(1);
    await session.close('bye');
    expect((await serverSession.closed).message).toContain('bye');
    expect(seen).toEqual(['waiting', 'initializing', 'ready', 'closed']);
    expect(heard).toEqual(['closed']);
    expect(server.sessions.size).toBe(0);
    expect(session.state).toBe('closed');
  });

  it('many sessions share one server and each keeps its own client', async () => {
    const server = makeServer();
    server.tool({ name: 'who' }, (_args, { session }) => session.clientInfo?.name ?? '?');
    const names = ['a', 'b', 'c'];
    const sessions = await Promise.all(
      names.map((name) => {
        const [ours, theirs] = memoryPair();
        server.connect(ours);
        return new Client({ name, version: '1' }, { negotiation: 'initialize' }).connect(theirs);
      }),
    );
    const answers = await Promise.all(sessions.map((session) => session.callTool('who')));
    expect(answers).toMatchObject(names.map((text) => ({ content: [{ text }] })));
    await server.close();
    await Promise.all(sessions.map((session) => session.closed));
    expect(server.sessions.size).toBe(0);
  });

  it('a notification before the client is ready is refused to the sender, and the others go without it', async () => {
    const server = makeServer();
    const [ours] = memoryPair();
    const waiting = server.connect(ours);
    expect(() => waiting.notify('selection_changed', {})).toThrow('the session is waiting, not ready');
    server.notifyAll('selection_changed', {});
  });
});
