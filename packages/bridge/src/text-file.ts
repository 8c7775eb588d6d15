import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, link, lstat, open, readlink, realpath, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { decode, type Encoding, encode } from './encoding.ts';
import { isNoEntry, NoSuchFile, readRegularFile, statIfAny } from './regular-file.ts';
import type { TemporaryFiles } from './temporary-files.ts';

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
  const bytes = await readRegularFile(path, maxBytes);
  return { ...decode(bytes), stamp: stampOf(bytes) };
}

/** The same; undefined when there is no such file. */
export function readTextFileIfAny(path: string, maxBytes: number): Promise<TextFile | undefined> {
  return readTextFile(path, maxBytes).catch((error: unknown) => {
    if (error instanceof NoSuchFile) return undefined;
    throw error;
  });
}

export interface WriteOptions {
  readonly encoding: Encoding;
  /** What the file must still hold; `nothing` when it must not exist. */
  readonly replaces: Stamp | 'nothing';
  readonly temporaryFiles: TemporaryFiles;
}

/** The file has changed since it was read. */
export class ChangedOnDisk extends Error {
  override readonly name = 'ChangedOnDisk';
}

/**
 * Replaces the text of a file atomically: a reader sees the old or the new text. Keeps mode, owner and links. Rejects for
 * a read-only file and for one that has changed.
 */
export async function writeTextFile(path: string, text: string, options: WriteOptions): Promise<Stamp> {
  const { encoding, replaces, temporaryFiles } = options;
  const bytes = encode(text, encoding);
  const target = await throughLinks(path);
  const existing = await statIfAny(target);
  if (existing !== undefined) await refuseUnwritable(path, target, existing);
  await temporaryFiles.with(target, '.tmp', async (temporary) => {
    const keepsOwner = await writeNew(temporary.path, bytes, existing);
    // As late as possible: from here to the rename nothing else is waited for.
    await refuseChanged(path, target, replaces);
    if (existing === undefined) {
      await (replaces === 'nothing' ? create(temporary.path, target, path) : rename(temporary.path, target));
    } else if (keepsOwner && existing.nlink === 1) {
      await rename(temporary.path, target);
    } else {
      // Overwriting is not atomic, so the temporary file holds the only whole text until it is done.
      await temporary.keepFor(target);
      await overwrite(target, bytes, temporary.path);
      temporary.release();
    }
  });
  await syncFolder(dirname(target));
  return stampOf(bytes);
}

/** A rename would replace what another program made at the last moment; a link fails then. */
async function create(temporary: string, target: string, path: string): Promise<void> {
  await link(temporary, target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw madeMeanwhile(path);
    // Not every file system has links.
    return rename(temporary, target);
  });
}

function madeMeanwhile(path: string): ChangedOnDisk {
  return new ChangedOnDisk(`Another program has made this file in the meantime: ${path}`);
}

function stampOf(bytes: Buffer): Stamp {
  return { size: bytes.length, hash: createHash('sha256').update(bytes).digest('base64') };
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
  if (!existing.isFile()) throw new Error(`Not a regular file: ${path}`);
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
  const found = await statIfAny(target);
  if (expected === 'nothing') {
    if (found !== undefined) throw madeMeanwhile(path);
    return;
  }
  if (found === undefined) throw new ChangedOnDisk(`The file was deleted since it was read: ${path}`);
  const isSame =
    found.size === expected.size && stampOf(await readRegularFile(target, expected.size)).hash === expected.hash;
  if (!isSame) throw new ChangedOnDisk(`The file has changed on disk since it was read: ${path}`);
}

/** Writes a new file with the mode and owner of `like`. Returns false if the owner could not be kept. */
async function writeNew(path: string, bytes: Buffer, like: Stats | undefined): Promise<boolean> {
  // Other users must not read the text of a private file, not even until its mode is set.
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

/** For files that a rename would turn into another file: those with several names, and those of another owner. */
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
