import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { machineName } from '@hawser/user-files/machine';
import { hashedName } from '@hawser/user-files/names';
import { makePrivateFolder, namesIn, readOwnFile, writePrivateFile } from '@hawser/user-files/private-file';
import { type Address, addressIn } from './address.ts';

/**
 * Remembers in the state folder which lock files this program wrote. A later start removes what a crash left by these
 * records alone: it never judges the lock files of other programs.
 */
export interface LockRecord extends Address {
  /** The lock file. */
  readonly path: string;
  /** The process whose end makes the lock file stale. */
  readonly pid: number;
  /** Where that process number is valid. See `machineName`. */
  readonly machine: string;
  /** Part of the lock file's text. A file without it was written by another program. */
  readonly token: string;
}

export interface LockOwner extends Address {
  readonly stateFolder: string;
  readonly pid: number;
  readonly token: string;
}

/** Throws if the record can't be written. */
export function recordLock(path: string, { stateFolder, port, socketPath, pid, token }: LockOwner): void {
  const folder = recordFolder(stateFolder);
  makePrivateFolder(folder);
  const record: LockRecord = { path, port, socketPath, pid, machine: machineName(), token };
  writePrivateFile(join(folder, recordName(path)), JSON.stringify(record));
}

/** Forgets the record of a lock file, unless another process has recorded that file as its own since. */
export function forgetLock(path: string, { stateFolder, pid, token }: LockOwner): void {
  const file = join(recordFolder(stateFolder), recordName(path));
  const record = readRecord(file);
  if (record?.pid === pid && record.token === token && record.machine === machineName()) rmSync(file, { force: true });
}

export function readRecord(file: string): LockRecord | undefined {
  const text = readOwnFile(file);
  const members = (typeof text === 'string' ? parseObject(text) : undefined) ?? {};
  const { path, pid, machine, token } = members;
  const address = addressIn(members);
  const isWhole = typeof path === 'string' && typeof machine === 'string' && typeof token === 'string' && token !== '';
  if (!isWhole || address === undefined || !Number.isSafeInteger(pid)) return undefined;
  return { path, ...address, pid: Number(pid), machine, token };
}

/** The files that hold records. */
export function recordFiles(stateFolder: string): string[] {
  const folder = recordFolder(stateFolder);
  return namesIn(folder)
    .filter((name) => RECORD_NAME.test(name))
    .map((name) => join(folder, name));
}

export function recordFolder(stateFolder: string): string {
  return join(stateFolder, 'locks');
}

const RECORD_NAME = /^[0-9a-f]{32}\.json$/;

function recordName(path: string): string {
  return `${hashedName(path)}.json`;
}
