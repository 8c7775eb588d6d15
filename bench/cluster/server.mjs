// One process of the server that bench/cluster.mjs measures. STORE is `memory` or `redis`.
import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Server } from '@hawser/mcp';
import { createHttpHandler, memoryStore } from '@hawser/mcp/http';
import { nodeRedis, openRedisStores } from '@hawser/mcp/redis';
import { createClient } from '@redis/client';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
// Twice, because the first collection only queues finalizers.
process.on('SIGUSR2', () => {
  collectGarbage();
  setImmediate(() => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    console.log(`heap ${heapUsed + external}`);
  });
});

const { PORT, REDIS_URL, STORE } = process.env;
let stores;
if (STORE === 'redis') {
  const redis = createClient({ url: REDIS_URL });
  redis.on('error', () => {});
  await redis.connect();
  stores = await openRedisStores(nodeRedis(redis));
}
const server = new Server(
  { name: 'bench', version: '1' },
  { capabilities: { logging: {} }, stateSecret: 'bench', ...(stores && { bus: stores.bus }) },
);
server.tool({ name: 'echo' }, ({ text }) => String(text));
server.tool({ name: 'stream' }, async ({ count }, { log, drained }) => {
  for (let number = 1; number <= Number(count); number += 1) {
    log('info', number);
    await drained();
  }
  return 'done';
});
const maxSessions = 20_000;
const handler = createHttpHandler(server, { maxSessions, store: stores?.store ?? memoryStore({ maxSessions }) });
const http = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  if (request.url === '/health') response.end('ok');
  else handler(request, response);
});
http.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
  console.log(`Listening at http://127.0.0.1:${port}/mcp`);
});
process.once('SIGINT', () => process.exit());
