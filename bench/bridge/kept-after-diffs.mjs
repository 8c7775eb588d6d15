import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { bridgeUrl } from './build.mjs';
import { openAgent, openStage } from './stage.mjs';

const DIFFS = 60;

/** What the heap holds after thousands of diffs by many agents that came and went, beyond what it held before them. */
export async function keptAfterDiffs({ quick }) {
  if (globalThis.gc === undefined) throw new Error('keptAfterDiffs needs node --expose-gc');
  const { policyReviewer } = await import(bridgeUrl);
  const stage = await openStage(policyReviewer('accept'));
  try {
    const paths = Array.from({ length: DIFFS }, (_, index) => join(stage.folder, `file${index}.ts`));
    for (const path of paths) writeFileSync(path, 'const answer = 42;\n'.repeat(500));
    const agents = quick ? 20 : 120;
    // Fills what is limited (remembered outcomes), compiles code, and makes what is made once.
    for (let round = 0; round < 20; round++) await session(stage, paths);
    const before = await heapBytes();
    for (let round = 0; round < agents; round++) await session(stage, paths);
    const after = await heapBytes();
    return [
      { label: 'heap of a bridge after 1200 diffs by 20 agents', value: before / 2 ** 20, unit: 'MiB' },
      {
        label: `heap kept after ${agents * DIFFS} more by ${agents} agents`,
        value: (after - before) / 1024,
        unit: 'kB',
        atMost: 512,
      },
    ];
  } finally {
    await stage.close();
  }
}

/** One agent: it connects, has all its diffs accepted, and leaves. */
async function session({ address, token }, paths) {
  const { socket, request } = await openAgent(address, token);
  const newText = 'const answer = 43;\n'.repeat(500);
  for (const [index, path] of paths.entries()) {
    const args = { old_file_path: path, new_file_path: path, new_file_contents: newText, tab_name: `tab ${index}` };
    const { result } = await request(`diff ${index}`, 'tools/call', { name: 'openDiff', arguments: args });
    if (result.content[0].text !== 'FILE_SAVED') throw new Error(result.content[0].text);
  }
  socket.close();
  await new Promise((resolve) => socket.once('close', resolve));
}

/** After the garbage is collected, twice: the first time only queues finalizers. */
async function heapBytes() {
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}
