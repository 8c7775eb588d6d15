import { join, resolve } from 'node:path';
import type { UserPlaces } from '../../discovery/format.ts';
import { lockIn, portIn, type ReadLock } from '../../discovery/lock.ts';
import type { LockFormat, LockSettings } from '../adapter-parts/endpoint.ts';
import { companionMembers, tokenAndFoldersIn } from '../companion/lock.ts';

const EXTENSION = '.lock';

/** Where Qwen Code keeps its files. A relative QWEN_HOME is in its working directory. */
export function qwenFolder({ home, variables }: UserPlaces): string {
  const given = variables.QWEN_HOME || join(home, '.qwen');
  return given === '~' || given.startsWith('~/') ? join(home, given.slice(1)) : resolve(given);
}

/** Where it looks for editors. */
export function qwenLockFolder(places: UserPlaces): string {
  return join(qwenFolder(places), 'ide');
}

/** `pid` is the process whose end makes the file stale: Qwen Code deletes the files of dead ones. */
export function qwenLock({ lockFolder, ideName }: LockSettings, pid: number): LockFormat {
  return {
    folderFor: () => lockFolder,
    nameFor: ({ port }) => `${port}${EXTENSION}`,
    contentFor: (lock) => {
      const { ideInfo, ...members } = companionMembers(lock, ideName);
      // Without ideInfo it connects in the terminal of VS Code alone.
      return JSON.stringify({ ...members, ppid: pid, ideName, ideInfo });
    },
    read: readQwenLock,
  };
}

export const readQwenLock: ReadLock = (name, text) => {
  const port = portIn(name, EXTENSION);
  if (port === undefined) return undefined;
  return lockIn(text, (members) => {
    const { ppid } = members;
    const pid = Number.isSafeInteger(ppid) && Number(ppid) > 0 ? Number(ppid) : undefined;
    return { port, pid, ...tokenAndFoldersIn(members) };
  });
};
