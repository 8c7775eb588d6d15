import { once } from 'node:events';
import { chmodSync, lstatSync, mkdirSync, rmdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, makePrivateFolder } from '@hawser/user-files/private-file';
import { LONGEST_PATH } from '../../discovery/socket-folder.ts';

/**
 * Makes the folder of the socket, and gives those that were made for it, the innermost first. Codex ignores a socket in a
 * folder that belongs to another user or that others can write to.
 */
export function prepareFolder(path: string): readonly string[] {
  const length = Buffer.byteLength(path);
  if (length > LONGEST_PATH) {
    throw new Error(`The path of the socket is ${length} bytes long, at most ${LONGEST_PATH} are possible: ${path}`);
  }
  const folder = dirname(path);
  const made = missingFolders(folder);
  makePrivateFolder(folder);
  const stat = lstatSync(folder);
  if (!stat.isDirectory()) throw new Error(`Not a folder: ${folder}`);
  if (stat.uid !== process.getuid?.()) throw new Error(`This folder belongs to another user: ${folder}`);
  if ((stat.mode & 0o022) !== 0) chmodSync(folder, stat.mode & 0o755);
  return made;
}

/** Removes those of the folders that are empty. */
export function removeFolders(folders: readonly string[]): void {
  for (const folder of folders) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

/** Listens there for this user. Resolves to undefined if the path is taken. */
export async function listenAt(path: string, accept: (socket: Socket) => void): Promise<Server | undefined> {
  const server = createServer(accept);
  try {
    await once(server.listen(path), 'listening');
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') return undefined;
    throw error;
  }
  chmodSync(path, 0o600);
  return server;
}

/** A process that holds the lock for longer has crashed. */
const LOCK_MS = 5000;

/**
 * Replaces a socket on which nothing listens, and listens there. Of several bridges that find it at once only one does
 * so. Resolves to undefined if the others should look again.
 */
export async function replaceStale(
  path: string,
  isAnswered: () => Promise<boolean>,
  accept: (socket: Socket) => void,
): Promise<Server | undefined> {
  const lock = `${path}.lock`;
  if (!takeLock(lock)) {
    await delay(20);
    return undefined;
  }
  try {
    if (await isAnswered()) return undefined;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSocket() === false) throw new Error(`Not a socket: ${path}. Move it away.`);
    if (found !== undefined && found.uid !== process.getuid?.()) {
      throw new Error(`This socket belongs to another user: ${path}`);
    }
    rmSync(path, { force: true });
    return await listenAt(path, accept);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const held = lstatSync(lock, { throwIfNoEntry: false });
    if (held !== undefined && Date.now() - held.mtimeMs > LOCK_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function missingFolders(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return [];
  const parent = resolve(folder, '..');
  return [folder, ...(parent === folder ? [] : missingFolders(parent))];
}
