// A server whose sessions are in memory or in Redis. Arguments: the store, json or sse, the socket of Redis.
import { memoryStore, Server, serveHttp } from '@hawser/mcp/http';
import { nodeRedis, openRedisStores } from '@hawser/mcp/redis';
import { createClient } from '@redis/client';

const [kind, responseFormat, path] = process.argv.slice(2);

async function redisStore() {
  const client = createClient({ socket: { path, tls: false } });
  await client.connect();
  return (await openRedisStores(nodeRedis(client))).store;
}

const server = new Server({ name: 'bench', version: '1' });
server.tool({ name: 'echo' }, () => 'hello');
const store = kind === 'redis' ? await redisStore() : memoryStore();
const { port } = await serveHttp(server, { port: 0, store, responseFormat: responseFormat === 'sse' ? 'sse' : 'json' });
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ microseconds: user + system });
});
process.on('disconnect', () => process.exit());
process.send?.({ port });
