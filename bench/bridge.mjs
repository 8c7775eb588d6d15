// Measures the bridge and holds it to its targets: npm run bench -- bridge [--quick] [--strict] [NAME…]
import { buildBridge } from './bridge/build.mjs';
import { clientStart } from './bridge/client-start.mjs';
import { differs } from './bridge/differs.mjs';
import { gateHook } from './bridge/gate-hook.mjs';
import { hunks } from './bridge/hunks.mjs';
import { keptAfterDiffs } from './bridge/kept-after-diffs.mjs';
import { largeDiff } from './bridge/large-diff.mjs';
import { mentions } from './bridge/mentions.mjs';
import { selectionBurst, selectionLatency } from './bridge/selections.mjs';
import { start } from './bridge/start.mjs';
import { terminal } from './bridge/terminal.mjs';
import { stopAll } from './load/processes.mjs';

/** Each gives rows of `{ label, value, unit, atMost }`; a row without `atMost` is for information. */
const measures = {
  start,
  clientStart,
  gateHook,
  mentions,
  selectionLatency,
  selectionBurst,
  largeDiff,
  keptAfterDiffs,
  hunks,
  differs,
  terminal,
};

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith('--'));
const unknown = names.find((name) => measures[name] === undefined);
if (args.includes('--help') || unknown !== undefined) {
  console.log(`npm run bench -- bridge [--quick] [--strict] [NAME…]\nmeasures: ${Object.keys(measures).join(', ')}`);
  process.exit(unknown === undefined ? 0 : 1);
}

await buildBridge();
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
