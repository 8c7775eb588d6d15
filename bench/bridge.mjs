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
import { runMeasures } from './run-measures.mjs';

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

await runMeasures('bridge', measures, buildBridge);
