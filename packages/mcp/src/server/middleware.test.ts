import { describe, expect, it, vi } from 'vitest';
import { openMemory, request } from '../../testing/raw-wire.ts';
import { join, makeServer } from '../../testing/server-session.ts';
import { RpcError } from '../jsonrpc/errors.ts';
import type { Request, Response } from '../jsonrpc/message.ts';
import type { Middleware } from './middleware.ts';
import type { Server } from './server.ts';

function withEcho(...middleware: Middleware[]): Server {
  const server = makeServer();
  server.tool({ name: 'echo', inputSchema: { type: 'object' } }, (args) => JSON.stringify(args));
  for (const each of middleware) server.use(each);
  return server;
}

/** Responds to one stateless request as the HTTP transport does. */
function respondAlone(server: Server, method: string, params: object, principal?: { id: string }) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return new Promise<{ refused: boolean; response: Response }>((resolve) => {
    server.respond(request(method, { ...params, _meta: meta }) as Request, {
      origin: { principal },
      notify: () => {},
      respond: (response) => resolve({ refused: false, response }),
      refuse: (response) => resolve({ refused: true, response }),
      drained: async () => {},
    });
  });
}

describe('middleware', () => {
  it('sees every request of a session, from initialize to unknown methods, with its session', async () => {
    const seen: string[] = [];
    const server = withEcho(({ method, session }, next) => {
      seen.push(`${method} ${session?.state}`);
      return next();
    });
    const [session] = await join(server);
    await session.listTools();
    await session.callTool('echo', { n: 1 });
    await expect(session.request('custom/unknown')).rejects.toMatchObject({ code: -32601 });
    expect(seen).toEqual([
      'initialize waiting',
      'ping ready',
      'tools/list ready',
      'tools/call ready',
      'custom/unknown ready',
    ]);
  });

  it('sees stateless requests, on a connection and alone, with their principal', async () => {
    const seen: unknown[] = [];
    const server = withEcho(({ method, params, principal, session }, next) => {
      seen.push([method, (params as { name?: string }).name, principal?.id, session === undefined]);
      return next();
    });
    const { result } = await openMemory(server).call('echo', { arguments: { n: 1 } });
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: '{"n":1}' }] });
    const { response } = await respondAlone(server, 'tools/call', { name: 'echo' }, { id: 'ada' });
    expect(response).toMatchObject({ result: { resultType: 'complete', content: [{ text: '{}' }] } });
    expect(seen).toEqual([
      ['tools/call', 'echo', undefined, false],
      ['tools/call', 'echo', 'ada', true],
    ]);
  });

  it('sees stateless requests that are refused, and leaves them refused', async () => {
    const seen: string[] = [];
    const server = withEcho(async ({ method }, next) => {
      seen.push(method);
      return next();
    });
    const response = await respondAlone(server, 'custom/unknown', {});
    expect(response).toMatchObject({ refused: true, response: { error: { code: -32601 } } });
    expect(seen).toEqual(['custom/unknown']);
  });

  it('may change the params and the result', async () => {
    const server = withEcho(
      (asked, next) => next({ ...asked.params, arguments: { n: 2 } }),
      async ({ params }, next) => ({ ...((await next()) as object), _meta: { seen: params } }),
    );
    server.tool({ name: 'other' }, () => '');
    const wire = openMemory(server);
    await wire.initialize();
    const { result } = await wire.responseTo(request('tools/call', { name: 'echo', arguments: { n: 1 } }));
    expect(result).toMatchObject({
      content: [{ text: '{"n":2}' }],
      _meta: { seen: { name: 'echo', arguments: { n: 2 } } },
    });
    const { result: listed } = await wire.responseTo(request('tools/list'));
    expect(listed.tools).toHaveLength(2);
  });

  it('may change `_meta` of a stateless request, on a connection and alone', async () => {
    const server = withEcho((asked, next) => {
      const { _meta } = asked.params as { _meta: object };
      return next({ ...asked.params, _meta: { ..._meta, seen: true } });
    });
    server.tool({ name: 'meta' }, (_args, { meta }) => JSON.stringify(meta?.seen));
    const { result } = await openMemory(server).call('meta');
    expect(result).toMatchObject({ content: [{ text: 'true' }] });
    const { response } = await respondAlone(server, 'tools/call', { name: 'meta' });
    expect(response).toMatchObject({ result: { content: [{ text: 'true' }] } });
  });

  it('may leave `_meta` out of the params that it changes', async () => {
    const server = withEcho((_asked, next) => next({ name: 'echo', arguments: { n: 2 } }));
    const { result } = await openMemory(server).call('echo');
    expect(result).toMatchObject({ content: [{ text: '{"n":2}' }] });
    const { response } = await respondAlone(server, 'tools/call', { name: 'echo' });
    expect(response).toMatchObject({ result: { content: [{ text: '{"n":2}' }] } });
  });

  it('may respond by itself, or refuse; the handler does not run then', async () => {
    const handler = vi.fn(() => '');
    const server = makeServer();
    server.tool({ name: 'one' }, handler);
    server.use(({ method, params }, next) => {
      if (method !== 'tools/call') return next();
      if ((params as { arguments: { limit?: boolean } }).arguments.limit) throw new RpcError(-32000, 'Too many calls');
      return { content: [{ type: 'text', text: 'cached' }] };
    });
    const [session] = await join(server);
    expect(await session.callTool('one')).toEqual({ content: [{ type: 'text', text: 'cached' }] });
    await expect(session.callTool('one', { limit: true })).rejects.toMatchObject({ message: 'Too many calls' });
    expect(handler).not.toHaveBeenCalled();
  });

  it('runs in the order it was added, and no longer once removed', async () => {
    const order: string[] = [];
    const named =
      (name: string): Middleware =>
      async ({ method }, next) => {
        order.push(`${name} before ${method}`);
        const result = await next();
        order.push(`${name} after`);
        return result;
      };
    const server = withEcho();
    const outer = server.use(named('outer'));
    const inner = server.use(named('inner'));
    const wire = openMemory(server);
    await wire.responseTo(request('ping'));
    expect(order).toEqual(['outer before ping', 'inner before ping', 'inner after', 'outer after']);
    outer.remove();
    await wire.responseTo(request('ping'));
    expect(order.slice(4)).toEqual(['inner before ping', 'inner after']);
    inner.remove();
    await wire.responseTo(request('ping'));
    expect(order).toHaveLength(6);
  });

  it('that fails, returns nothing or calls next twice gets an error and is reported', async () => {
    const reported: string[] = [];
    const server = makeServer({ onError: (error, { what }) => reported.push(`${what}: ${error.message}`) });
    let broken: Middleware = () => undefined;
    server.use((asked, next) => broken(asked, next));
    const wire = openMemory(server);
    const ping = async () => (await wire.responseTo(request('ping'))).error;
    expect(await ping()).toMatchObject({ code: -32603, message: expect.stringContaining('returned undefined') });
    broken = async (_asked, next) => {
      await next();
      return next();
    };
    expect(await ping()).toMatchObject({ code: -32603, message: expect.stringContaining('called twice') });
    broken = () => {
      throw new Error('no database');
    };
    expect(await ping()).toMatchObject({ code: -32603, message: 'Internal error: no database' });
    expect(reported).toEqual([
      'middleware of ping: A middleware returned undefined: return what next() returned',
      'middleware of ping: next() was called twice for one request',
      'middleware of ping: no database',
    ]);
    expect(() => server.use('log' as never)).toThrow('server.use takes a function (request, next) => …');
  });
});
