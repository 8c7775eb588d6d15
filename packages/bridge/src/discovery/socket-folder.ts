import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { machineName } from '@hawser/user-files/machine';
import { hashedName } from '@hawser/user-files/names';
import { makePrivateFolder, namesIn } from '@hawser/user-files/private-file';
import { isListening } from './listening.ts';

export interface SocketHome {
  /** Where state is kept between runs. */
  readonly stateFolder: string;
  /** Used if the path of a socket in the state folder would be too long. */
  readonly temporaryFolder: string;
}

/** Systems allow 104 or 108 bytes for the path of a socket, including the terminating NUL. */
export const LONGEST_PATH = 103;

/** The folder for this user's sockets of one kind. `longestName` must fit into it. */
export function socketFolder(home: SocketHome, kind: string, longestName: string): string {
  const fits = (folder: string) => Buffer.byteLength(join(folder, longestName)) <= LONGEST_PATH;
  const inState = join(home.stateFolder, kind);
  if (fits(inState)) return inState;
  const user = process.getuid?.() ?? 'user';
  const inTemporary = join(home.temporaryFolder, `hawser-${user}-${hashedName(inState).slice(0, 8)}`);
  if (fits(inTemporary)) return inTemporary;
  throw new Error(`The path of a socket in ${inTemporary} is too long; set XDG_STATE_HOME to a shorter folder`);
}

/** Creates the folder so that only this user can enter it. Throws if it belongs to another user. */
export function makeSocketFolder(folder: string): void {
  makePrivateFolder(folder);
  checkSocketFolder(folder);
  if ((lstatSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** The owner of the folder decides who answers in it, so another owner is refused. */
export function checkSocketFolder(folder: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const own = process.getuid?.();
  if (!stat.isDirectory()) throw new Error(`Not a folder: ${folder}`);
  if (own !== undefined && stat.uid !== own) throw new Error(`This folder belongs to another user: ${folder}`);
}

/** The beginning of names of sockets that this machine makes. On another machine that shares the folder they never answer. */
export function socketPrefix(): string {
  return machineName().slice(0, 8);
}

/** Removes a socket that a crash left. One that answers stays. */
export async function removeSilentSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || (await isListening({ port: 0, socketPath: path }))) return;
  // Checked again: a new bridge may have started meanwhile.
  if (lstatSync(path, { throwIfNoEntry: false })?.ino === found.ino) rmSync(path, { force: true });
}

/** The same for every socket in a folder whose name `isOurs` accepts. */
export async function removeSilentSockets(folder: string, isOurs: (name: string) => boolean): Promise<void> {
  for (const name of namesIn(folder).filter(isOurs)) await removeSilentSocket(join(folder, name));
}
