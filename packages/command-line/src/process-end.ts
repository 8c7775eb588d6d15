import { setTimeout as delay } from 'node:timers/promises';

/** The process ends within this time after it was asked to, whatever hangs. */
const DEADLINE_MS = 1500;
const LOOK_EVERY_MS = 10;

/** Closes, then ends the process. What does not close in time is given up. */
export async function endProcess(close: () => Promise<void>, exitCode: number): Promise<void> {
  const began = performance.now();
  await Promise.race([close().catch(() => undefined), delay(DEADLINE_MS)]);
  while (isFileAccessPending() && performance.now() - began < DEADLINE_MS) await delay(LOOK_EVERY_MS);
  exitNow(exitCode);
}

/** Ends the process, after its exit handlers. */
export function exitNow(exitCode: number): void {
  if (!isFileAccessPending()) process.exit(exitCode);
  // process.exit waits for every thread, and one of them may be stuck on a file system that does not answer. A signal
  // that nothing handles ends all threads at once.
  process.emit('exit', exitCode);
  process.removeAllListeners('SIGTERM');
  process.kill(process.pid, 'SIGTERM');
}

function isFileAccessPending(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
}
