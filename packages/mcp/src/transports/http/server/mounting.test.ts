import { createServer } from 'node:http';
import { type HttpBindings, serve as serveHono } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { RawHttp } from '../../../../testing/raw-http.ts';
import { RawSession } from '../../../../testing/raw-session.ts';
import { closeAfterwards, listenOn, type Served, serveWith, textOf } from '../../../../testing/serve.ts';
import { Server } from '../../../server/server.ts';
import { createFetchHandler } from './fetch/handler.ts';
import { createHttpHandler, type ServedHttp } from './node/serve.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const stateless = (http: RawHttp, name: string, params: object = {}) =>
  http.post(
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta: { ...META, ...params } } },
    { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name },
  );

/** Requests that middleware before the handler has seen. */
let seen: string[] = [];

/** Each has another route at /other, and middleware before both. */
const MOUNTS: readonly [string, (server: Server) => Promise<ServedHttp>][] = [
  [
    'node:http',
    (server) => {
      const handler = createHttpHandler(server);
      const http = createServer((request, response) => {
        seen.push(`${request.method} ${request.url}`);
        if (request.url === '/other') response.end('other');
        else handler(request, response);
      });
      return listenOn(http, handler);
    },
  ],
  ['Express 5', (server) => mountExpress(server)],
  ['Express 5 with express.json()', (server) => mountExpress(server, express.json())],
  ['Express 5 with express.text()', (server) => mountExpress(server, express.text({ type: 'application/json' }))],
  ['Express 5 with express.raw()', (server) => mountExpress(server, express.raw({ type: 'application/json' }))],
  [
    'Fastify 5',
    async (server) => {
      const handler = createHttpHandler(server);
      const app = fastify({ forceCloseConnections: true });
      app.addHook('onRequest', async ({ method, url }) => {
        seen.push(`${method} ${url}`);
      });
      app.get('/other', () => 'other');
      app.all('/mcp', (request, reply) => {
        reply.hijack();
        handler(request.raw, reply.raw, request.body);
      });
      const url = await app.listen({ port: 0, host: '127.0.0.1' });
      closeAfterwards(() => app.close());
      return { port: Number(new URL(url).port), url, stats: handler.stats, close: handler.close };
    },
  ],
  [
    'Hono 4, the fetch handler',
    (server) => {
      const handler = createFetchHandler(server);
      const app = honoApp();
      app.all('/mcp', ({ req }) => handler(req.raw));
      return listenHono(app, handler);
    },
  ],
  [
    'Hono 4 on Node, the node:http handler',
    (server) => {
      const handler = createHttpHandler(server);
      const app = honoApp();
      app.all('/mcp', ({ env }) => {
        handler(env.incoming, env.outgoing);
        return RESPONSE_ALREADY_SENT;
      });
      return listenHono(app, handler);
    },
  ],
];

function mountExpress(server: Server, ...parsers: express.RequestHandler[]): Promise<ServedHttp> {
  const handler = createHttpHandler(server);
  const app = express();
  app.use((request, _response, next) => {
    seen.push(`${request.method} ${request.url}`);
    next();
  });
  for (const parser of parsers) app.use(parser);
  app.get('/other', (_request, response) => {
    response.send('other');
  });
  app.all('/mcp', handler);
  return listenOn(createServer(app), handler);
}

type HonoApp = Hono<{ Bindings: HttpBindings }>;

function honoApp(): HonoApp {
  const app: HonoApp = new Hono();
  app.use(async ({ req }, next) => {
    seen.push(`${req.method} ${req.path}`);
    await next();
  });
  app.get('/other', ({ text }) => text('other'));
  return app;
}

async function listenHono(app: HonoApp, { stats, close }: Pick<ServedHttp, 'stats' | 'close'>): Promise<ServedHttp> {
  return new Promise((resolve) => {
    const http = serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
      resolve({ port, url: `http://127.0.0.1:${port}/mcp`, stats, close });
    });
    closeAfterwards(async () => {
      http.close();
      if ('closeAllConnections' in http) http.closeAllConnections();
    });
  });
}

describe.each(MOUNTS)('a handler mounted in %s', (_name, mount) => {
  const serveMounted = async (): Promise<Served & { readonly other: RawHttp }> => {
    seen = [];
    const served = await serveWith(mount);
    return { ...served, other: new RawHttp({ port: served.listener.port }, '/other') };
  };

  it('serves sessions, their streams and their end, beside other routes and behind middleware', async () => {
    const { http, other, server } = await serveMounted();
    const session = await RawSession.open(http);
    expect(textOf(await session.ask('tools/call', { name: 'echo', arguments: { a: 'é' } }))).toBe('{"a":"é"}');
    const stream = await session.listen();
    server.notifyAll('notifications/note', { n: 1 });
    expect(await stream.message()).toMatchObject({ params: { n: 1 } });
    const counting = await session.call('count', {}, { _meta: { progressToken: 1 } });
    expect(
      (await counting.messages()).map(({ params, result }) => params?.progress ?? result?.content[0].text),
    ).toEqual([1, 2, 3, undefined, 'three']);
    expect(await (await other.send('GET')).text()).toBe('other');
    expect((await session.delete()).status).toBe(204);
    await stream.over();
    expect(seen.slice(0, 2)).toEqual(['POST /mcp', 'POST /mcp']);
    expect(seen).toContain('GET /other');
  });

  it('serves stateless requests, whole and streamed, and aborts those whose client goes away', async () => {
    const { http, calls } = await serveMounted();
    expect(textOf(await (await stateless(http, 'echo')).json())).toBe('{}');
    const counting = await stateless(http, 'count', { progressToken: 7 });
    expect(counting.headers['content-type']).toBe('text/event-stream');
    expect((await counting.messages()).at(-1)).toMatchObject({ result: { content: [{ text: 'three' }] } });
    const held = stateless(http, 'held', { progressToken: 7 });
    const { context } = await calls.take();
    context.progress(1);
    const aborted = new Promise((resolve) => context.signal.addEventListener('abort', resolve));
    await (await held).break();
    await aborted;
  });

  it('serves every method itself, exactly once', async () => {
    const { http } = await serveMounted();
    for (const method of ['PUT', 'PATCH', 'DELETE', 'GET', 'OPTIONS']) {
      const refused = await http.send(method);
      expect([method, refused.status]).toEqual([method, 405]);
    }
    expect((await RawSession.open(http)).id).toBeTruthy();
  });

  it('refuses bodies that are not JSON-RPC with 400', async () => {
    const { http } = await serveMounted();
    expect((await http.post({ hello: 1 })).status).toBe(400);
    expect((await http.post('[1')).status).toBe(400);
  });

  it('ends its open responses when it is closed, and refuses further requests', async () => {
    const { http, calls, listener, server } = await serveMounted();
    const session = await RawSession.open(http);
    const stream = await session.listen();
    const held = stateless(http, 'held', { progressToken: 7 });
    const { context } = await calls.take();
    context.progress(1);
    const response = await held;
    await listener.close();
    await Promise.all([stream.over(), response.over()]);
    for (const refused of [await session.request('ping'), await session.listen(), await session.delete()]) {
      expect(refused.status).toBe(503);
    }
    expect(server.sessions.size).toBe(0);
    await listener.close();
  });
});

describe('a handler of node:http', () => {
  it('leaves a request alone that something before it has handled', async () => {
    const served = await serveWith((server) => {
      const handler = createHttpHandler(server);
      const http = createServer((request, response) => {
        response.end('sent before');
        handler(request, response);
      });
      return listenOn(http, handler);
    });
    expect(await (await served.http.post({})).text()).toBe('sent before');
  });

  it('says so, to the program as well, when the body was read by something that kept nothing of it', async () => {
    const reported: string[] = [];
    const served = await serveWith((server) => {
      const handler = createHttpHandler(server, { onError: ({ message }) => reported.push(message) });
      const http = createServer((request, response) => {
        request.resume().once('end', () => handler(request, response));
      });
      return listenOn(http, handler);
    });
    const refused = await served.http.post({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(refused.status).toBe(500);
    const message =
      'The body was read before the MCP handler got the request. Pass the parsed body on: handler(request, response, body)';
    expect(await refused.json()).toMatchObject({ error: { message } });
    expect(reported).toEqual([message]);
  });
});

describe('a fetch handler', () => {
  it('says so, to the program as well, when the body was read before', async () => {
    const reported: string[] = [];
    const onError = ({ message }: Error) => reported.push(message);
    const handler = createFetchHandler(new Server({ name: 'test', version: '1' }), { onError });
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: '{}' });
    await request.text();
    expect((await handler(request)).status).toBe(500);
    expect(reported).toEqual([
      'The body was read before the MCP handler got the request. Read a copy of the request instead: request.clone()',
    ]);
  });
});
