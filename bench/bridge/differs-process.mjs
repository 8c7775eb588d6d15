// Compares two texts of 100 000 lines with one differ, and tells how long it took and how many stretches it found.
import { diffLines } from 'diff';
import { DefaultLinesDiffComputer } from 'vscode-diff';
import { bridgeUrl } from './build.mjs';
import { SHAPES } from './shapes.mjs';

const GIVE_UP_MS = 10_000;
const { shape, contender } = JSON.parse(process.env.BENCH_SETTINGS ?? '{}');
const { hunksOf } = await import(bridgeUrl);

/** Each gives the number of stretches that change, or undefined if it gave up. */
const DIFFERS = {
  hunksOf: (oldLines, newLines) => hunksOf(textOf(oldLines), textOf(newLines)).length,
  diff: (oldLines, newLines) => {
    const parts = diffLines(textOf(oldLines), textOf(newLines), { timeout: GIVE_UP_MS });
    return parts?.filter(({ added, removed }, at) => (added || removed) && !isChange(parts[at - 1])).length;
  },
  'vscode-diff': (oldLines, newLines) => {
    const options = { ignoreTrimWhitespace: false, computeMoves: false, maxComputationTimeMs: GIVE_UP_MS };
    const { changes, hitTimeout } = new DefaultLinesDiffComputer().computeDiff(oldLines, newLines, options);
    return hitTimeout ? undefined : changes.length;
  },
};

function isChange(part) {
  return part !== undefined && (part.added || part.removed);
}

function textOf(lines) {
  return `${lines.join('\n')}\n`;
}

const [oldLines, newLines] = SHAPES[shape]();
const began = performance.now();
const found = DIFFERS[contender](oldLines, newLines);
const took = performance.now() - began;
console.log(JSON.stringify({ took, outcome: found === undefined ? 'gave up' : `${found} changes` }));
