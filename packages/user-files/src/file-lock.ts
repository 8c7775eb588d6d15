import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from './alive.ts';
import { machineName } from './machine.ts';
import { randomName } from './names.ts';
import { codeOf } from './private-file.ts';

const POLL_MS = 25;
/** A lock counts no longer than this: processes of other machines can't be seen from here, and numbers of processes come again. */
const MAX_AGE_MS = 120_000;

/** Waits for a lock that is a file, and takes it, for two minutes at most. Resolves to a function that releases it. */
export async function takeFileLock(path: string, signal: AbortSignal): Promise<() => Promise<void>> {
  for (;;) {
    signal.throwIfAborted();
    if (take(path)) return async () => rmSync(path, { force: true });
    removeIfStale(path);
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

function take(path: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600);
    try {
      writeSync(file, ownerText());
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function ownerText(): string {
  return `${machineName()} ${process.pid}`;
}

function removeIfStale(path: string): void {
  try {
    const owner = readFileSync(path, 'utf8');
    if (!isStale(path, owner)) return;
    // Another process may have removed it and taken the lock since it was read: then that lock is put back.
    const aside = `${path}.${randomName(12)}`;
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') === owner) rmSync(aside);
    else renameSync(aside, path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function isStale(path: string, owner: string): boolean {
  const [machine, pid] = owner.split(' ');
  const hasEnded = machine === machineName() && Number(pid) > 0 && !isAlive(Number(pid));
  return hasEnded || Date.now() - statSync(path).mtimeMs > MAX_AGE_MS;
}
