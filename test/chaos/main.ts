// `npm run chaos`: breaks parts of a cluster while clients use it, and prints what they saw.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runChaos } from './chaos.ts';

const HELP = `Usage: npm run chaos -- [options]

Starts examples/cluster, and clients that call, stream, subscribe and run tasks through its proxy. Meanwhile it kills and
suspends processes, restarts Redis with and without its data, and cuts connections. Exits with 1 if a promise was broken.

  --minutes N     how long faults are caused (default 5)
  --processes N   of the server (default 3)
  --lease N       milliseconds after which calls and tasks of a dead process end (default 3000)
  --seed N        of the faults (default: from the clock, printed)
  --verbose       print each fault and what the programs write
  --help          this text
`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    processes: { type: 'string', default: '3' },
    lease: { type: 'string', default: '3000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(HELP);
else process.exitCode = await run();

async function run(): Promise<number> {
  const since = performance.now();
  console.log(`Seed ${values.seed}`);
  const { ledger, faults } = await runChaos({
    seed: numberOf('seed'),
    milliseconds: numberOf('minutes') * 60_000,
    processes: numberOf('processes'),
    leaseMs: numberOf('lease'),
    program: join(process.env.HAWSER_ROOT ?? '.', 'examples', 'cluster', 'server.mjs'),
    log: (line) => {
      if (values.verbose) console.log(`[${((performance.now() - since) / 1000).toFixed(1)} s] ${line}`);
    },
  });
  console.log(`\nFaults: ${[...faults].map(([name, count]) => `${name} ${count}`).join(', ')}\n`);
  console.log(`${ledger}\n`);
  console.log(ledger.violations.length === 0 ? 'No promise was broken.' : ledger.violations.join('\n'));
  return ledger.violations.length === 0 ? 0 : 1;
}

function numberOf(option: 'minutes' | 'processes' | 'lease' | 'seed'): number {
  const number = Number(values[option]);
  if (Number.isFinite(number) && number > 0) return number;
  throw new Error(`--${option} takes a number, not ${values[option]}`);
}
