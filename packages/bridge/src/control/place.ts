import { chmodSync, lstatSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { hashedName, randomName } from '../discovery/names.ts';
import { makePrivateFolder } from '../discovery/private-file.ts';

export interface ControlHome {
  /** Where state is kept between runs. */
  readonly stateFolder: string;
  /** Used if the path of a socket in the state folder would be too long. */
  readonly temporaryFolder: string;
}

/** Systems allow 104 or 108 bytes for the path of a socket, including the terminating NUL. */
const LONGEST_PATH = 103;
const NAME = /^([1-9]\d{0,9})-[0-9a-f]{8}\.sock$/;

/** The folder with one socket for each running bridge of this user. */
export function controlFolder({ stateFolder, temporaryFolder }: ControlHome): string {
  const inState = join(stateFolder, 'control');
  if (fits(inState)) return inState;
  const user = process.getuid?.() ?? 'user';
  const hash = hashedName(stateFolder).slice(0, 8);
  const inTemporary = join(temporaryFolder, `hawser-${user}-${hash}`);
  if (fits(inTemporary)) return inTemporary;
  throw new Error(`The path of a socket in ${inTemporary} is too long; set XDG_STATE_HOME to a shorter folder`);
}

export function newSocketName(pid: number): string {
  return `${pid}-${randomName(8)}.sock`;
}

/** The process id in the name of a socket; undefined for another file. */
export function pidOfSocket(name: string): number | undefined {
  const [, pid] = NAME.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/** Creates the folder so that only this user can enter it. Throws if it belongs to another user. */
export function makeControlFolder(folder: string): void {
  makePrivateFolder(folder);
  checkControlFolder(folder);
  if ((lstatSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** The owner of the folder decides who answers in it, so another owner is refused. */
export function checkControlFolder(folder: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const own = process.getuid?.();
  if (!stat.isDirectory()) throw new Error(`Not a folder: ${folder}`);
  if (own !== undefined && stat.uid !== own) throw new Error(`This folder belongs to another user: ${folder}`);
}

/** Whether a bridge listens there. Only a refused connection counts as no. */
export function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const answer = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => answer(true));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => answer(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, newSocketName(4_194_304))) <= LONGEST_PATH;
}
