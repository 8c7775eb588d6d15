import { randomName } from '@hawser/user-files/names';
import { type SocketHome, socketFolder, socketPrefix } from '../discovery/socket-folder.ts';

export type ControlHome = SocketHome;

const NAME = /^([1-9]\d{0,9})-([0-9a-f]{8})[0-9a-f]{4}\.sock$/;

/** The folder with one socket for each running bridge of this user. */
export function controlFolder(home: ControlHome): string {
  return socketFolder(home, 'control', newSocketName(4_194_304));
}

export function newSocketName(pid: number): string {
  return `${pid}-${socketPrefix()}${randomName(4)}.sock`;
}

/** The process id in the name of a socket; undefined for another file. */
export function pidOfSocket(name: string): number | undefined {
  const [, pid] = NAME.exec(name) ?? [];
  return pid === undefined ? undefined : Number(pid);
}

/** Whether a bridge of this machine made the socket of this name. */
export function isOfThisMachine(name: string): boolean {
  const [, , machine] = NAME.exec(name) ?? [];
  return machine === socketPrefix();
}
