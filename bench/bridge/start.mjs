import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { residentBytes } from '../load/processes.mjs';
import { median } from '../statistics.mjs';
import { program } from './build.mjs';

/** Each contender with the most that its median ratio to a bare node may be. */
const CONTENDERS = {
  'hawser --version': { atMost: 1.6, run: (stage) => toEnd(['--version'], stage) },
  'hawser status': { atMost: 1.8, run: (stage) => toEnd(['status'], stage) },
  'hawser serve --headless to its line': { atMost: 2, run: toLine },
};

/** How long commands take beside `node -e 0`, each in its turn in every round, and the memory of an idle bridge. */
export async function start({ quick }) {
  const home = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  // NODE_EXTRA_CA_CERTS adds some 55 ms to every start of Node and would flatter the ratios.
  const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home };
  const stage = { env, served: join(home, 'served'), other: join(home, 'other') };
  mkdirSync(stage.served);
  mkdirSync(stage.other);
  const bridge = serve(stage.served, stage);
  const idle = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e9)'], { env, stdio: 'ignore' });
  try {
    await once(bridge.stdout, 'data');
    /** @type {number[]} */
    const bare = [];
    /** @type {Map<string, number[]>} */
    const ratios = new Map(Object.keys(CONTENDERS).map((name) => [name, []]));
    for (let round = 0; round < (quick ? 5 : 25); round++) {
      const floor = await timed(() => node(['-e', '0'], stage));
      for (const [name, { run }] of Object.entries(CONTENDERS)) {
        const took = await run(stage);
        // The first round makes folders and a token, and fills the caches of the disk.
        if (round > 0) ratios.get(name)?.push(took / floor);
      }
      if (round > 0) bare.push(floor);
    }
    return [
      { label: 'start of a bare node', value: median(bare), unit: 'ms' },
      ...Object.entries(CONTENDERS).map(([name, { atMost }]) => ({
        label: `${name}, to a bare node`,
        value: median(ratios.get(name)),
        unit: '×',
        atMost,
      })),
      { label: 'memory of an idle bare node', value: residentBytes(idle) / 2 ** 20, unit: 'MiB' },
      { label: 'memory of an idle bridge', value: residentBytes(bridge) / 2 ** 20, unit: 'MiB', atMost: 45 },
    ];
  } finally {
    await Promise.all([bridge, idle].map(ended));
    rmSync(home, { recursive: true, force: true });
  }
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function node(args, { env, served }) {
  return once(spawn(process.execPath, args, { cwd: served, env, stdio: 'ignore' }), 'exit');
}

function toEnd(args, stage) {
  return timed(() => node([program, ...args], stage));
}

async function toLine(stage) {
  let child;
  const took = await timed(async () => {
    child = serve(stage.other, stage);
    await once(child.stdout, 'data');
  });
  await ended(child);
  return took;
}

function serve(cwd, { env }) {
  return spawn(process.execPath, [program, 'serve', '--headless'], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
}

async function ended(child) {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
