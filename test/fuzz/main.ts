// `npm run fuzz`: attacks every target in turn for the given time, and prints what it found.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { fuzz } from './run.ts';
import { fuzzTargets } from './targets.ts';

const HELP = `Usage: npm run fuzz -- [options]

Attacks our servers and our client with odd input and reports every rule they break.

  --minutes N   how long, shared equally by the targets (default 5)
  --cases N     how many cases per target, instead of --minutes
  --seed N      the first seed (default: from the clock, printed)
  --only TEXT   only targets whose name contains TEXT
  --help        this text

A finding names its seed. The same case again: --only TARGET --seed SEED --cases 1
`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    cases: { type: 'string' },
    seed: { type: 'string' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(HELP);
} else {
  process.exitCode = await run();
}

async function run(): Promise<number> {
  const minutes = numberOf('--minutes', values.minutes);
  const cases = values.cases === undefined ? undefined : numberOf('--cases', values.cases);
  const seed = values.seed === undefined ? Date.now() % 2 ** 31 : numberOf('--seed', values.seed);
  const folder = pathToFileURL(join(process.env.HAWSER_ROOT ?? '.', 'test', 'fuzz', '/'));
  const targets = fuzzTargets(folder).filter(({ name }) => name.includes(values.only));
  if (targets.length === 0) throw new Error(`No target is called ${values.only}`);
  console.log(`Seed ${seed}`);
  const unexpected: unknown[] = [];
  process.on('uncaughtException', (error) => unexpected.push(error));
  process.on('unhandledRejection', (error) => unexpected.push(error));
  let failures = 0;
  for (const target of targets) {
    const end = Date.now() + (minutes * 60_000) / targets.length;
    let nextReport = Date.now() + 10_000;
    const report = await fuzz(target, {
      seed,
      goOn: (done) => unexpected.length === 0 && (cases === undefined ? Date.now() < end : done < cases),
      onProgress: (inputs) => {
        if (Date.now() < nextReport) return;
        nextReport += 10_000;
        console.log(`  ${target.name}: ${inputs} inputs`);
      },
    });
    for (const error of unexpected.splice(0))
      report.findings.push({ target: target.name, seed: seed + report.cases - 1, error });
    console.log(`${target.name}: ${report.inputs} inputs in ${report.cases} cases, ${report.findings.length} findings`);
    for (const finding of report.findings) console.log(`  seed ${finding.seed}:`, finding.error);
    failures += report.findings.length;
  }
  return failures === 0 ? 0 : 1;
}

function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < 0)
    throw new Error(`${option} takes a number, not ${text}`);
  return number;
}
