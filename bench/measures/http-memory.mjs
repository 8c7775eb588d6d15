import { setTimeout as delay } from 'node:timers/promises';
import { openHttpWire } from '../load/http-wire.mjs';
import { collectGarbage, residentBytes, startServer, stop } from '../load/processes.mjs';
import { sessionRevision, statelessRevision } from './http-revisions.mjs';

const IN_FLIGHT = 16;
const SETTLE_MS = 100;
// Left alone, V8 widens the space for new objects step by step, from 1 MB to 16 MB twice over, for as long as requests
// come: that would be most of what is measured, and hide what is kept.
const FLAGS = ['--max-semi-space-size=1'];

export const httpMemory = {
  name: 'http-memory',
  title: 'resident memory over many stateless HTTP requests',
  rows: [
    {
      key: 'growth',
      label: 'stateless HTTP: memory after many requests',
      unit: '× before',
      targets: {},
      ownTarget: { atMost: 1.05 },
    },
    { key: 'megabytes', label: 'stateless HTTP: memory before them', unit: 'MB', targets: {} },
    { key: 'requests', label: 'stateless HTTP: how many they were', unit: 'requests', targets: {} },
  ],
  rounds: (settings) => settings.httpMemoryRounds,
  async prepare(contender, settings) {
    return { sample: () => sampleOne(contender, settings), close: async () => {} };
  },
};

export const sessionMemory = {
  name: 'session-memory',
  title: 'resident memory per idle HTTP session',
  rows: [
    {
      key: 'kilobytes',
      label: 'per idle HTTP session',
      unit: 'kB',
      targets: { 'sdk-v2': { atMost: 0.7 } },
      ownTarget: { atMost: 8.2 },
    },
  ],
  rounds: (settings) => settings.idleRounds,
  async prepare(contender, settings) {
    return { sample: () => sampleSessions(contender, settings), close: async () => {} };
  },
};

async function sampleSessions(contender, settings) {
  const { child, url } = await startServer(contender.server, 'http', { ANSWERS: 'json' }, FLAGS);
  const residentAfter = async (sessions) => {
    for (let n = 0; n < sessions; n += 1) {
      const wire = openHttpWire(url, sessionRevision.headers(contender));
      await wire.connect(1);
      await sessionRevision.begin(wire, contender);
      wire.disconnect();
    }
    await delay(SETTLE_MS);
    await collectGarbage(child);
    await collectGarbage(child);
    return residentBytes(child);
  };
  try {
    const before = await residentAfter(settings.idleFirst);
    const after = await residentAfter(settings.idleFurther);
    return { kilobytes: (after - before) / settings.idleFurther / 1e3 };
  } finally {
    await stop(child);
  }
}

async function sampleOne(contender, settings) {
  const { child, url } = await startServer(contender.server, 'http', { ANSWERS: 'json' }, FLAGS);
  const wire = openHttpWire(url, statelessRevision.headers());
  try {
    await wire.connect(IN_FLIGHT);
    const client = await statelessRevision.begin(wire);
    const residentAfter = async (calls) => {
      await client.repeat({ inFlight: IN_FLIGHT, calls });
      await delay(SETTLE_MS);
      await collectGarbage(child);
      await collectGarbage(child); // what the first one has found unused is given back by the second
      return residentBytes(child);
    };
    const requests = contender.httpMemoryCalls * settings.httpMemoryPart;
    // The first requests compile code and widen the heap; only what the further ones add is the question.
    const before = await residentAfter(Math.min(settings.httpMemoryWarmCalls, requests));
    const after = await residentAfter(requests);
    return { growth: after / before, megabytes: before / 1e6, requests };
  } finally {
    wire.disconnect();
    await stop(child);
  }
}
