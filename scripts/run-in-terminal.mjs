// @ts-check
import { spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { run } from './steps.mjs';

/** What the program's own `terminal/terminal.ts` sends when it gives the terminal back. */
const GIVE_BACK = '\x1b[?1006l\x1b[?1000l\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l';

/**
 * Runs a program that may take the terminal over, and gives its exit code. A program that is killed can't give the
 * terminal back itself, so that is done for it.
 * @param {string} command
 * @param {readonly string[]} args
 */
export async function runInTerminal(command, args) {
  const exitCode = await run(command, args);
  if (exitCode === 128 + constants.signals.SIGKILL && process.stdin.isTTY && process.stdout.isTTY) {
    process.stdout.write(GIVE_BACK);
    spawnSync('stty', ['sane'], { stdio: 'inherit' });
  }
  return exitCode;
}
