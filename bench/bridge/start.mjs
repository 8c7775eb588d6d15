import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from '../statistics.mjs';
import { program } from './build.mjs';

/** How much longer `hawser serve --headless` takes to its line than `node -e 0` to its end; in turns. */
export async function start({ quick }) {
  const home = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  mkdirSync(join(home, 'work'));
  const [bare, added] = [[], []];
  try {
    for (let round = 0; round < (quick ? 5 : 25); round++) {
      const floor = await bareStart();
      const whole = await bridgeStart(home);
      // The first one makes folders and a token; later ones are what users have.
      if (round === 0) continue;
      bare.push(floor);
      added.push(whole - floor);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return [
    { label: 'start of a bare node', value: median(bare), unit: 'ms' },
    { label: 'hawser serve --headless to its line, beyond a bare node', value: median(added), unit: 'ms', atMost: 300 },
  ];
}

async function bareStart() {
  const began = performance.now();
  await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return performance.now() - began;
}

async function bridgeStart(home) {
  const env = { PATH: process.env.PATH, HOME: home };
  const began = performance.now();
  const child = spawn(process.execPath, [program, 'serve', '--headless'], { cwd: join(home, 'work'), env });
  await once(child.stdout, 'data');
  const took = performance.now() - began;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
  return took;
}
