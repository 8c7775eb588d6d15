import { stopAll } from './load/processes.mjs';

/**
 * Runs the measures whose names the arguments of this process have, or all, and prints a table. A measure gives rows of
 * `{ label, value, unit, atMost }`; a row without `atMost` is for information. `--strict` ends with 2 if a target is missed.
 * @param {string} benchmark as in `npm run bench -- bridge`
 */
export async function runMeasures(benchmark, measures, prepare = async () => {}) {
  const args = process.argv.slice(2);
  const names = args.filter((arg) => !arg.startsWith('--'));
  const unknown = names.find((name) => measures[name] === undefined);
  if (args.includes('--help') || unknown !== undefined) {
    const known = Object.keys(measures).join(', ');
    console.log(`npm run bench -- ${benchmark} [--quick] [--strict] [NAME…]\nmeasures: ${known}`);
    process.exit(unknown === undefined ? 0 : 1);
  }
  await prepare();
  let missed = 0;
  console.log('| measure | figure | target | |\n|---|---|---|---|');
  for (const [name, measure] of Object.entries(measures)) {
    if (names.length > 0 && !names.includes(name)) continue;
    process.stderr.write(`[${(performance.now() / 1000).toFixed(0).padStart(3)} s] ${name}\n`);
    for (const { label, value, unit, atMost } of await measure({ quick: args.includes('--quick') })) {
      const isMissed = atMost !== undefined && value > atMost;
      if (isMissed) missed += 1;
      const verdict = atMost === undefined ? '' : isMissed ? 'short' : 'ok';
      const digits = Math.abs(value) < 10 && !Number.isInteger(value) ? 2 : 0;
      const target = atMost === undefined ? '' : `≤ ${atMost} ${unit}`;
      console.log(`| ${label} | ${value.toFixed(digits)} ${unit} | ${target} | ${verdict} |`);
    }
  }
  await stopAll();
  process.exit(args.includes('--strict') && missed > 0 ? 2 : 0);
}
