import { readdirSync, readFileSync } from 'node:fs';

/**
 * Every process that a process has started, directly or not. Programs that a Lisp runs have their own process groups.
 * Finds none where there is no /proc.
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
  return threadsOf(pid).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    } catch {
      // The thread has ended meanwhile; its children belong to another one now, which may have been read before.
      return [];
    }
  });
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}
