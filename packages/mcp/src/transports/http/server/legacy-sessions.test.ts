import { Client as SdkClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { closeAfterwards, serve } from '../../../../testing/serve.ts';
import { makeServer, once } from '../../../../testing/server-session.ts';
import { createFetchHandler } from './fetch/handler.ts';
import type { ServeHttpOptions } from './node/serve.ts';
import { serveHttp } from './node/serve.ts';

const INFO = { name: 'old client', version: '1' };

async function open(options: ServeHttpOptions = { httpSse: true }) {
  const server = makeServer({ onError: () => {} });
  server.tool({ name: 'hello' }, () => 'hello');
  server.tool({ name: 'ask' }, async (_args, { elicit }) => {
    const { action } = await elicit({ message: 'Well?', requestedSchema: { type: 'object', properties: {} } });
    return action;
  });
  const served = await serveHttp(server, options);
  closeAfterwards(() => served.close());
  return { server, served, url: new URL(served.url) };
}

/** The stream of a session by hand, up to the URL that it names. */
async function openStream(url: URL, headers: Record<string, string> = {}) {
  const abort = new AbortController();
  closeAfterwards(async () => abort.abort());
  const response = await fetch(url, { headers: { Accept: 'text/event-stream', ...headers }, signal: abort.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (wanted: RegExp): Promise<string> => {
    while (!wanted.test(text)) text += (await reader?.read())?.value ?? expect.unreachable('the stream ended');
    return wanted.exec(text)?.[1] ?? '';
  };
  return { response, endpoint: new URL(await until(/event: endpoint\ndata: (.*)\n\n/), url), until, abort };
}

const post = (url: URL, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: INFO },
};

describe('with httpSse', () => {
  it('the official client of HTTP+SSE lists, calls, is asked and notified', async () => {
    const { server, url } = await open();
    const client = new SdkClient(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' as const }));
    await client.connect(new SSEClientTransport(url));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['hello', 'ask']);
    expect((await client.callTool({ name: 'hello' })).content).toEqual([{ type: 'text', text: 'hello' }]);
    expect((await client.callTool({ name: 'ask' })).content).toEqual([{ type: 'text', text: 'decline' }]);
    const changed = once((done) => client.setNotificationHandler(ToolListChangedNotificationSchema, done));
    server.tool({ name: 'more' }, () => 'more');
    await changed;
    await client.close();
    await expect.poll(() => server.sessions.size).toBe(0);
  });

  it('Streamable HTTP is served at the same URL', async () => {
    const { http } = await serve({ httpSse: true });
    expect((await http.post(initialize)).status).toBe(200);
  });

  it('a bad message gets its error on the stream, and the session goes on', async () => {
    const { url } = await open();
    const { endpoint, until } = await openStream(url);
    expect((await post(endpoint, '{')).status).toBe(202);
    await until(/"code":-32700/);
    expect((await post(endpoint, initialize)).status).toBe(202);
    await until(/"protocolVersion":"2024-11-05"/);
  });

  it('the handler for the Fetch standard serves it, too', async () => {
    const server = makeServer();
    const handle = createFetchHandler(server, { httpSse: true });
    const url = 'http://localhost/mcp';
    const response = await handle(new Request(url, { headers: { Accept: 'text/event-stream' } }));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const first = (await reader?.read())?.value ?? '';
    const endpoint = new URL(/data: (.*)\n/.exec(first)?.[1] ?? '', url);
    const body = JSON.stringify(initialize);
    const headers = { 'Content-Type': 'application/json' };
    expect((await handle(new Request(endpoint, { method: 'POST', headers, body }))).status).toBe(202);
    expect((await reader?.read())?.value).toContain('"protocolVersion":"2024-11-05"');
    await reader?.cancel();
    await expect.poll(() => server.sessions.size).toBe(0);
  });

  it('a session is nobody else’s, and gone with its stream', async () => {
    const { url } = await open({
      httpSse: true,
      authorize: ({ headers }) => ({ id: String(headers.authorization) }),
    });
    const { endpoint, abort } = await openStream(url, { Authorization: 'ada' });
    expect((await post(endpoint, initialize, { Authorization: 'bob' })).status).toBe(404);
    expect((await post(endpoint, initialize, { Authorization: 'ada' })).status).toBe(202);
    expect((await post(new URL('?sessionId=unknown', url), initialize, { Authorization: 'ada' })).status).toBe(404);
    abort.abort();
    await expect.poll(async () => (await post(endpoint, initialize, { Authorization: 'ada' })).status).toBe(404);
  });

  it('streams count as those of Streamable HTTP do', async () => {
    const { url, served } = await open({ httpSse: true, maxStreamsPerClient: 1 });
    await openStream(url);
    const refused = await fetch(url, { headers: { Accept: 'text/event-stream' } });
    expect(refused.status).toBe(503);
    expect(served.stats()).toMatchObject({ sessions: 1, streams: 1 });
  });

  it('closing the server ends the streams', async () => {
    const { url, served, server } = await open();
    await openStream(url);
    await served.close();
    expect(server.sessions.size).toBe(0);
  });
});

it('without httpSse a GET without a session is refused', async () => {
  const { url } = await open({});
  expect((await fetch(url, { headers: { Accept: 'text/event-stream' } })).status).toBe(405);
});
