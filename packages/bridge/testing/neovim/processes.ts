import { readFileSync } from 'node:fs';

/** Whether a process still does anything: one that has ended may be kept in the table by a parent that does not look. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

export async function hasEnded(pid: number): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (isRunning(pid)) {
    if (Date.now() > deadline) throw new Error(`Process ${pid} has not ended`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
