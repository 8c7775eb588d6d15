import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

// Ends by itself when the bench is gone: its standard input ends with it.
const SPIN = 'while :; do read -t 0 && ! read line && exit; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; done';

/**
 * Keeps every processor from falling asleep, with work that anything else displaces at once. On a virtual machine,
 * waking an idle processor takes longer than a call does, and hides the difference between the contenders.
 */
export function stayAwake() {
  const spinners = Array.from({ length: availableParallelism() }, () =>
    spawn('chrt', ['--idle', '0', 'bash', '-c', SPIN], { stdio: ['pipe', 'ignore', 'ignore'] }),
  );
  let failed = false;
  for (const spinner of spinners) {
    spinner.unref();
    spinner.stdin.unref();
    spinner.on('error', () => {
      if (!failed) process.stderr.write('chrt is missing: waking processors will count, too\n');
      failed = true;
    });
  }
  process.on('exit', () => {
    for (const spinner of spinners) spinner.kill('SIGKILL');
  });
}
