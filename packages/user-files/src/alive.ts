import { codeOf } from './private-file.ts';

/** Whether a process exists; one that we may not signal does. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}
