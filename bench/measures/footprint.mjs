import { setTimeout as delay } from 'node:timers/promises';
import { LoadClient } from '../load/load-client.mjs';
import { collectGarbage, residentBytes, startServer, stop } from '../load/processes.mjs';
import { openWebSocketWire } from '../load/web-socket-wire.mjs';
import { freshProcess, withStdioClient } from './one-sample.mjs';

const SETTLE_MS = 100;
const OPENED_AT_ONCE = 20;

export const coldStart = {
  name: 'cold-start',
  title: 'cold start over stdio',
  rows: [
    {
      key: 'initialize',
      label: 'cold start to initialize',
      unit: 'ms',
      targets: { raw: { atMost: 1.15 }, 'sdk-v2': { atMost: 0.4 } },
    },
    {
      key: 'call',
      label: 'cold start to first call',
      unit: 'ms',
      targets: { raw: { atMost: 1.15 }, 'sdk-v2': { atMost: 0.4 } },
    },
  ],
  rounds: (settings) => settings.coldStartRounds,
  async prepare(contender) {
    return freshProcess(() => {
      const started = performance.now();
      return withStdioClient(contender.server, async (client) => {
        const initialize = performance.now() - started;
        await client.callEcho('hello');
        return { initialize, call: performance.now() - started };
      });
    });
  },
};

export const resident = {
  name: 'resident',
  title: 'resident memory after initialize over stdio',
  rows: [
    {
      key: 'megabytes',
      label: 'resident after initialize',
      unit: 'MB',
      targets: { raw: { atMost: 1.1 }, 'sdk-v2': { atMost: 0.7 } },
    },
  ],
  rounds: (settings) => settings.residentRounds,
  async prepare(contender) {
    return freshProcess(() =>
      withStdioClient(contender.server, async (client, wire) => {
        // Its answer shows that `notifications/initialized`, which has none, was read.
        await client.request('ping', {});
        await delay(SETTLE_MS);
        return { megabytes: residentBytes(wire.child) / 1e6 };
      }),
    );
  },
};

export const idleConnections = {
  name: 'idle-connections',
  title: 'resident memory per idle WebSocket connection',
  rows: [
    {
      key: 'kilobytes',
      label: 'per idle WebSocket connection',
      unit: 'kB',
      targets: { raw: { atMost: 1.1 }, 'sdk-v2': { atMost: 0.4 } },
    },
  ],
  rounds: (settings) => settings.idleRounds,
  async prepare(contender, settings) {
    return freshProcess(async () => {
      const { child, url } = await startServer(contender.server, 'ws');
      const wires = [];
      const openUntil = async (count) => {
        while (wires.length < count) {
          wires.push(...(await Promise.all(Array.from({ length: OPENED_AT_ONCE }, () => openIdle(url)))));
        }
        await delay(SETTLE_MS);
        await collectGarbage(child);
        return residentBytes(child);
      };
      try {
        // The first connections load code and widen the heap; only what each further one adds is the question.
        const before = await openUntil(settings.idleFirst);
        const after = await openUntil(settings.idleFirst + settings.idleFurther);
        return { kilobytes: (after - before) / settings.idleFurther / 1e3 };
      } finally {
        await stop(child);
        await Promise.all(wires.map((wire) => wire.close()));
      }
    });
  },
};

async function openIdle(url) {
  const wire = await openWebSocketWire(url);
  const client = new LoadClient(wire);
  await client.initialize();
  await client.request('ping', {});
  return wire;
}
