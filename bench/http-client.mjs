// What the client over HTTP costs with Node's HTTP client and with its fetch, in one interleaved run:
//   npm run bench -- http-client [calls per sample]
import { fork } from 'node:child_process';
import { Client, connectHttp } from '@hawser/mcp/client';
import { median } from './statistics.mjs';

const CALLS = Number(process.argv[2] ?? 600);
const ROUNDS = 15;
const IN_FLIGHT = [1, 16];

// The server has a process of its own, so that the processor time is that of the client.
const server = fork(new URL('./contenders/http-client-server.mjs', import.meta.url));
try {
  const url = await new Promise((resolve) => server.once('message', resolve));
  const open = (options) => new Client({ name: 'bench', version: '1.0.0' }).connect(connectHttp(url, options));
  const sessions = { 'node:http': await open({}), fetch: await open({ fetch }) };
  for (const inFlight of IN_FLIGHT) {
    const samples = { 'node:http': [], fetch: [] };
    for (let round = 0; round < ROUNDS; round++) {
      const names = Object.keys(sessions);
      for (const name of round % 2 === 0 ? names : names.reverse()) {
        samples[name].push(await sample(sessions[name], inFlight));
      }
    }
    for (const [name, list] of Object.entries(samples)) report(name, inFlight, list, samples['node:http']);
  }
  for (const session of Object.values(sessions)) await session.close();
} finally {
  server.kill();
}

async function sample(session, inFlight) {
  let begun = 0;
  const since = performance.now();
  const cpuSince = process.cpuUsage();
  const caller = async () => {
    for (; begun < CALLS; ) {
      begun += 1;
      await session.callTool('echo');
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  const { user, system } = process.cpuUsage(cpuSince);
  return { perSecond: (1000 * CALLS) / (performance.now() - since), cpu: (user + system) / CALLS };
}

function report(name, inFlight, list, base) {
  const of = (samples, key) => median(samples.map((each) => each[key]));
  const perSecond = Math.round(of(list, 'perSecond'));
  const cpu = of(list, 'cpu');
  const ratio = (cpu / of(base, 'cpu')).toFixed(2);
  console.log(`${inFlight} in flight, ${name}: ${perSecond} calls/s, ${cpu.toFixed(0)} µs of CPU a call (${ratio}×)`);
}
