import { createHash } from 'node:crypto';
import { chmodSync, lstatSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makePrivateFolder } from '../discovery/private-file.ts';

/** Where the socket of a workspace's bridge is: it is found by the workspace alone. */
export interface ControlPlace {
  readonly directory: string;
  readonly path: string;
}

export interface ControlHome {
  /** Where state is kept between runs. */
  readonly stateFolder: string;
  /** For when that is too long a name for a socket. */
  readonly temporaryFolder: string;
}

/** What systems take as the name of a socket: 104 bytes on some, 108 on others, an end mark included. */
const LONGEST_PATH = 103;
const NAME = /^[0-9a-f]{16}\.sock$/;

/** `folder` is the real path of the workspace. */
export function controlPlace(home: ControlHome, folder: string): ControlPlace {
  const { stateFolder, temporaryFolder } = home;
  const inState = placeIn(join(stateFolder, 'control'), hash(folder));
  if (Buffer.byteLength(inState.path) <= LONGEST_PATH) return inState;
  const user = process.getuid?.() ?? 'user';
  const inTemporary = placeIn(join(temporaryFolder, `hawser-${user}`), hash(`${stateFolder}\n${folder}`));
  if (Buffer.byteLength(inTemporary.path) <= LONGEST_PATH) return inTemporary;
  throw new Error(`Too long for the name of a socket: ${inTemporary.path}; set XDG_STATE_HOME to a shorter folder`);
}

/** Makes the folder one that only this user can enter. Throws when it is another's. */
export function makeControlFolder({ directory }: ControlPlace): void {
  makePrivateFolder(directory);
  checkControlFolder(directory);
  if ((lstatSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

/** Whoever owns the folder decides who answers in it. */
export function checkControlFolder(directory: string): void {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (stat === undefined) return;
  const own = process.getuid?.();
  if (!stat.isDirectory()) throw new Error(`Not a folder: ${directory}`);
  if (own !== undefined && stat.uid !== own) throw new Error(`This folder belongs to another user: ${directory}`);
}

export function isSocketName(name: string): boolean {
  return NAME.test(name);
}

/** Whether a bridge answers there. Only a refusal is a no. */
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

function placeIn(directory: string, name: string): ControlPlace {
  return { directory, path: join(directory, `${name}.sock`) };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
