import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { Mailbox } from '../../../testing/mailbox.ts';
import { RawSession } from '../../../testing/raw-session.ts';
import { byHeader, serve } from '../../../testing/serve.ts';
import { join, makeServer } from '../../../testing/server-session.ts';

describe('a registration', () => {
  it('of a tool can be updated, disabled, enabled and removed, and clients are notified each time', async () => {
    const server = makeServer();
    const tool = server.tool({ name: 'greet', description: 'Says hello' }, () => 'hello');
    const [session] = await join(server);
    const changes = new Mailbox<unknown>();
    session.onNotification('notifications/tools/list_changed', () => changes.put(undefined));
    const names = async () => (await session.listTools()).map(({ name }) => name);

    tool.update({ description: 'Says goodbye', inputSchema: { type: 'object', required: ['name'] } }, () => 'goodbye');
    await changes.take();
    expect(await session.listTools()).toEqual([
      { name: 'greet', description: 'Says goodbye', inputSchema: { type: 'object', required: ['name'] } },
    ]);
    expect(await session.callTool('greet', { name: 'ada' })).toMatchObject({ content: [{ text: 'goodbye' }] });
    expect(await session.callTool('greet')).toMatchObject({ isError: true });

    tool.disable();
    await changes.take();
    expect(tool.enabled).toBe(false);
    expect(await names()).toEqual([]);
    await expect(session.callTool('greet')).rejects.toMatchObject({ code: -32602, message: 'Unknown tool: greet' });

    tool.enable();
    await changes.take();
    expect(await names()).toEqual(['greet']);

    tool.remove();
    await changes.take();
    expect(await names()).toEqual([]);
    expect(tool.enabled).toBe(false);
    tool.enable();
    expect(() => tool.update({ description: '' })).toThrow('The tool greet was removed: add it again');
    expect(await names()).toEqual([]);
    expect(changes.rest).toEqual([]);
  });

  it('that is updated with a mistake stays as it was', async () => {
    const server = makeServer();
    const tool = server.tool({ name: 'one', description: 'first' }, () => 'one');
    expect(() => tool.update({ name: 'two' })).toThrow('A tool keeps its name, one: remove it and add another');
    expect(() => tool.update({ inputSchema: { type: 'string' } })).toThrow('must have type "object"');
    const [session] = await join(server);
    expect(await session.listTools()).toMatchObject([{ name: 'one', description: 'first' }]);
  });

  it('of a resource, a template or a prompt can be changed, too', async () => {
    const server = makeServer();
    const resource = server.resource({ uri: 'test://a', name: 'a' }, () => 'first');
    const template = server.resourceTemplate({ uriTemplate: 'test://t/{id}', name: 't' }, ({ id }) => id);
    const prompt = server.prompt({ name: 'p', description: 'first' }, () => 'first');
    const [session] = await join(server);
    const read = async (uri: string) => (await session.readResource(uri))[0]?.text;
    resource.update({ title: 'A' }, () => 'second');
    expect(await session.listResources()).toEqual([{ uri: 'test://a', name: 'a', title: 'A' }]);
    expect(await read('test://a')).toBe('second');
    resource.disable();
    template.disable();
    prompt.update({ description: 'second' });
    expect(await session.listPrompts()).toEqual([{ name: 'p', description: 'second' }]);
    await expect(read('test://a')).rejects.toThrow('Resource not found');
    await expect(read('test://t/1')).rejects.toThrow('Resource not found');
    template.enable();
    expect(await read('test://t/1')).toBe('1');
  });
});

describe('visible', () => {
  it('decides for each principal what lists hold and what can be used', async () => {
    const { http, server } = await serve({ authorize: byHeader });
    const onlyAda = { visible: (principal?: { id: string }) => principal?.id === 'ada' };
    server.tool({ name: 'secret', ...onlyAda }, () => 'for ada');
    server.resource({ uri: 'test://secret', name: 'secret', ...onlyAda }, () => 'for ada');
    server.resourceTemplate(
      { uriTemplate: 'secret://{id}', name: 'hidden', complete: { id: () => ['1'] }, ...onlyAda },
      () => 'for ada',
    );
    server.prompt({ name: 'secret', arguments: [{ name: 'a', complete: () => ['x'] }], ...onlyAda }, () => 'for ada');
    const as = async (user: string) => {
      const session = await RawSession.open(http, { headers: { Authorization: user } });
      return async (method: string, params?: object) => {
        const message = { jsonrpc: '2.0', id: 1, method, ...(params && { params }) };
        return (await session.post(message, { Authorization: user })).outcome();
      };
    };
    const used: readonly [string, object][] = [
      ['tools/call', { name: 'secret' }],
      ['resources/read', { uri: 'test://secret' }],
      ['resources/read', { uri: 'secret://1' }],
      ['resources/subscribe', { uri: 'test://secret' }],
      ['prompts/get', { name: 'secret' }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'secret' }, argument: { name: 'a', value: '' } }],
      [
        'completion/complete',
        { ref: { type: 'ref/resource', uri: 'secret://{id}' }, argument: { name: 'id', value: '' } },
      ],
    ];
    const lists = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];
    const ada = await as('ada');
    const bob = await as('bob');
    for (const method of lists) {
      expect(JSON.stringify(await ada(method)), method).toContain('secret');
      expect(JSON.stringify(await bob(method)), method).not.toContain('secret');
      expect(JSON.stringify(await ada(method)), method).toContain('secret');
    }
    for (const [method, params] of used) {
      expect(await ada(method, params), method).toHaveProperty('result');
      expect(await bob(method, params), method).toHaveProperty('error');
    }
  });

  it('makes lists that no cache may share', async () => {
    const server = makeServer({ caching: { ttlMs: 1000, cacheScope: 'public' } });
    server.tool({ name: 'open' }, () => '');
    const [session] = await join(server, { negotiation: 'discover' });
    const listed = () => session.request('tools/list', {});
    expect(await listed()).toMatchObject({ cacheScope: 'public', tools: [{ name: 'open' }] });
    server.tool({ name: 'hidden', visible: () => false }, () => '');
    expect(await listed()).toMatchObject({ cacheScope: 'private', tools: [{ name: 'open' }] });
  });

  it('must be a function', () => {
    expect(() => makeServer().tool({ name: 't', visible: true as never }, () => '')).toThrow(
      'The tool t: visible must be a function (principal) => boolean',
    );
  });
});

describe('argsSchema', () => {
  it('describes, types and checks the arguments of a prompt', async () => {
    const server = makeServer();
    const argsSchema = z.object({
      code: z.string().describe('What to review'),
      times: z.coerce.number().int().optional(),
    });
    server.prompt({ name: 'review', argsSchema, complete: { code: () => ['a'] } }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ code: string; times?: number | undefined }>();
      return `${args.code} ${typeof args.times}`;
    });
    const json = {
      type: 'object',
      properties: { level: { type: 'string', enum: ['low', 'high'] } },
      required: ['level'],
    } as const;
    server.prompt({ name: 'json', argsSchema: json }, ({ level }) => level);
    const [session] = await join(server);
    expect(await session.listPrompts()).toEqual([
      {
        name: 'review',
        arguments: [{ name: 'code', description: 'What to review', required: true }, { name: 'times' }],
      },
      { name: 'json', arguments: [{ name: 'level', required: true }] },
    ]);
    const get = (name: string, args: object) => session.request('prompts/get', { name, arguments: args });
    expect(await get('review', { code: 'x', times: '3' })).toMatchObject({
      messages: [{ content: { text: 'x number' } }],
    });
    await expect(get('review', {})).rejects.toMatchObject({ code: -32602 });
    await expect(get('review', { code: 'x', times: 'many' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('prompt review: arguments.times'),
    });
    await expect(get('json', { level: 'middle' })).rejects.toThrow('arguments.level: expected one of "low", "high"');
  });

  it('that is wrong is refused where it is written', () => {
    const server = makeServer();
    expect(() => server.prompt({ name: 'p', argsSchema: { type: 'string' } }, () => '')).toThrow(
      'Prompt p: argsSchema must have type "object"',
    );
    expect(() =>
      server.prompt({ name: 'p', argsSchema: { type: 'object' }, complete: { a: () => [] } }, () => ''),
    ).toThrow('Prompt p: complete has a, which is not an argument');
  });
});

describe('onSubscribers', () => {
  it('gets the number of subscribers of a resource whenever it changes', async () => {
    const counts = new Mailbox<[string, number]>();
    const server = makeServer({ onSubscribers: (uri, count) => counts.put([uri, count]) });
    server.resource({ uri: 'test://a', name: 'a' }, () => '');
    const [one] = await join(server);
    const [two] = await join(server, { negotiation: 'discover' });
    await one.request('resources/subscribe', { uri: 'test://a' });
    expect(await counts.take()).toEqual(['test://a', 1]);
    await one.request('resources/subscribe', { uri: 'test://a' });
    await two.subscribe('test://a');
    expect(await counts.take()).toEqual(['test://a', 2]);
    await one.request('resources/unsubscribe', { uri: 'test://a' });
    expect(await counts.take()).toEqual(['test://a', 1]);
    await one.request('resources/subscribe', { uri: 'test://a' });
    expect(await counts.take()).toEqual(['test://a', 2]);
    await one.close();
    expect(await counts.take()).toEqual(['test://a', 1]);
    await two.close();
    expect(await counts.take()).toEqual(['test://a', 0]);
    expect(counts.rest).toEqual([]);
  });
});
