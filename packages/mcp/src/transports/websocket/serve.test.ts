import { afterEach, describe, expect, it } from 'vitest';
import { Client } from '../../client/client.ts';
import { Server } from '../../server/server.ts';
import { connectWebSocket } from './connect.ts';
import { type ServeWebSocketOptions, serveWebSocket } from './serve.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const errors: string[] = [];

async function serve(options?: ServeWebSocketOptions) {
  const server = new Server({ name: 's', version: '1' }, { onError: ({ message }) => errors.push(message) });
  server.tool({ name: 'who' }, (_args, { principal }) => principal?.id ?? 'anyone');
  const listener = await serveWebSocket(server, options);
  closers.push(() => listener.close());
  return listener;
}

async function ask(url: string, headers: Record<string, string> = {}) {
  const connection = await connectWebSocket(url, { headers });
  const session = await new Client({ name: 'c', version: '1' }).connect(connection);
  closers.push(() => session.close());
  const { content } = await session.callTool('who', {});
  return content;
}

describe('serveWebSocket', () => {
  it('serves a server at a free port of this machine', async () => {
    const { url, port } = await serve();
    expect(url).toBe(`ws://127.0.0.1:${port}/`);
    expect(await ask(url)).toEqual([{ type: 'text', text: 'anyone' }]);
  });

  it('shows handlers the principal that authorize returned', async () => {
    const { url } = await serve({
      authorize: ({ headers }) => (headers.authorization === 'Bearer ada' ? { id: 'ada' } : undefined),
    });
    expect(await ask(url, { Authorization: 'Bearer ada' })).toEqual([{ type: 'text', text: 'ada' }]);
    await expect(ask(url)).rejects.toThrow('refused with HTTP 401');
  });

  it('reports what authorize throws to the server', async () => {
    const { url } = await serve({ authorize: () => Promise.reject(new Error('token store is down')) });
    await expect(ask(url)).rejects.toThrow('refused with HTTP 500');
    expect(errors).toEqual(['token store is down']);
  });
});
