import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { describe, expect, it } from 'vitest';
import { cleanUp, sender } from '../../../../testing/http-client.ts';
import { Client, type ClientOptions } from '../../../client/client.ts';
import { connectHttp } from './connect.ts';

const INFO = { name: 'c', version: '1' };

async function listen(response: (request: IncomingMessage, response: ServerResponse) => void) {
  const http = createServer(response);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return { http, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse` };
}

/** A server of the official SDK that knows nothing but HTTP+SSE. */
async function openOfficial() {
  const transports = new Map<string, SSEServerTransport>();
  const requests: string[] = [];
  const { http, url } = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    requests.push(`${request.method} ${pathname}`);
    if (request.method === 'GET' && pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      transports.set(transport.sessionId, transport);
      const server = new McpServer({ name: 'old', version: '1' });
      server.registerTool('hello', {}, async () => ({ content: [{ type: 'text', text: 'hello' }] }));
      server.registerTool('ask', {}, async () => {
        const { action } = await server.server.elicitInput({
          message: 'Well?',
          requestedSchema: { type: 'object', properties: {} },
        });
        return { content: [{ type: 'text', text: action }] };
      });
      void server.connect(transport);
    } else if (request.method === 'POST' && pathname === '/messages') {
      void transports.get(searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response);
    } else {
      response.writeHead(404).end('Cannot POST /sse');
    }
  });
  return { http, url, requests };
}

const open = (url: string, options: ClientOptions = {}) =>
  new Client(INFO, { onError: () => {}, ...options }).connect(connectHttp(url, sender));

describe('a server of 2024-11-05 with HTTP+SSE', () => {
  it('is spoken with when it refuses POST, its own requests included', async () => {
    const { url, requests } = await openOfficial();
    const session = await open(url, { elicit: () => ({ action: 'decline' }) });
    expect(session.serverInfo?.name).toBe('old');
    expect((await session.listTools()).map(({ name }) => name)).toEqual(['hello', 'ask']);
    const many = await Promise.all(Array.from({ length: 20 }, () => session.callTool('hello')));
    expect(many.map(({ content }) => content)).toEqual(many.map(() => [{ type: 'text', text: 'hello' }]));
    expect((await session.callTool('ask')).content).toEqual([{ type: 'text', text: 'decline' }]);
    await session.close();
    expect(requests.slice(0, 4)).toEqual(['POST /sse', 'POST /sse', 'GET /sse', 'POST /messages']);
    expect(requests.filter((each) => each === 'GET /sse')).toHaveLength(1);
  });

  it('ends the session when it ends its stream', async () => {
    const { http, url } = await openOfficial();
    const session = await open(url, { negotiation: 'initialize', elicit: () => new Promise(() => {}) });
    const call = session.callTool('ask').catch((error: Error) => error.message);
    await session.callTool('hello');
    http.closeAllConnections();
    expect((await session.closed).message).toBe('The server ended its event stream');
    expect(await call).toBe('The server ended its event stream');
  });

  it.each([
    ['of another origin', 'https://evil.example/messages', 'names an endpoint of another origin: https://evil.example'],
    ['that is no URL', 'http://[', 'names no valid endpoint'],
  ])('is refused when it names an endpoint %s', async (_, endpoint, message) => {
    const { url } = await listen((request, response) => {
      if (request.method !== 'GET') response.writeHead(405).end();
      else {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write(`event: endpoint\ndata: ${endpoint}\n\n`);
      }
    });
    await expect(open(url)).rejects.toThrow(message);
  });

  it.each([
    ['no stream', (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('hi')],
    [
      'a stream that ends',
      (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(),
    ],
    ['nothing', (response: ServerResponse) => response.destroy()],
  ])('is what a server is not that responds to GET with %s: the first refusal is reported', async (_, respond) => {
    const { url } = await listen((request, response) => {
      if (request.method === 'GET') respond(response);
      else response.writeHead(404).end();
    });
    await expect(open(url)).rejects.toThrow('HTTP 404');
  });

  it('reports a message that it does not accept', async () => {
    const { url } = await listen((request, response) => {
      if (request.url === '/sse' && request.method === 'GET') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.write('event: endpoint\ndata: /messages\n\n');
      } else response.writeHead(request.url === '/sse' ? 405 : 500).end('out of order');
    });
    await expect(open(url)).rejects.toThrow('HTTP 500: out of order');
  });
});
