import { describe, expect, it, vi } from 'vitest';
import { initialize } from '../../../../../testing/raw-session.ts';
import { Server } from '../../../../server/server.ts';
import { createFetchHandler, type FetchHandlerOptions } from './handler.ts';

const URL = 'http://localhost:3000/mcp';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  progressToken: 1,
};
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };

function post(body: unknown, headers: Record<string, string> = {}, init: RequestInit = {}): Request {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Request(URL, { method: 'POST', body: text, headers: { ...HEADERS, ...headers }, ...init });
}

function call(name: string, init: RequestInit = {}): Request {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta: META } };
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name };
  return post(body, headers, init);
}

function setUp(options: FetchHandlerOptions = {}) {
  const server = new Server({ name: 'test', version: '1.0.0' });
  const aborted: unknown[] = [];
  let sent = 0;
  server.tool({ name: 'echo' }, (args) => JSON.stringify(args));
  server.tool({ name: 'held' }, (_args, context) => {
    context.progress(1);
    return new Promise((resolve) => {
      context.signal.addEventListener('abort', () => {
        aborted.push(context.signal.reason);
        resolve('aborted');
      });
    });
  });
  server.tool({ name: 'patient' }, async (_args, context) => {
    for (sent = 0; sent < 500; sent += 1) {
      context.progress(sent, 500, 'x'.repeat(10_000));
      await context.drained();
    }
    return 'all sent';
  });
  const handler = createFetchHandler(server, options);
  return { handler, server, aborted, sent: () => sent };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('createFetchHandler', () => {
  it('sends 408 for a body that does not arrive in time', async () => {
    const { handler } = setUp({ bodyTimeoutMs: 50 });
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) });
    const response = await handler(post('', {}, { body, duplex: 'half' } as RequestInit));
    expect(response.status).toBe(408);
    expect(await response.json()).toMatchObject({ error: { message: 'The body did not arrive within 50 ms' } });
  });

  it('responds with JSON, and the promise never rejects', async () => {
    const { handler } = setUp();
    const response = await handler(call('echo'));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.json()).toMatchObject({ id: 1, result: { content: [{ text: '{}' }] } });
    expect((await handler(new Request(URL, { method: 'PUT' }))).status).toBe(405);
    expect((await handler(post('{'))).status).toBe(400);
    expect((await handler(post(new Uint8Array([0x22, 0xff, 0x22]) as never))).status).toBe(400);
  });

  it('keeps sessions, streams their messages, and ends them', async () => {
    const { handler, server } = setUp();
    const opened = await handler(post(initialize()));
    const id = opened.headers.get('mcp-session-id') ?? '';
    const headers = { 'Mcp-Session-Id': id, 'MCP-Protocol-Version': '2025-11-25' };
    expect((await handler(post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers))).status).toBe(202);
    const stream = await handler(new Request(URL, { headers: { ...headers, Accept: 'text/event-stream' } }));
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    server.notifyAll('notifications/note', { n: 1 });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('notifications/note')) text += (await reader?.read())?.value;
    const deleted = await handler(new Request(URL, { method: 'DELETE', headers }));
    expect([deleted.status, await deleted.text()]).toEqual([204, '']);
    while (!(await reader?.read())?.done);
  });

  it('aborts a call when the response is cancelled, or the request is aborted', async () => {
    const { handler, aborted } = setUp();
    const streaming = await handler(call('held'));
    await streaming.body?.cancel();
    expect(aborted).toMatchObject([{ message: 'The client closed the request' }]);
    const controller = new AbortController();
    const second = await handler(call('held', { signal: controller.signal }));
    controller.abort();
    await second.text().catch(() => {});
    expect(aborted).toHaveLength(2);
  });

  it('makes a handler that awaits drained() wait for its reader', async () => {
    const { handler, sent } = setUp();
    const response = await handler(call('patient'));
    for (let n = 0; n < 100; n += 1) await turn();
    expect(sent()).toBeLessThan(10);
    const text = await response.text();
    expect(text.split('\n\n').filter((block) => block !== '')).toHaveLength(501);
    expect(text).toContain('all sent');
  });

  it('refuses a body over the limit with 413, announced or not', async () => {
    const { handler } = setUp({ maxMessageBytes: 1000 });
    expect((await handler(post(JSON.stringify(initialize()).padEnd(1000)))).status).toBe(200);
    expect((await handler(post(JSON.stringify(initialize()).padEnd(1001)))).status).toBe(413);
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('x'.repeat(100))),
    });
    const endless = new Request(URL, { method: 'POST', headers: HEADERS, body: stream, duplex: 'half' } as RequestInit);
    expect((await handler(endless)).status).toBe(413);
  });

  it('says so when the body was read before', async () => {
    const { handler } = setUp();
    const request = post(initialize());
    await request.text();
    const refused = await handler(request);
    expect(refused.status).toBe(500);
    expect(await refused.text()).toContain('The body was read before');
  });

  it('takes the host from the URL where there is no Host header, and accepts loopback names only by default', async () => {
    const foreign = () =>
      new Request('https://mcp.example.com/mcp', {
        method: 'POST',
        headers: HEADERS,
        body: JSON.stringify(initialize()),
      });
    expect((await setUp().handler(foreign())).status).toBe(403);
    expect((await setUp({ allowedHosts: ['mcp.example.com'] }).handler(foreign())).status).toBe(200);
    expect((await setUp({ allowedHosts: 'any' }).handler(foreign())).status).toBe(200);
  });

  it('passes the principal on', async () => {
    const { handler, server } = setUp({ authorize: ({ headers }) => ({ id: String(headers.authorization) }) });
    server.tool({ name: 'who' }, (_args, { principal }) => String(principal?.id));
    const request = call('who');
    request.headers.set('Authorization', 'Bearer ada');
    expect(await (await handler(request)).json()).toMatchObject({ result: { content: [{ text: 'Bearer ada' }] } });
  });

  it('is made without timers and random numbers, which Workers forbid while they start', async () => {
    const forbidden = [
      vi.spyOn(crypto, 'randomUUID'),
      vi.spyOn(crypto, 'getRandomValues'),
      vi.spyOn(globalThis, 'setInterval'),
      vi.spyOn(globalThis, 'setTimeout'),
    ];
    try {
      const server = new Server({ name: 'worker', version: '1' }, { tasks: {} });
      server.tool({ name: 'echo', inputSchema: { type: 'object' } }, () => 'hello');
      createFetchHandler(server);
      for (const spy of forbidden) expect(spy).not.toHaveBeenCalled();
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('reports a response that is no JSON, and responds with an error', async () => {
    const errors: string[] = [];
    const server = new Server({ name: 'test', version: '1' }, { onError: ({ message }) => errors.push(message) });
    server.tool({ name: 'big' }, () => ({ content: [{ type: 'text', text: '', n: 1n }] as never }));
    const response = await createFetchHandler(server)(call('big'));
    expect(await response.json()).toMatchObject({ error: { code: -32603 } });
    expect(errors).toEqual(['Do not know how to serialize a BigInt']);
  });
});
