import { rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { machineName } from '@hawser/user-files/machine';
import { namesIn, readOwnFile, writerOf } from '@hawser/user-files/private-file';
import type { Address } from './address.ts';
import type { Lock, ReadLock } from './lock.ts';
import { type LockRecord, readRecord, recordFiles, recordFolder } from './lock-record.ts';

/**
 * Removes the lock files that crashed bridges of this machine left, and their records: the process is dead, the address
 * is silent, and the file still holds the token that we wrote. Every other file stays. Returns what was removed.
 */
export async function sweep(stateFolder: string, options: SweepOptions): Promise<readonly string[]> {
  const removed: string[] = [];
  const folders = new Set([recordFolder(stateFolder)]);
  for (const file of recordFiles(stateFolder)) {
    const record = readRecord(file);
    if (record === undefined || record.machine !== machineName()) {
      if (isOlderThan(options.recordedBefore, file)) rmSync(file, { force: true });
      continue;
    }
    folders.add(dirname(record.path));
    if (options.isAlive(record.pid) || (await isUsed(record, options))) continue;
    // Read only now: a new owner may have written it while we asked.
    if (!isSame(record, readRecord(file))) continue;
    if (isFileOf(record)) {
      rmSync(record.path, { force: true });
      removed.push(record.path);
    }
    rmSync(file, { force: true });
  }
  for (const folder of folders) removed.push(...removeHalfWritten(folder, options));
  return removed;
}

/** What the lock files of a folder say that `read` can parse; none if the folder can't be read. */
export function findLocks(directory: string, read: ReadLock): Lock[] {
  return namesOrNone(directory).flatMap((name) => {
    const text = readOwnFile(join(directory, name));
    const lock = typeof text === 'string' ? read(name, text) : undefined;
    return lock === undefined || lock instanceof Error ? [] : [lock];
  });
}

/** Removes the files that `writePrivateFile` began in a folder and that a dead process of this machine left there. */
export function removeHalfWritten(folder: string, { isAlive }: Pick<SweepOptions, 'isAlive'>): string[] {
  const machine = machineName();
  const left = namesIn(folder).filter((name) => {
    const writer = writerOf(name);
    return writer !== undefined && writer.machine === machine && !isAlive(writer.pid);
  });
  return left.map((name) => {
    const path = join(folder, name);
    rmSync(path, { force: true });
    return path;
  });
}

export interface SweepOptions {
  /** Where the caller listens now, and the lock files that say so: others that name such an address are stale. */
  readonly own?: readonly { readonly address: Address; readonly paths: readonly string[] }[];
  readonly isAlive: (pid: number) => boolean;
  readonly isListening: (address: Address) => Promise<boolean>;
  /** Records of other machines from before this time are forgotten. Their lock files stay. */
  readonly recordedBefore: Date;
}

function namesOrNone(folder: string): string[] {
  try {
    return namesIn(folder);
  } catch {
    return [];
  }
}

function isUsed(record: LockRecord, { own = [], isListening }: SweepOptions): boolean | Promise<boolean> {
  const { port, socketPath } = record;
  const listener = own.find(({ address }) => address.port === port && address.socketPath === socketPath);
  return listener === undefined ? isListening(record) : listener.paths.includes(record.path);
}

function isFileOf({ path, token }: LockRecord): boolean {
  const text = readOwnFile(path);
  return typeof text === 'string' && text.includes(token);
}

function isSame(one: LockRecord, other: LockRecord | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isOlderThan(time: Date, file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && found.mtime < time;
}
