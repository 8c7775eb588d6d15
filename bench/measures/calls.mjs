import { LoadClient } from '../load/load-client.mjs';
import { startServer, stop } from '../load/processes.mjs';
import { openStdioWire } from '../load/stdio-wire.mjs';
import { openWebSocketWire } from '../load/web-socket-wire.mjs';

const DEPTHS = [1, 16, 256];

export const stdioCalls = {
  name: 'stdio',
  title: 'stdio calls',
  rows: rows('stdio', { raw: [0.9, 0.9, 0.9], 'sdk-v2': [1.4, 5, 14] }),
  rounds: (settings) => settings.callRounds,
  async prepare(contender, settings) {
    const wire = openStdioWire(contender.server);
    return prepared({ wire, child: wire.child, settings, close: () => wire.close() });
  },
};

export const webSocketCalls = {
  name: 'websocket',
  title: 'WebSocket calls',
  rows: rows('WebSocket', { raw: [0.9, 0.9, 0.9], 'sdk-v2': [1.4, 3, 6] }),
  rounds: (settings) => settings.callRounds,
  async prepare(contender, settings) {
    const { child, url } = await startServer(contender.server, 'ws');
    const wire = await openWebSocketWire(url);
    return prepared({ wire, child, settings, close: () => Promise.all([wire.close(), stop(child)]) });
  },
};

function rows(transport, targets) {
  return DEPTHS.flatMap((inFlight, index) => [
    {
      key: `${inFlight}`,
      label: `${transport}, ${inFlight} in flight`,
      unit: 'calls/s',
      targets: Object.fromEntries(Object.entries(targets).map(([name, least]) => [name, { atLeast: least[index] }])),
    },
    {
      key: `${inFlight}-p99`,
      label: `${transport}, ${inFlight} in flight: p99`,
      unit: 'µs',
      targets: inFlight === 1 ? {} : { raw: { atMost: 1.2 } },
    },
    { key: `${inFlight}-cpu`, label: `${transport}, ${inFlight} in flight: server CPU`, unit: 'µs/call', targets: {} },
  ]);
}

async function prepared({ wire, child, settings, close }) {
  const client = new LoadClient(wire);
  await client.initialize();
  for (const inFlight of DEPTHS) {
    await client.pump({ inFlight, warmMs: 0, measureMs: settings.callWarmMs });
  }
  const sample = async () => {
    const figures = {};
    for (const inFlight of DEPTHS) {
      const { callSettleMs: warmMs, callMs: measureMs } = settings;
      const pumped = await client.pump({ inFlight, warmMs, measureMs, child });
      figures[inFlight] = pumped.perSecond;
      figures[`${inFlight}-p99`] = pumped.p99Microseconds;
      figures[`${inFlight}-cpu`] = pumped.processorMicroseconds;
    }
    return figures;
  };
  return { sample, close };
}
