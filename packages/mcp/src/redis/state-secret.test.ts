import { describe, expect, it } from 'vitest';
import type { Json } from '../../testing/json.ts';
import { meta } from '../../testing/raw-wire.ts';
import { RedisServer } from '../../testing/redis-server.ts';
import { type Served, serve } from '../../testing/serve.ts';
import { Server } from '../server/server.ts';
import { createHttpHandler } from '../transports/http/server/node/serve.ts';

const HEADERS = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'ask' };

async function ask({ http }: Served, more: object = {}): Promise<Json> {
  const params = { name: 'ask', _meta: meta({ elicitation: {} }), ...more };
  return (await http.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, HEADERS)).json();
}

describe('the secret of processes that share a Redis', () => {
  it('is the same without an option, so that rounds may go to different processes', async () => {
    const redis = await RedisServer.start();
    const stores = [await redis.stores('node-redis', {}), await redis.stores('ioredis', {})];
    expect(stores[0]?.bus.stateSecret).toMatch(/^[0-9a-f]{64}$/);
    const [one, two] = [
      await serve({}, { bus: stores[0]?.bus as never }),
      await serve({}, { tasks: { store: stores[1]?.tasks as never } }),
    ] as [Served, Served];
    const { requestState } = (await ask(one)).result;
    const inputResponses = { elicitation: { action: 'accept', content: { name: 'Ada' } } };
    expect(await ask(two, { requestState, inputResponses })).toMatchObject({ result: { resultType: 'complete' } });
  });

  it('is missed where it is forgotten, before a client is served', async () => {
    const redis = await RedisServer.start();
    const { store, bus } = await redis.stores('node-redis', {});
    const info = { name: 's', version: '1' };
    expect(() => createHttpHandler(new Server(info), { store })).toThrow(
      'createHttpHandler: the store is shared, but the server has a secret of its own',
    );
    await createHttpHandler(new Server(info, { bus }), { store }).close();
    await createHttpHandler(new Server(info, { stateSecret: 'own' }), { store }).close();
  });
});
