import { spawn } from 'node:child_process';

/** Runs a program in the user's terminal until it ends. Rejects if it can't be started. */
export function runProgram([command = '', ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
}
