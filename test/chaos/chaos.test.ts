import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runChaos } from './chaos.ts';

const program = fileURLToPath(new URL('../../examples/cluster/server.mjs', import.meta.url));

// The long form is `npm run chaos`.
it('clients of a cluster get one answer or a clear error while its parts are broken', {
  timeout: 120_000,
}, async () => {
  const { ledger, faults } = await runChaos({
    seed: 20_260_728,
    milliseconds: 14_000,
    processes: 3,
    leaseMs: 3000,
    program,
    log: () => {},
  });
  expect(ledger.violations).toEqual([]);
  // Each kind of fault has happened, and each kind of client has got something done.
  expect([...faults.keys()].sort()).toEqual(
    ['cutClients', 'cutRedis', 'emptyRedis', 'kill', 'restart', 'restartRedis', 'suspend'].sort(),
  );
  const workloads = [
    ...['calls (session)', 'calls (stateless)', 'questions (session)', 'questions (stateless)'],
    ...['streams (session)', 'subscriptions', 'tasks (followed by the client)', 'tasks (polled)'],
  ];
  expect(workloads.filter((workload) => ledger.counted(workload, 'ok') === 0)).toEqual([]);
});
