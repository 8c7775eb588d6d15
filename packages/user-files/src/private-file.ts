import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asError, messageOf } from '@hawser/unknown-values/thrown';
import { machineName } from './machine.ts';
import { randomName } from './names.ts';

/**
 * Writes a file that only this user can read. Readers see the old file or the new one, never a half. It is synchronous
 * so that this process can't exit between its steps. It doesn't wait for the disk: after a power failure the file may be
 * the old one or empty, and the next start writes it again.
 */
export function writePrivateFile(path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${machineName()}-${process.pid}-${randomName(12)}.tmp`);
  const file = openSync(temporary, 'wx', 0o600);
  try {
    try {
      // The umask may have taken our own rights.
      fchmodSync(file, 0o600);
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw Object.assign(new Error(`Can't write ${path}: ${systemReason(error)}`, { cause: error }), {
      code: codeOf(error),
    });
  }
}

export interface PrivateFolder {
  /** It was not there before. */
  readonly wasMade: boolean;
  /** Why it is not as private as it should be. */
  readonly warning: Error | undefined;
}

/** Makes a folder that only this user can enter. One that exists stays as it is. */
export function makePrivateFolder(path: string): PrivateFolder {
  const wasMade = makeFolders(path);
  if (wasMade) chmodSync(path, 0o700);
  return { wasMade, warning: warningAbout(path) };
}

/** Whether any of them was made. Throws if one of another user is in the way, and names it. */
function makeFolders(path: string): boolean {
  try {
    return mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw reasonForNoFolder(path) ?? error;
    const foreign = codeOf(error) === 'EACCES' ? foreignFolderOf(path) : undefined;
    if (foreign === undefined) throw error;
    throw Object.assign(new Error(`${foreign} belongs to another user`, { cause: error }), { code: 'EACCES' });
  }
}

/**
 * Node reports ENOENT where folders can't be made, for example on a read-only disk. The first missing one alone fails for
 * the real reason.
 */
function reasonForNoFolder(path: string): unknown {
  let missing = path;
  while (statSync(dirname(missing), { throwIfNoEntry: false }) === undefined) missing = dirname(missing);
  try {
    mkdirSync(missing, { mode: 0o700 });
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The folder nearest to this one that can be seen, if it belongs to another user. */
function foreignFolderOf(path: string): string | undefined {
  for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
    try {
      return isForeign(statSync(folder).uid) ? folder : undefined;
    } catch {
      // It does not exist, or is inside a folder that can't be entered.
    }
  }
  return undefined;
}

const LONGEST = 64 * 1024;

/** The text of a regular file of this user, undefined when there is none, an Error for anything else. */
export function readOwnFile(path: string): string | Error | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    if (!stat.isFile()) return new Error(`Not a regular file: ${path}`);
    if (isForeign(stat.uid)) return new Error(`A file of another user: ${path}`);
    if (stat.size > LONGEST) return new Error(`Longer than ${LONGEST} bytes: ${path}`);
    return readRegularFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    return asError(error);
  }
}

/** Never blocks, even if the file has become a pipe since it was looked at. */
function readRegularFile(path: string): string | Error {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return new Error(`Not a regular file: ${path}`);
    const bytes = Buffer.alloc(Math.min(stat.size, LONGEST) + 1);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    if (length > LONGEST) return new Error(`Longer than ${LONGEST} bytes: ${path}`);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}

/** Whether others can read or write the file. Windows says nothing about that in modes. */
export function isExposed(path: string): boolean {
  return process.platform !== 'win32' && (lstatSync(path).mode & 0o077) !== 0;
}

/** The names in a folder, none when it does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The process that began to write this file, by the temporary name it has until then; undefined for any other name. */
export function writerOf(name: string): { readonly machine: string; readonly pid: number } | undefined {
  const [, machine, pid] = /^\..+\.([0-9a-f]{12})-([1-9]\d*)-[0-9a-f]{12}\.tmp$/.exec(name) ?? [];
  return machine === undefined ? undefined : { machine, pid: Number(pid) };
}

/** What the system says, without the call and its path: `ENOSPC: no space left on device`. */
export function systemReason(error: unknown): string {
  const text = messageOf(error);
  return codeOf(error) === undefined ? text : text.replace(/, \w+( '.*)?$/s, '');
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

function warningAbout(path: string): Error | undefined {
  if (process.platform === 'win32') return undefined;
  const { mode, uid } = statSync(path);
  if (isForeign(uid)) return new Error(`This folder belongs to another user, who can take what is in it: ${path}`);
  if ((mode & 0o002) !== 0) return new Error(`Every user of this machine can write to this folder: ${path}`);
  return undefined;
}

function isForeign(uid: number): boolean {
  const own = process.getuid?.();
  return own !== undefined && uid !== own;
}
