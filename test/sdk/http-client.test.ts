// Our client over HTTP: against the official servers with their own HTTP transports, and against ours, with and without sessions.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, type ClientOptions } from '@hawser/mcp/client';
import { connectHttp, serveHttp } from '@hawser/mcp/http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Mailbox } from '../mailbox.ts';
import { connectHawser } from './drivers/hawser.ts';
import { describeFeatures, type OpenPairing, pairing, STATELESS_CANNOT, TRAITS } from './features.ts';
import { makeServer } from './fixtures/hawser-server.mjs';
import { makeServer as makeServerV1 } from './fixtures/sdk-v1-server.mjs';

describeFeatures({
  name: 'our client, HTTP, server v1 with its own transport',
  traits: TRAITS.sdkV1,
  cannot: {
    'log messages come from the level that was set': 'v1 keeps the level by HTTP session, and logs outside of any',
  },
  open: async () => {
    const { url, close } = await serveV1();
    return over(url, 'auto', close);
  },
});

for (const negotiation of ['initialize', 'auto'] as const) {
  describeFeatures({
    name: `our client, HTTP, our server, negotiation ${negotiation}`,
    traits: negotiation === 'initialize' ? TRAITS.hawser : { ...TRAITS.hawser, unknownResource: -32602 },
    cannot: negotiation === 'initialize' ? {} : STATELESS_CANNOT,
    open: async () => {
      const server = makeServer();
      const listener = await serveHttp(server);
      return over(listener.url, negotiation, () => listener.close());
    },
  });
}

describe('our client, HTTP, server v1 that loses its memory', () => {
  it('begins a new session by itself, and the call is answered', async () => {
    const { url, sessions, close } = await serveV1();
    const session = await new Client({ name: 'c', version: '1' }).connect(connectHttp(url));
    sessions.clear();
    expect(await session.callTool('echo', { text: 'still here' })).toMatchObject({ content: [{ text: 'still here' }] });
    expect(sessions.size).toBe(1);
    await session.close();
    await close();
  });
});

describe('our client, HTTP, server v2 with its own handler', () => {
  const cleanUp: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const undo of cleanUp.splice(0).reverse()) await undo();
  });

  async function connect(options: ClientOptions = {}) {
    const aborted = new Mailbox<string>();
    const handler = createMcpHandler(() => makeSmallServerV2(aborted));
    const server = await listen((request, response) => void bridge(handler.fetch, request, response));
    const session = await new Client({ name: 'c', version: '1' }, options).connect(connectHttp(urlOf(server)));
    cleanUp.push(
      () => new Promise((resolve) => server.close(resolve)),
      async () => server.closeAllConnections(),
      () => handler.close(),
      () => session.close(),
    );
    return { session, handler, aborted };
  }

  it.each([
    ['auto', true, '2026-07-28'],
    ['initialize', false, '2025-11-25'],
  ] as const)('agrees on a revision, negotiation %s', async (negotiation, isStateless, protocolVersion) => {
    const { session } = await connect({ negotiation });
    expect(session).toMatchObject({
      isStateless,
      protocolVersion,
      serverCapabilities: { tools: { listChanged: true } },
    });
    await session.listTools();
    expect(await session.callTool('echo', { text: 'häß ' })).toMatchObject({ content: [{ text: 'häß ' }] });
    await session.ping().catch(() => {}); // its sessionless sessions know no ping
  });

  it('hears of progress before the result', async () => {
    const { session } = await connect();
    const heard: unknown[] = [];
    await session.callTool('count', {}, { onProgress: ({ progress }) => heard.push(progress) });
    expect(heard).toEqual([1, 2]);
  });

  it('answers what it asks in its results', async () => {
    const { session } = await connect({
      elicit: ({ message }) => ({ action: 'accept', content: { name: `${message} Ada` } }),
    });
    expect(await session.callTool('greet')).toMatchObject({ content: [{ text: 'Hello, who? Ada!' }] });
  });

  it('cancels by ending the exchange', async () => {
    const { session, aborted } = await connect();
    const stop = new AbortController();
    const call = session.callTool('wait', {}, { signal: stop.signal });
    expect(await aborted.take()).toBe('begun');
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect(await aborted.take()).toBe('aborted');
  });

  it('hears of changes', async () => {
    const { session, handler } = await connect();
    const news = new Mailbox<string>();
    session.onNotification('notifications/tools/list_changed', () => news.put('tools'));
    session.onNotification('notifications/resources/updated', ({ uri }) => news.put(uri));
    await session.subscribe('test://watched');
    handler.notify.resourceUpdated('test://other');
    handler.notify.resourceUpdated('test://watched');
    handler.notify.toolsChanged();
    expect([await news.take(), await news.take()]).toEqual(['test://watched', 'tools']);
  });
});

function over(url: string, negotiation: 'initialize' | 'auto', close: () => Promise<void>): Promise<OpenPairing> {
  return pairing(connectHawser(connectHttp(url), negotiation), async () => void (await close()));
}

/** As v1's guide has it: one transport and one server per session. */
async function serveV1() {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const server = await listen(async (request, response) => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (id !== undefined && known === undefined) {
      response.writeHead(404).end();
      return;
    }
    const transport = known ?? makeTransport();
    if (known === undefined) await makeServerV1().connect(transport as never);
    await transport.handleRequest(request, response);
  });
  const makeTransport = (): StreamableHTTPServerTransport => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    return transport;
  };
  return {
    url: urlOf(server),
    sessions,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function makeSmallServerV2(aborted: Mailbox<string>): McpServer {
  const server = new McpServer(
    { name: 'small', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: { subscribe: true } } },
  );
  const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
  const none = z.object({});
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text: given }) => text(given));
  server.registerTool('count', { inputSchema: none }, async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken as number;
    for (const progress of [1, 2]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
    }
    return text('counted');
  });
  server.registerTool('greet', { inputSchema: none }, (_args, { mcpReq }) => {
    const given = mcpReq.inputResponses?.who as { content?: { name: string } } | undefined;
    if (given?.content !== undefined) return text(`Hello, ${given.content.name}!`);
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
    return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'who?', requestedSchema }) } });
  });
  server.registerTool('wait', { inputSchema: none }, (_args, { mcpReq }) => {
    aborted.put('begun');
    return new Promise((_, reject) => {
      mcpReq.signal.addEventListener('abort', () => {
        aborted.put('aborted');
        reject(mcpReq.signal.reason);
      });
    });
  });
  server.registerResource('watched', 'test://watched', {}, ({ href: uri }) => ({ contents: [{ uri, text: 'x' }] }));
  return server;
}

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<Server> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** From node:http to what takes a web Request, and tells it when the client goes away. */
async function bridge(
  answer: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const { method = 'GET', headers, url } = incoming;
  const body = method === 'POST' ? Buffer.concat(chunks) : null;
  const request = new Request(`http://${headers.host}${url}`, {
    method,
    headers: headers as Record<string, string>,
    body,
    signal: gone.signal,
  });
  const response = await answer(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  gone.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {}));
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) outgoing.write(part.value);
  outgoing.end();
}
