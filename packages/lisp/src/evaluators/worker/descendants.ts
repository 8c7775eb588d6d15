import { readdirSync, readFileSync } from 'node:fs';

/**
 * Processes that a process has started, and those that they have. Programs that a Lisp runs are in groups of their own,
 * so its group does not tell. Where there is no /proc, none are found.
 */
export function descendantsOf(pid: number): number[] {
  const found: number[] = [];
  const pending = [pid];
  for (let parent = pending.pop(); parent !== undefined; parent = pending.pop()) {
    const children = childrenOf(parent).filter((child) => !found.includes(child));
    found.push(...children);
    pending.push(...children);
  }
  return found;
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
