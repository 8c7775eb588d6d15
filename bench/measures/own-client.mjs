import { runForReport } from '../load/processes.mjs';
import { freshProcess } from './one-sample.mjs';

export const memoryCalls = {
  name: 'memory',
  title: 'in-memory calls, own client',
  rows: [
    {
      key: '1',
      label: 'in memory, 1 in flight',
      unit: 'calls/s',
      targets: { raw: { atLeast: 0.2 }, 'sdk-v2': { atLeast: 35 } },
    },
    { key: '64', label: 'in memory, 64 in flight', unit: 'calls/s', targets: {} },
  ],
  rounds: (settings) => settings.ownClientRounds,
  async prepare(contender, { ownClientWarmMs: warmMs, ownClientMs: measureMs }) {
    return freshProcess(async () => {
      const settings = { warmMs, measureMs, depths: [1, 64] };
      const { perSecond } = await runForReport(contender.own, 'memory', settings);
      return perSecond;
    });
  },
};

export const notifications = {
  name: 'notifications',
  title: 'notifications over stdio to the own client',
  rows: [
    {
      key: 'rate',
      label: 'notifications, own client',
      unit: 'per s',
      targets: { raw: { atLeast: 0.9 }, 'sdk-v2': { atLeast: 3 } },
    },
  ],
  rounds: (settings) => settings.ownClientRounds,
  async prepare(contender, { ownClientWarmMs: warmMs, ownClientMs: measureMs, burstCount }) {
    return freshProcess(async () => {
      const { perSecond } = await runForReport(contender.own, 'notifications', { warmMs, measureMs, burstCount });
      return { rate: perSecond };
    });
  },
};
