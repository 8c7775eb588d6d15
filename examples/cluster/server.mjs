// One process of a server that runs in many. All of them share one Redis, so that a proxy may send any request to any of them:
//   PORT=3001 REDIS_URL=redis://127.0.0.1:6379 STATE_SECRET=… node server.mjs
// LEASE_MS is optional: the time after which the calls and tasks of a process that died end with an error. As often, what is
// followed is compared with Redis.
import { createServer } from 'node:http';
import { Server } from '@hawser/mcp';
import { createHttpHandler } from '@hawser/mcp/http';
import { nodeRedis, openRedisStores } from '@hawser/mcp/redis';
import { createClient } from '@redis/client';
import { Metrics } from './metrics.mjs';
import { Notes } from './notes.mjs';
import { addTools } from './tools.mjs';

const { PORT = '0', REDIS_URL, STATE_SECRET, LEASE_MS = '30000' } = process.env;
/** How long a process that was asked to end waits for the requests that it answers. */
const DRAIN_MS = 10_000;

if (REDIS_URL === undefined)
  fail('Set REDIS_URL to the Redis that all processes share, for example redis://127.0.0.1:6379.');
const leaseMs = Number(LEASE_MS);
if (!(leaseMs >= 100)) fail(`LEASE_MS is a number of milliseconds, at least 100, not ${LEASE_MS}.`);
if (STATE_SECRET === undefined) {
  console.error('STATE_SECRET is not set, and its default is public. Set it where clients are not trusted.');
}

const metrics = new Metrics();
const redis = createClient({ url: REDIS_URL, commandOptions: { timeout: 10_000 } });
redis.on('error', (error) => metrics.failed(error, { what: 'redis' }));
const connecting = setTimeout(() => fail(`Redis does not answer at ${new URL(REDIS_URL).host}.`), 10_000);
await redis.connect();
clearTimeout(connecting);
const stores = await openRedisStores(nodeRedis(redis), {
  prefix: 'cluster',
  checkMs: leaseMs,
  onError: metrics.failed,
});

const server = new Server(
  { name: 'cluster', version: '1.0.0' },
  {
    capabilities: { logging: {} },
    // Clients of 2026-07-28 carry state from one process to another.
    stateSecret: STATE_SECRET ?? 'the same in every process',
    tasks: { store: stores.tasks, leaseMs },
    bus: stores.bus,
    onError: metrics.failed,
  },
);
server.use(metrics.measure);
addTools(server, new Notes(redis, 'cluster:notes'));

const mcp = createHttpHandler(server, { store: stores.store, leaseMs });
let isEnding = false;
/** @type {{ [path: string]: import('node:http').RequestListener }} */
const routes = {
  '/mcp': mcp,
  // Redis is not checked: all processes share it, so another one could not serve the request either.
  '/health': (_request, response) => response.writeHead(isEnding ? 503 : 200).end(isEnding ? 'ending\n' : 'ok\n'),
  '/metrics': (_request, response) => response.end(metrics.text({ ...mcp.stats(), ...server.stats() })),
};
// Longer than the proxy keeps an idle connection, so that it never sends a request on one that is being closed.
const http = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  if (Object.hasOwn(routes, pathname)) routes[pathname](request, response);
  else response.writeHead(404).end('MCP is at /mcp\n');
});
http.once('error', (error) => fail(error.message));
http.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
  console.log(`Listening at http://127.0.0.1:${port}/mcp`);
});

// The proxy learns from /health to send no more requests here, while those under way are answered.
process.once('SIGTERM', () => end(() => metrics.idle(DRAIN_MS)));
process.once('SIGINT', () => end(async () => {}));

/** @param {() => Promise<void>} drain */
async function end(drain) {
  if (isEnding) return;
  isEnding = true;
  await drain();
  await mcp.close();
  await server.close();
  http.close();
  http.closeAllConnections();
  stores.close();
  redis.destroy();
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  console.error(message);
  process.exit(1);
}
