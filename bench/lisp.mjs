// `npm run build && node bench/lisp.mjs [--strict]`: how fast @hawser/lisp is, held against its targets.
// The server it competes with cannot be installed from a registry; its figures were measured once, on a machine like this.
import { rmSync } from 'node:fs';
import { barePipe, loadEngine, startNode, startServer, temporaryFolder, wireServer } from './lisp/contenders.mjs';
import { onOneProcessor } from './load/one-processor.mjs';
import { stayAwake } from './load/stay-awake.mjs';
import { median } from './statistics.mjs';

const PEER_START_MS = 318;
const PEER_EVALUATION_US = 150;
const PEER_MEGABYTE_MS = 12.6;
const EVALUATIONS = 10_000;
const ROUNDS = 5;
const START = { heapMegabytes: 512 };
const limits = { output: 10_000, value: 1000 };
const MEGABYTE = `(progn (dotimes (i 15625) (write-line "${'0123456789abcdef'.repeat(4).slice(1)}")) nil)`;

const folder = temporaryFolder();
const rows = [];
try {
  stayAwake();
  const engine = await loadEngine(folder);
  rows.push(...(await startToFirstResult()));
  rows.push(await onOneProcessor(() => sequentialEvaluations(engine)));
  rows.push(...(await onOneProcessor(overTheWire)));
  rows.push(await lateness(engine));
  rows.push(await manySessions(engine));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const { what, figure, target, met } of rows) {
  const verdict = met === undefined ? '' : met ? 'ok' : 'short';
  console.log([what.padEnd(48), figure.padEnd(70), target.padEnd(26), verdict].join('  ').trimEnd());
}
const missed = rows.filter(({ met }) => met === false).length;
console.log(
  `\n${rows.filter(({ met }) => met === true).length} of ${rows.filter(({ met }) => met !== undefined).length} targets met`,
);
if (missed > 0 && process.argv.includes('--strict')) process.exitCode = 2;

/** From the start of the server's process to the answer of its first evaluation. */
async function startToFirstResult() {
  progress('start to first result');
  const cold = await startServer(folder);
  // Its core is saved in the background, and the servers after it start from that.
  await cold.coreIsSaved();
  const warm = [];
  for (let round = 0; round < 2 * ROUNDS; round++) warm.push((await startServer(folder)).milliseconds);
  const ratio = median(warm) / PEER_START_MS;
  return [
    {
      what: 'Start to first result, a core is saved',
      figure: `${median(warm).toFixed(0)} ms, ${ratio.toFixed(2)} × the peer's ${PEER_START_MS} ms`,
      target: 'at most 0.5 ×',
      met: ratio <= 0.5,
    },
    { what: 'Of that, Node itself', figure: `${median(await nodeStarts()).toFixed(0)} ms`, target: '' },
    { what: 'Start to first result, the very first', figure: `${cold.milliseconds.toFixed(0)} ms`, target: '' },
  ];
}

async function nodeStarts() {
  const taken = [];
  for (let round = 0; round < ROUNDS; round++) taken.push(await startNode());
  return taken;
}

async function sequentialEvaluations(engine) {
  progress(`${EVALUATIONS} evaluations, one after the other`);
  const evaluator = await engine.start(START);
  const bare = await barePipe();
  // Short rounds: what else the machine does then meets both alike.
  const rounds = 4 * ROUNDS;
  const perRound = EVALUATIONS / rounds;
  const ours = [];
  const theirs = [];
  try {
    // Both are warm before they are measured.
    await timed(500, (index) => evaluate(evaluator, `(+ ${index} 2)`));
    await timed(500, (index) => bare.evaluate(`(+ ${index} 2)`));
    for (let round = 0; round < rounds; round++) {
      ours.push(await timed(perRound, (index) => evaluate(evaluator, `(+ ${index} 2)`)));
      theirs.push(await timed(perRound, (index) => bare.evaluate(`(+ ${index} 2)`)));
    }
  } finally {
    bare.close();
    await evaluator.close();
  }
  // Within a round both had the same neighbours on the machine.
  const ratio = median(ours.map((value, round) => value / theirs[round]));
  return {
    what: `${EVALUATIONS} evaluations, one after the other`,
    figure: `${micro(ours)} each, ${ratio.toFixed(2)} × ${micro(theirs)} of sbcl on a pipe`,
    target: 'at most 2 ×',
    met: ratio <= 2,
  };
}

/** The server over its real wire beside SBCL on a pipe: a trivial evaluation, an error, and a megabyte of output. */
async function overTheWire() {
  progress('evaluations over the wire');
  const server = await wireServer(folder);
  const bare = await barePipe();
  try {
    await server.call('configure-limits', { output: 1_000_000 });
    return [
      await beside(server, bare, {
        what: 'A trivial evaluation over the wire',
        code: '(+ 1 2)',
        rounds: 4 * ROUNDS,
        perRound: 250,
        peerUs: PEER_EVALUATION_US,
        against: 'the peer',
        most: 1.8,
      }),
      await wireOnly(server, { what: 'An error over the wire', code: '(car 5)', rounds: 4 * ROUNDS, perRound: 100 }),
      await beside(server, bare, {
        what: '1 MB of output over the wire',
        code: MEGABYTE,
        rounds: 2 * ROUNDS,
        perRound: 2,
        peerUs: PEER_MEGABYTE_MS * 1000,
        against: 'the pipe',
        most: 1.2,
      }),
    ];
  } finally {
    server.close();
    bare.close();
  }
}

async function beside(server, bare, { what, code, rounds, perRound, peerUs, against, most }) {
  const ours = [];
  const theirs = [];
  await timed(perRound, () => server.evaluate(code));
  await timed(perRound, () => bare.evaluate(code));
  for (let round = 0; round < rounds; round++) {
    ours.push(await timed(perRound, () => server.evaluate(code)));
    theirs.push(await timed(perRound, () => bare.evaluate(code)));
  }
  const toPeer = median(ours) / peerUs;
  // Within a round both had the same neighbours on the machine.
  const toPipe = median(ours.map((value, round) => value / theirs[round]));
  const ratios = `${toPipe.toFixed(2)} × ${micro(theirs)} of sbcl on a pipe, ${toPeer.toFixed(2)} × the peer's ${peerUs} µs`;
  return {
    what,
    figure: `${micro(ours)}, ${ratios}`,
    target: `at most ${most} × ${against}`,
    met: (against === 'the peer' ? toPeer : toPipe) <= most,
  };
}

async function wireOnly(server, { what, code, rounds, perRound }) {
  const ours = [];
  await timed(perRound, () => server.evaluate(code));
  for (let round = 0; round < rounds; round++) ours.push(await timed(perRound, () => server.evaluate(code)));
  return { what, figure: micro(ours), target: '' };
}

async function lateness(engine) {
  progress('timeouts');
  const evaluator = await engine.start(START);
  const late = [];
  try {
    for (let round = 0; round < 4 * ROUNDS; round++) {
      const started = performance.now();
      const { interrupted } = await evaluator.perform({ kind: 'evaluate', code: '(loop)' }, { timeout: 100, limits });
      if (interrupted !== 'timeout') throw new Error('An endless loop was not interrupted');
      late.push(performance.now() - started - 100);
    }
  } finally {
    await evaluator.close();
  }
  return {
    what: 'A timeout of 100 ms is honoured after it by',
    figure: `${median(late).toFixed(1)} ms, ${Math.max(...late).toFixed(1)} ms at most`,
    target: 'at most 50 ms',
    met: Math.max(...late) <= 50,
  };
}

async function manySessions(engine) {
  progress('20 sessions');
  const taken = [];
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    const evaluators = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const evaluator = await engine.start(START);
        await evaluate(evaluator, '(+ 1 2)');
        return evaluator;
      }),
    );
    taken.push(performance.now() - started);
    await Promise.all(evaluators.map((evaluator) => evaluator.close()));
  }
  return {
    what: '20 sessions started, each with its first result',
    figure: `${median(taken).toFixed(0)} ms`,
    target: 'at most 1000 ms',
    met: median(taken) <= 1000,
  };
}

async function evaluate(evaluator, code) {
  const { ok } = await evaluator.perform({ kind: 'evaluate', code }, { timeout: 30_000, limits });
  if (!ok) throw new Error(`${code} failed`);
}

/** Microseconds for one. */
async function timed(count, once) {
  const started = performance.now();
  for (let index = 0; index < count; index++) await once(index);
  return ((performance.now() - started) * 1000) / count;
}

function micro(values) {
  return `${median(values).toFixed(0)} µs`;
}

function progress(text) {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(0).padStart(3)} s] ${text}\n`);
}
