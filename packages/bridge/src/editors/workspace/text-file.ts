import { createHash, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  access,
  constants,
  type FileHandle,
  lstat,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isNoEntry, refuseUnopenable, statIfAny } from '../openable-file.ts';
import { decode, type Encoding, encode } from './encoding.ts';

export interface TextFile {
  readonly text: string;
  readonly encoding: Encoding;
  readonly stamp: Stamp;
}

/** What the bytes of a file were. Times are no part of it: a file that was only touched has not changed. */
export interface Stamp {
  readonly size: number;
  readonly hash: string;
}

/** Reads a file that is not larger than `maxBytes`. */
export async function readTextFile(path: string, maxBytes: number): Promise<TextFile> {
  const bytes = await readBytes(path, maxBytes);
  return { ...decode(bytes), stamp: stampOf(bytes) };
}

export interface WriteOptions {
  readonly encoding: Encoding;
  /** What the file must still hold; `nothing` when it must not exist. */
  readonly replaces: Stamp | 'nothing' | 'anything';
}

/** The file is no longer what it was when it was read. */
export class ChangedOnDisk extends Error {
  override readonly name = 'ChangedOnDisk';
}

/**
 * Puts a text in the place of a file, all or nothing: whoever reads sees the old or the new one. Mode, owner and links
 * stay. A read-only file is left alone, and so is one that has changed.
 */
export async function writeTextFile(path: string, text: string, { encoding, replaces }: WriteOptions): Promise<Stamp> {
  const bytes = encode(text, encoding);
  const target = await throughLinks(path);
  const existing = await statIfAny(target);
  if (existing !== undefined) await refuseUnwritable(path, target, existing);
  const folder = dirname(target);
  const temporary = join(folder, `.hawser-${randomUUID()}.tmp`);
  let isNeeded = false;
  try {
    const keepsOwner = await writeNew(temporary, bytes, existing);
    // As late as possible: from here to the rename nothing else is waited for.
    await refuseChanged(path, target, replaces);
    if (keepsOwner && (existing === undefined || existing.nlink === 1)) {
      await rename(temporary, target);
    } else {
      isNeeded = true;
      await overwrite(target, bytes, temporary);
      isNeeded = false;
    }
  } finally {
    if (!isNeeded) await rm(temporary, { force: true });
  }
  await syncFolder(folder);
  return stampOf(bytes);
}

function stampOf(bytes: Buffer): Stamp {
  return { size: bytes.length, hash: createHash('sha256').update(bytes).digest('base64') };
}

async function readBytes(path: string, maxBytes: number): Promise<Buffer> {
  await refuseUnopenable(path, maxBytes);
  return await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EACCES' ? new Error(`No permission to read ${path}`, { cause: error }) : error;
  });
}

/** The file that a path leads to through all links, though it may not exist yet. */
async function throughLinks(path: string, linksLeft = 40): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isNoEntry(error) || linksLeft === 0) throw error;
  }
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() !== true) return path;
  return await throughLinks(resolve(dirname(path), await readlink(path)), linksLeft - 1);
}

async function refuseUnwritable(path: string, target: string, existing: Stats): Promise<void> {
  if (!existing.isFile()) throw new Error(`Not a file: ${path}`);
  // The mode as well: to the superuser everything is writable, and a rename asks only the folder.
  const isWritable =
    (existing.mode & 0o222) !== 0 &&
    (await access(target, constants.W_OK).then(
      () => true,
      () => false,
    ));
  if (!isWritable) throw new Error(`Read-only: ${path}`);
}

async function refuseChanged(path: string, target: string, expected: WriteOptions['replaces']): Promise<void> {
  if (expected === 'anything') return;
  const found = await statIfAny(target);
  if (expected === 'nothing') {
    if (found !== undefined) throw new ChangedOnDisk(`Somebody else has made this file in the meantime: ${path}`);
    return;
  }
  if (found === undefined) throw new ChangedOnDisk(`The file was deleted since it was read: ${path}`);
  const isSame = found.size === expected.size && stampOf(await readBytes(target, expected.size)).hash === expected.hash;
  if (!isSame) throw new ChangedOnDisk(`The file has changed on disk since it was read: ${path}`);
}

/** Writes a file of its own with the mode and owner of another. False when the owner could not be kept. */
async function writeNew(path: string, bytes: Buffer, like: Stats | undefined): Promise<boolean> {
  // Nobody else may read the text of a private file, not even until its mode is set.
  const handle = await open(path, 'wx', like === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    const keepsOwner = like === undefined || (await takeOwner(handle, like));
    // After the owner, because a change of owner clears the set-user-id bits.
    if (like !== undefined) await handle.chmod(like.mode & 0o7777);
    await handle.sync();
    return keepsOwner;
  } finally {
    await handle.close();
  }
}

async function takeOwner(handle: FileHandle, { uid, gid }: Stats): Promise<boolean> {
  const own = await handle.stat();
  if (own.uid === uid && own.gid === gid) return true;
  return await handle.chown(uid, gid).then(
    () => true,
    () => false,
  );
}

/**
 * For files that a rename would turn into another file: those with several names, and those of another owner. Not all or
 * nothing, so the copy stays until it is done.
 */
async function overwrite(target: string, bytes: Buffer, copy: string): Promise<void> {
  try {
    const handle = await open(target, 'r+');
    try {
      await handle.writeFile(bytes);
      await handle.truncate(bytes.length);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new Error(`Writing ${target} failed; the whole text is in ${copy}`, { cause: error });
  }
}

/** Makes the rename itself last; not every system can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
