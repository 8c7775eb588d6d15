import { join } from 'node:path';
import { QWEN_CODE } from '@hawser/client/program-files';
import type { UserPlaces } from '../../discovery/format.ts';
import { lockIn, portIn, type ReadLock } from '../../discovery/lock.ts';
import type { LockFormat, LockSettings } from '../adapter-parts/endpoint.ts';
import { companionMembers, tokenAndFoldersIn } from '../companion/lock.ts';

const EXTENSION = '.lock';

/** Where Qwen Code looks for editors. */
export function qwenLockFolder(places: UserPlaces): string {
  return join(QWEN_CODE.folder(places), 'ide');
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
