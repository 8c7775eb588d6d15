// Measures the Neovim plugin and holds it to its targets: node bench/neovim.mjs [--strict] [NAME…]
import { stayAwake } from './load/stay-awake.mjs';
import { cursorCost, lockFile, memory } from './neovim/helper-process.mjs';
import { cursor, largeDiff, stall, startup } from './neovim/measures.mjs';
import { neovims } from './neovim/neovim.mjs';

const measures = { startup, lockFile, stall, cursor, cursorCost, memory, largeDiff };
// The client of Neovim takes console.log for its own log.
const print = (line) => process.stdout.write(`${line}\n`);

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith('--'));
const unknown = names.find((name) => measures[name] === undefined);
if (args.includes('--help') || unknown !== undefined) {
  print(`node bench/neovim.mjs [--strict] [NAME…]\nmeasures: ${Object.keys(measures).join(', ')}`);
  process.exit(unknown === undefined ? 0 : 1);
}

stayAwake();
let missed = 0;
print('| Neovim | measure | figure | target | |\n|---|---|---|---|---|');
for (const neovim of neovims()) {
  for (const [name, measure] of Object.entries(measures)) {
    if (names.length > 0 && !names.includes(name)) continue;
    for (const { label, value, unit, atMost } of await measure(neovim)) {
      const isMissed = atMost !== undefined && value > atMost;
      if (isMissed) missed += 1;
      const target = atMost === undefined ? '' : `≤ ${Number(atMost.toFixed(1))} ${unit}`;
      const verdict = atMost === undefined ? '' : isMissed ? 'short' : 'ok';
      print(`| ${neovim.version} | ${label} | ${value.toFixed(2)} ${unit} | ${target} | ${verdict} |`);
    }
  }
}
process.exit(args.includes('--strict') && missed > 0 ? 2 : 0);
