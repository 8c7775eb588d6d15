import { spawnSync } from 'node:child_process';

/**
 * Does `work` on one processor, with all that it starts. Where the kernel puts two processes that wait for each other makes
 * more of a difference than what they do, and it changes its mind.
 */
export async function onOneProcessor(work) {
  const before = spawnSync('taskset', ['-p', String(process.pid)], { encoding: 'utf8' });
  const mask = before.stdout?.match(/: ([0-9a-f,]+)\s*$/)?.[1];
  if (mask === undefined) {
    process.stderr.write('taskset is missing: the choice of processors will count, too\n');
    return work();
  }
  const lowest = BigInt(`0x${mask.replaceAll(',', '')}`);
  spawnSync('taskset', ['-p', (lowest & -lowest).toString(16), String(process.pid)]);
  try {
    return await work();
  } finally {
    spawnSync('taskset', ['-p', mask, String(process.pid)]);
  }
}
