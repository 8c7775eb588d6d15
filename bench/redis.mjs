// What it costs to keep sessions in Redis instead of the memory of the server:
//   npm run bench -- redis [calls per sample]
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CALLS = Number(process.argv[2] ?? 2000);
const ROUNDS = 5;
const STORES = ['memory', 'redis'];
const ANSWERS = ['json', 'sse'];
const IN_FLIGHT = [1, 16];
const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: {} } });

const folder = mkdtempSync(join(tmpdir(), 'hawser-bench-redis-'));
const socket = join(folder, 'redis.sock');
const redis = spawn('redis-server', ['--port', '0', '--unixsocket', socket, '--dir', folder, '--save', ''], {
  stdio: 'ignore',
});
const servers = [];
try {
  await untilAccepting();
  for (const store of STORES) for (const answers of ANSWERS) servers.push(await open(store, answers));
  for (let round = 0; round < ROUNDS; round++) {
    for (const inFlight of IN_FLIGHT) for (const server of servers) await sample(server, inFlight);
  }
  report();
} finally {
  for (const { child } of servers) child.kill();
  redis.kill();
  await once(redis, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

/** A server process with one session. */
async function open(store, answers) {
  const child = fork(new URL('./contenders/redis-server.mjs', import.meta.url), [store, answers, socket]);
  const [{ port }] = await once(child, 'message');
  const agent = new Agent({ keepAlive: true });
  const clientInfo = { name: 'bench', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const server = { store, answers, child, port, agent, headers: {}, samples: new Map() };
  const opened = await post(server, JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  server.headers = { 'Mcp-Session-Id': opened.headers['mcp-session-id'] };
  await post(server, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  await calls(server, CALLS, 16); // until V8 has compiled it
  return server;
}

async function sample(server, inFlight) {
  const before = await processorTime(server);
  const start = performance.now();
  await calls(server, CALLS, inFlight);
  const seconds = (performance.now() - start) / 1000;
  const figures = { callsPerSecond: CALLS / seconds, microseconds: ((await processorTime(server)) - before) / CALLS };
  const samples = server.samples.get(inFlight) ?? [];
  server.samples.set(inFlight, [...samples, figures]);
}

async function calls(server, count, inFlight) {
  let left = count;
  const work = async () => {
    while (left-- > 0) await post(server, CALL);
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

function post({ port, agent, headers }, body) {
  return new Promise((resolve, reject) => {
    const accept = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const options = {
      host: '127.0.0.1',
      port,
      path: '/mcp',
      method: 'POST',
      agent,
      headers: { ...accept, ...headers },
    };
    const sent = request(options, (response) => {
      if (Number(response.statusCode) > 299) reject(new Error(`HTTP ${response.statusCode}`));
      response.resume().on('end', () => resolve(response));
    });
    sent.on('error', reject).end(body);
  });
}

/** Of the server, in microseconds. */
async function processorTime({ child }) {
  child.send('processor time');
  const [{ microseconds }] = await once(child, 'message');
  return microseconds;
}

function report() {
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  console.log('| store | answers | in flight | calls/s | processor time of the server per call, µs |');
  console.log('|---|---|---|---|---|');
  for (const inFlight of IN_FLIGHT) {
    for (const { store, answers, samples } of servers) {
      const of = (key) => median((samples.get(inFlight) ?? []).map((figures) => figures[key])).toFixed(0);
      console.log(`| ${store} | ${answers} | ${inFlight} | ${of('callsPerSecond')} | ${of('microseconds')} |`);
    }
  }
}

async function untilAccepting() {
  for (;;) {
    const connection = createConnection(socket);
    try {
      await once(connection, 'connect');
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      connection.destroy();
    }
  }
}
