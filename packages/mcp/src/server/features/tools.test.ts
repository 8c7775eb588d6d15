import * as v from 'valibot';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { join, makeServer, once } from '../../../testing/server-session.ts';
import { RpcError } from '../../jsonrpc/errors.ts';

describe('tools', () => {
  it.each(['read file', 'x'.repeat(129), 'größe', '__proto__'])('may have the name %j', async (name) => {
    const server = makeServer();
    server.tool({ name }, () => 'called');
    const [session] = await join(server);
    expect((await session.listTools()).map((tool) => tool.name)).toEqual([name]);
    expect((await session.callTool(name)).content).toEqual([{ type: 'text', text: 'called' }]);
  });

  it('a tool may respond with text, blocks, structured content or nothing', async () => {
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

  it('a tool that throws responds with isError, unless it throws an RpcError', async () => {
    const server = makeServer({ onError: () => {} });
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

  it('structured content that is not JSON is reported with the name of the tool', async () => {
    const errors: string[] = [];
    const server = makeServer({ onError: (error) => errors.push(error.message) });
    server.tool({ name: 'big' }, () => ({ structuredContent: { n: 1n } }));
    const [session] = await join(server);
    const problem = 'tool big returned structuredContent that is not JSON: Do not know how to serialize a BigInt';
    await expect(session.callTool('big')).rejects.toThrow(`Internal error: ${problem}`);
    expect(errors).toEqual([problem]);
  });

  it('structured content is held to the output schema on both sides', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const server = makeServer({ onError: () => {} });
    server.tool({ name: 'good', outputSchema }, () => ({ structuredContent: { n: 1 } }));
    server.tool({ name: 'bad', outputSchema }, () => ({ structuredContent: { n: 'one' } }));
    server.tool({ name: 'none', outputSchema }, () => 'text only' as never);
    server.tool({ name: 'failing', outputSchema }, () => Promise.reject<never>(new Error('sorry')));
    const [session] = await join(server);
    await session.listTools();
    expect(await session.callTool('good')).toMatchObject({ structuredContent: { n: 1 } });
    expect(await session.callTool('failing')).toMatchObject({ isError: true });
    const message =
      'Internal error: tool bad does not match its outputSchema: structuredContent.n: expected number, got string';
    await expect(session.callTool('bad')).rejects.toMatchObject({ code: -32603, message });
    await expect(session.callTool('none')).rejects.toMatchObject({ code: -32603 });
    const lying = makeServer({ capabilities: { tools: {} } });
    lying.onRequest('tools/list', () => ({ tools: [{ name: 'liar', inputSchema: { type: 'object' }, outputSchema }] }));
    lying.onRequest('tools/call', () => ({ content: [], structuredContent: { n: 'one' } }));
    const [wary] = await join(lying);
    await wary.listTools();
    await expect(wary.callTool('liar')).rejects.toThrow(
      'The result of tool liar does not match its outputSchema: structuredContent.n',
    );
  });

  it('output that is not an object is a text for revisions that want an object', async () => {
    const server = makeServer();
    const outputSchema = { type: 'array', items: { type: 'number' } } as const;
    server.tool({ name: 'numbers', outputSchema }, () => ({ structuredContent: [1, 2] }));
    const [session] = await join(server);
    expect(await session.listTools()).toEqual([{ name: 'numbers', inputSchema: { type: 'object' } }]);
    expect(await session.callTool('numbers')).toEqual({ content: [{ type: 'text', text: '[1,2]' }] });
  });

  it('lists come in pages that a client puts together, in the order of registration', async () => {
    const server = makeServer({ pageSize: 3 });
    const names = Array.from({ length: 8 }, (_, n) => `tool-${n}`);
    for (const name of names) server.tool({ name }, () => '');
    const [session] = await join(server);
    expect((await session.listTools()).map(({ name }) => name)).toEqual(names);
    const first = (await session.request('tools/list', {})) as { tools: unknown[]; nextCursor: string };
    expect(first.tools).toHaveLength(3);
    const second = (await session.request('tools/list', { cursor: first.nextCursor })) as { tools: object[] };
    expect(second.tools[0]).toMatchObject({ name: 'tool-3' });
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

  it('a list that has become empty is announced and can still be read', async () => {
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
    const response = await session.request('tools/call', { name: 'plain', arguments: null });
    expect(response).toMatchObject({ content: [{ text: '{}' }] });
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
      'Tool two: inputSchema must have type "object" at its root, got "string"',
    );
  });

  it('a handler that waits for the user holds up nothing else', async () => {
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
    expect(await aborted).toEqual(new Error('Cancelled by the peer: not needed any more'));
  });

  it('progress reaches only the caller that asked for it', async () => {
    const server = makeServer();
    server.tool({ name: 'work' }, (_args, context) => {
      context.progress(1, 3);
      context.progress(2, 3, 'nearly');
      return 'done';
    });
    const [session] = await join(server);
    const received: unknown[] = [];
    await session.callTool('work', {}, { onProgress: (progress) => received.push(progress) });
    await session.callTool('work');
    expect(received).toEqual([
      { progress: 1, total: 3 },
      { progress: 2, total: 3, message: 'nearly' },
    ]);
  });
});
