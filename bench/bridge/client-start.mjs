import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../statistics.mjs';
import { program } from './build.mjs';

const bareClient = fileURLToPath(new URL('bare-client.mjs', import.meta.url));
const server = fileURLToPath(new URL('../../packages/client/testing/trivial-server.mjs', import.meta.url));
/** The most that the median ratio may be. */
const AT_MOST = 1.6;

/** How long `hawser tools --json` takes beside a script that does the same handshake by hand, in turns. */
export async function clientStart({ quick }) {
  const home = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const env = { PATH: process.env.PATH, HOME: home };
  const bare = [];
  const ratios = [];
  try {
    for (let round = 0; round < (quick ? 6 : 26); round++) {
      const floor = await timed([bareClient, process.execPath, server], env);
      const took = await timed([program, 'tools', '--json', '--stdio', `${process.execPath} ${server}`], env);
      // The first round fills the caches of the disk.
      if (round === 0) continue;
      bare.push(floor);
      ratios.push(took / floor);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  return [
    { label: 'the tools of a trivial server, by hand', value: median(bare), unit: 'ms' },
    { label: 'hawser tools --json, to that', value: median(ratios), unit: '×', atMost: AT_MOST },
  ];
}

async function timed(args, env) {
  const began = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  await once(child, 'close');
  if (JSON.parse(out).tools.length === 0) throw new Error('No tools');
  return performance.now() - began;
}
