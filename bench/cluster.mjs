// `npm run bench -- cluster`: what sharing sessions through Redis costs, and what more processes bring. Takes some minutes.
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Cluster } from '../examples/cluster/cluster.mjs';
import { during, Load } from './cluster/load.mjs';
import { processorSeconds, residentBytes } from './load/processes.mjs';
import { median } from './statistics.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '1500' },
    sessions: { type: 'string', default: '10000' },
  },
});
const [rounds, roundMs, sessions] = [values.rounds, values.ms, values.sessions].map(Number);
const LANES = 32;
const STREAM_EVENTS = 200;
/** Calls or events that each process has handled before it is measured. */
const WARM_UNITS = 5000;
const WARM_MS = 200;

const program = fileURLToPath(new URL('cluster/server.mjs', import.meta.url));

/** By name: the cluster, and the port that the load goes to. */
const contenders = new Map();
try {
  const memory = await start(1, 'memory');
  contenders.set('memory, 1 process', { cluster: memory, port: memory.serverPorts[0] });
  const one = await start(1, 'redis');
  contenders.set('Redis, 1 process', { cluster: one, port: one.serverPorts[0] });
  contenders.set('Redis, proxy, 1 process', { cluster: one, port: portOf(one) });
  for (const count of [2, 4]) {
    const cluster = await start(count, 'redis');
    contenders.set(`Redis, proxy, ${count} processes`, { cluster, port: portOf(cluster) });
  }
  console.log(
    `${cpus().length} processors (${cpus()[0].model}), Node ${process.version}, ${rounds} rounds of ${roundMs} ms\n`,
  );
  await compare('calls in sessions', (load, open) => (lane) => load.call('echo', { text: 'x' }, open[lane]), 1);
  await compare('stateless calls', (load) => () => load.call('echo', { text: 'x' }, undefined), 1);
  const stream = { count: STREAM_EVENTS };
  await compare(
    'events of resumable streams',
    (load, open) => (lane) => load.call('stream', stream, open[lane]),
    STREAM_EVENTS,
  );
  await compare('events of stateless streams', (load) => () => load.call('stream', stream, undefined), STREAM_EVENTS);
  for (const name of ['memory, 1 process', 'Redis, 1 process']) await measureSessions(name);
} finally {
  const clusters = new Set([...contenders.values()].map(({ cluster }) => cluster));
  await Promise.all([...clusters].map((cluster) => cluster.close()));
}

async function start(processes, store) {
  const cluster = new Cluster({ processes, program, env: { STORE: store } });
  await cluster.start();
  return cluster;
}

function portOf(cluster) {
  return Number(new URL(cluster.url).port);
}

/** All contenders in turn, round by round, so that what else the machine does affects all of them. */
async function compare(title, workOf, unitsPerRun) {
  const entrants = [];
  for (const [name, { cluster, port }] of contenders) {
    const load = new Load(port, LANES);
    const open = [];
    for (let lane = 0; lane < LANES; lane += 1) open.push(await load.openSession());
    entrants.push({ name, cluster, load, work: workOf(load, open), perSecond: [], microseconds: [] });
  }
  // Each process has to compile the code that is used much.
  for (const { work, cluster } of entrants) {
    const enough = (WARM_UNITS * cluster.servers.length) / unitsPerRun;
    for (let runs = 0; runs < enough; ) runs += (await during(WARM_MS, LANES, work)).runs;
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const entrant of round % 2 === 0 ? entrants : entrants.toReversed()) {
      const before = usedSeconds(entrant.cluster);
      const { runs, seconds } = await during(roundMs, LANES, entrant.work);
      const used = usedSeconds(entrant.cluster) - before;
      entrant.perSecond.push((runs * unitsPerRun) / seconds);
      entrant.microseconds.push((used * 1e6) / (runs * unitsPerRun));
    }
  }
  const [first] = entrants;
  console.log(`${title}: per second, CPU time of the server's processes for one, ratio of that to ${first.name}`);
  for (const { name, perSecond, microseconds, load } of entrants) {
    const ratios = microseconds.map((each, round) => each / first.microseconds[round]);
    const figures = [median(perSecond).toFixed(0).padStart(8), `${median(microseconds).toFixed(0).padStart(6)} µs`];
    console.log(`  ${name.padEnd(28)} ${figures.join('  ')}  ${median(ratios).toFixed(2)}`);
    load.close();
  }
  console.log('');
}

function usedSeconds({ servers }) {
  return servers.reduce((total, { pid }) => total + processorSeconds({ pid }), 0);
}

/** Opens many sessions, in two halves: the second must not cost more than the first. */
async function measureSessions(name) {
  const { cluster, port } = contenders.get(name);
  const [server] = cluster.servers;
  const load = new Load(port, LANES);
  const half = sessions / 2;
  const measured = [await memoryOf(cluster, server)];
  for (const _half of [1, 2]) {
    let opened = 0;
    const open = async () => {
      for (; opened < half; opened += 1) await load.openSession();
    };
    await Promise.all(Array.from({ length: LANES }, open));
    measured.push(await memoryOf(cluster, server));
  }
  load.close();
  const perSession = (from, to, what) => ((measured[to][what] - measured[from][what]) / half / 1024).toFixed(2);
  console.log(`${sessions} open sessions, ${name}: KiB a session, in the first and the second half`);
  for (const what of ['heap', 'resident', 'redis']) {
    console.log(`  ${what.padEnd(8)} ${perSession(0, 1, what)} and ${perSession(1, 2, what)}`);
  }
  console.log('');
}

async function memoryOf(cluster, server) {
  const known = server.output;
  server.signal('SIGUSR2');
  while (server.output === known) await delay(10);
  const heap = Number(server.output.trim().split(' ').at(-1));
  return { heap, resident: residentBytes({ pid: server.pid }), redis: await redisBytes(cluster.redisUrl) };
}

async function redisBytes(url) {
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
  socket.write('INFO memory\r\n');
  const [text] = await once(socket.setEncoding('utf8'), 'data');
  socket.destroy();
  return Number(/used_memory:(\d+)/.exec(text)?.[1]);
}
