import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { helpText, readCommandLine } from './command-line.mjs';
import { contenders } from './contenders.mjs';
import { stopAll } from './load/processes.mjs';
import { stayAwake } from './load/stay-awake.mjs';
import { measures } from './measures.mjs';
import { summarize } from './ratios.mjs';
import { chooseSettings } from './settings.mjs';
import { figureTable, ownTable, ratioTable } from './tables.mjs';

const LONGEST_WORK_MS = 60_000;

/** Takes one measure of all contenders; resolves to their samples by name, one sample a round. */
async function takeMeasure(measure, entrants, settings) {
  const samples = new Map(entrants.map(({ name }) => [name, []]));
  const rounds = measure.rounds(settings);
  for (let done = 0; done < rounds; done += settings.roundsPerProcess) {
    const turns = [];
    try {
      for (const entrant of entrants)
        turns.push({ name: entrant.name, ...(await prepare(measure, entrant, settings)) });
      for (let round = done; round < Math.min(rounds, done + settings.roundsPerProcess); round++) {
        progress(`${measure.title}: round ${round + 1} of ${rounds}`);
        for (const { name, sample } of round % 2 === 0 ? turns : turns.toReversed()) {
          samples.get(name).push(await naming(name, sample()));
        }
      }
    } finally {
      await Promise.all(turns.map(({ close }) => close()));
    }
  }
  return samples;
}

function prepare(measure, entrant, settings) {
  return naming(entrant.name, measure.prepare(entrant, settings));
}

/** Puts the contender's name before whatever goes wrong; not to come to an end goes wrong, too. */
async function naming(name, work) {
  const limit = new AbortController();
  const overdue = delay(LONGEST_WORK_MS, undefined, { signal: limit.signal }).then(() => {
    throw new Error(`no end after ${LONGEST_WORK_MS / 1000} s`);
  });
  try {
    return await Promise.race([work, overdue]);
  } catch (error) {
    throw new Error(`${name}: ${/** @type {Error} */ (error).message}`, { cause: error });
  } finally {
    overdue.catch(() => {});
    limit.abort();
  }
}

function progress(text) {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(0).padStart(3)} s] ${text}\n`);
}

async function run(options) {
  const settings = chooseSettings(options);
  const remarks = [];
  const failures = [];
  const rows = [];
  for (const measure of options.measures) {
    for (const { name, absent } of options.contenders) {
      if (absent[measure.name] !== undefined)
        remarks.push(`${measure.title}: without ${name}, ${absent[measure.name]}`);
    }
    const entrants = options.contenders.filter(({ absent }) => absent[measure.name] === undefined);
    try {
      const samples = await takeMeasure(measure, entrants, settings);
      for (const row of measure.rows) rows.push({ measure: measure.name, ...summarize(row, samples, options.subject) });
    } catch (error) {
      failures.push(`${measure.title}: ${/** @type {Error} */ (error).message}`);
      progress(`failed: ${failures.at(-1)}`);
      await stopAll();
    }
  }
  return { rows, remarks, failures, settings };
}

function print({ rows, remarks, failures }, { contenders: entrants, subject }) {
  const names = entrants.map(({ name }) => name);
  const others = names.filter((name) => name !== subject);
  console.log(`Medians of all rounds, and half the distance between the quartiles\n\n${figureTable(rows, names)}`);
  if (names.includes(subject) && others.length > 0) {
    console.log(`\nRatios of ${subject} to the others, with their targets\n\n${ratioTable(rows, others)}`);
  }
  const withOwn = rows.filter(({ own }) => own !== undefined);
  if (withOwn.length > 0) console.log(`\nTargets for ${subject} alone\n\n${ownTable(withOwn, subject)}`);
  if (remarks.length > 0) console.log(`\n${remarks.join('\n')}`);
  if (failures.length > 0) console.log(`\nCould not be measured:\n${failures.join('\n')}`);
  const verdicts = rows.flatMap(({ ratios, own }) => [...Object.values(ratios), ...(own ? [own] : [])]);
  const missed = verdicts.filter(({ verdict }) => verdict === 'short').length;
  const met = verdicts.filter(({ verdict }) => verdict === 'ok').length;
  if (met + missed > 0) console.log(`\n${met} of ${met + missed} targets met`);
  return missed;
}

const all = { contenders, measures };
try {
  const options = readCommandLine(process.argv.slice(2), all);
  if (options.help) {
    console.log(helpText(all));
  } else {
    stayAwake();
    const outcome = await run(options);
    const missed = print(outcome, options);
    if (options.json !== undefined) {
      const machine = { node: process.version, processor: cpus()[0].model, processors: cpus().length };
      const report = { date: new Date().toISOString(), machine, subject: options.subject, ...outcome };
      writeFileSync(options.json, `${JSON.stringify(report, undefined, 2)}\n`);
    }
    if (outcome.failures.length > 0) process.exitCode = 1;
    else if (options.strict && missed > 0) process.exitCode = 2;
  }
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
