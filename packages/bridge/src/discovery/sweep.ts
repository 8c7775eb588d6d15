import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Lock, ReadLock } from './lock.ts';
import { namesIn, readOwnFile, writerOf } from './private-file.ts';

/**
 * Removes the locks that crashed owners left: their process is dead and their port is silent. What it cannot judge it
 * leaves alone and reports.
 */
export async function sweep(directory: string, options: SweepOptions): Promise<SweepReport> {
  const { read, isAlive, isListening, ownTokens = [] } = options;
  const removed: string[] = [];
  const kept: string[] = [];
  const unjudged: Unjudged[] = [];
  for (const name of namesIn(directory)) {
    const path = join(directory, name);
    const writer = writerOf(name);
    if (writer !== undefined) {
      if (isAlive(writer)) continue;
      rmSync(path, { force: true });
      removed.push(path);
      continue;
    }
    const text = readOwnFile(path);
    if (text === undefined) continue;
    const lock = text instanceof Error ? text : read(name, text);
    if (lock instanceof Error) {
      unjudged.push({ path, why: lock.message });
    } else if (lock.pid === undefined && (lock.token === undefined || !ownTokens.includes(lock.token))) {
      unjudged.push({ path, why: 'It does not say whose it is' });
    } else if ((lock.pid !== undefined && isAlive(lock.pid)) || (await isListening(lock.port))) {
      kept.push(path);
    } else if (readOwnFile(path) === text) {
      // Read again, because a new owner may have come while we asked its port.
      rmSync(path, { force: true });
      removed.push(path);
    }
  }
  return { removed, kept, unjudged };
}

/** The locks of a folder that `read` makes sense of. */
export function findLocks(directory: string, read: ReadLock): FoundLock[] {
  return namesIn(directory).flatMap((name) => {
    const path = join(directory, name);
    const text = readOwnFile(path);
    const lock = typeof text === 'string' ? read(name, text) : undefined;
    return lock === undefined || lock instanceof Error ? [] : [{ path, lock }];
  });
}

export interface SweepOptions {
  readonly read: ReadLock;
  readonly isAlive: (pid: number) => boolean;
  readonly isListening: (port: number) => Promise<boolean>;
  /** Tokens of our own former lives: they make a lock ours that does not name its process. */
  readonly ownTokens?: readonly string[];
}

/** Paths. */
export interface SweepReport {
  readonly removed: readonly string[];
  readonly kept: readonly string[];
  readonly unjudged: readonly Unjudged[];
}

export interface Unjudged {
  readonly path: string;
  readonly why: string;
}

export interface FoundLock {
  readonly path: string;
  readonly lock: Lock;
}
