// Serves one file of 10 MB, accepts what is proposed, and tells after each proposal how long its event loop stood still.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openStage } from './stage.mjs';

const contents = 'const answer = 42; // of all\n'.padEnd(50, '/').concat('\n');
const loop = monitorEventLoopDelay({ resolution: 1 });
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const stage = await openStage({
  name: 'bench',
  show: ({ proposal, decide }) => {
    setTimeout(() => {
      say({ stall: loop.max / 1e6 });
      loop.reset();
    }, 100);
    void decide({ kind: 'accepted', text: proposal.newText }, proposal.revision);
  },
});
const path = join(stage.folder, 'large.ts');
writeFileSync(path, contents.repeat(10_000_000 / contents.length));
loop.enable();
say({ address: stage.address, token: stage.token, path, contents });
process.stdin.on('end', () => process.exit()).resume();
