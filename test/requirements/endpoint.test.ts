import { once } from 'node:events';
import { Server } from '@hawser/mcp';
import { Client } from '@hawser/mcp/client';
import { connectWebSocket, listenWebSocket, type WebSocketListener } from '@hawser/mcp/websocket';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

const header = 'X-Claude-Code-Ide-Authorization';

describe('an endpoint at /mcp with a token', () => {
  let server: Server;
  let listener: WebSocketListener;

  beforeEach(async () => {
    server = new Server({ name: 's', version: '1' });
    listener = await listenWebSocket({
      path: '/mcp',
      accept: (connection) => server.connect(connection),
      authorize: ({ headers }) => (headers[header.toLowerCase()] === 'right' ? { id: 'user' } : undefined),
      refusal: 'close',
    });
  });

  afterEach(() => listener.close());

  it('is at ws://127.0.0.1:<port>/mcp', () => {
    expect(listener.url).toBe(`ws://127.0.0.1:${listener.port}/mcp`);
  });

  it('serves a client whose header has the token', async () => {
    const connection = await connectWebSocket(`ws://localhost:${listener.port}/mcp`, {
      headers: { [header]: 'right' },
    });
    const session = await new Client({ name: 'c', version: '1' }).connect(connection);
    expect(session.serverInfo).toEqual({ name: 's', version: '1' });
    await session.close();
  });

  it.each([
    ['wrong', { [header]: 'wrong' }],
    ['missing', {}],
  ])('closes with a policy violation when the token is %s', async (_how, headers) => {
    const socket = new WebSocket(listener.url, 'mcp', { headers });
    const [code, reason] = await once(socket, 'close');
    expect(code).toBe(1008);
    expect(String(reason)).toBe('Unauthorized: the token is missing or wrong');
    expect(server.sessions.size).toBe(0);
  });
});
