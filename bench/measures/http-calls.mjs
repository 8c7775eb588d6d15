import { openHttpWire } from '../load/http-wire.mjs';
import { startServer, stop } from '../load/processes.mjs';
import { sessionRevision, statelessRevision } from './http-revisions.mjs';

const DEPTHS = [1, 16];
const MAX_IN_FLIGHT = Math.max(...DEPTHS);
const ANSWERS = ['json', 'sse'];
const TARGETS = { raw: [0.9, 0.9], 'sdk-v2': [4, 5] };

export const httpCalls = measure('http', 'HTTP calls in sessions (2025-11-25)', 'HTTP session', sessionRevision);
export const httpStatelessCalls = measure(
  'http-stateless',
  'stateless HTTP calls (2026-07-28)',
  'HTTP stateless',
  statelessRevision,
);

function measure(name, title, label, revision) {
  return {
    name,
    title,
    rows: ANSWERS.flatMap((answers) => rows(label, answers)),
    rounds: (settings) => settings.httpRounds,
    async prepare(contender, settings) {
      const servers = await Promise.all(ANSWERS.map((answers) => start(contender, revision, answers)));
      for (const server of servers) await sampleOne(server, { warmMs: 0, measureMs: settings.httpWarmMs });
      const times = { warmMs: settings.httpSettleMs, measureMs: settings.callMs };
      const sample = async () => {
        const figures = {};
        for (const server of servers) Object.assign(figures, await sampleOne(server, times));
        return figures;
      };
      return { sample, close: () => Promise.all(servers.map(({ child }) => stop(child))) };
    },
  };
}

function rows(label, answers) {
  return DEPTHS.flatMap((inFlight, index) => {
    const what = `${label}, ${answers.toUpperCase()}, ${inFlight} in flight`;
    const targets = Object.entries(TARGETS).map(([name, least]) => [name, { atLeast: least[index] }]);
    return [
      { key: `${answers}-${inFlight}`, label: what, unit: 'calls/s', targets: Object.fromEntries(targets) },
      { key: `${answers}-${inFlight}-cpu`, label: `${what}: server CPU`, unit: 'µs/call', targets: {} },
    ];
  });
}

async function start(contender, revision, answers) {
  const { child, url } = await startServer(contender.server, 'http', { ANSWERS: answers });
  const wire = openHttpWire(url, revision.headers(contender));
  await wire.connect(1);
  const client = await revision.begin(wire, contender);
  if (wire.lastAnswered !== answers) throw new Error(`answers with ${wire.lastAnswered} instead of ${answers}`);
  wire.disconnect();
  return { answers, child, wire, client };
}

async function sampleOne({ answers, child, wire, client }, times) {
  const figures = {};
  await wire.connect(MAX_IN_FLIGHT);
  for (const inFlight of DEPTHS) {
    const { perSecond, processorMicroseconds } = await client.pump({ ...times, inFlight, child });
    figures[`${answers}-${inFlight}`] = perSecond;
    figures[`${answers}-${inFlight}-cpu`] = processorMicroseconds;
  }
  wire.disconnect();
  return figures;
}
