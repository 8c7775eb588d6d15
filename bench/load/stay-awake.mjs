import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

// A loop that needs no memory, so that the caches stay to those who are measured. It ends when the bench is gone.
const SPIN = `while (process.ppid === ${process.pid}) for (let turn = 0; turn < 5e7; turn++);`;

/**
 * Keeps every processor from falling asleep, with work that anything else displaces at once. On a virtual machine,
 * waking an idle processor takes longer than a call does, and hides the difference between the contenders.
 */
export function stayAwake() {
  const spinners = Array.from({ length: availableParallelism() }, () =>
    spawn('chrt', ['--idle', '0', process.execPath, '-e', SPIN], { stdio: 'ignore' }),
  );
  let failed = false;
  for (const spinner of spinners) {
    spinner.unref();
    spinner.on('error', () => {
      if (!failed) process.stderr.write('chrt is missing: waking processors will count, too\n');
      failed = true;
    });
  }
  process.on('exit', () => {
    for (const spinner of spinners) spinner.kill('SIGKILL');
  });
}
