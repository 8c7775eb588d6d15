import { join } from 'node:path';
import { CLAUDE_CODE } from '@hawser/client/program-files';
import { realFolders } from '@hawser/user-files/real-folders';
import type { UserPlaces } from '../../discovery/format.ts';
import { lockIn, ownerIn, portIn, type ReadLock } from '../../discovery/lock.ts';
import type { LockFormat, LockSettings } from '../adapter-parts/endpoint.ts';

const EXTENSION = '.lock';

/** Where Claude Code looks for editors. */
export function claudeLockFolder(places: UserPlaces): string {
  return join(CLAUDE_CODE.folder(places), 'ide');
}

export interface ClaudeLockOptions extends LockSettings {
  readonly runningInWindows: boolean;
}

/** `pid` is the process whose end makes the lock stale. Claude Code compares the folders with its own real working directory. */
export function claudeLock({ lockFolder, ideName, runningInWindows }: ClaudeLockOptions, pid: number): LockFormat {
  return {
    folderFor: () => lockFolder,
    nameFor: ({ port }) => `${port}${EXTENSION}`,
    contentFor: ({ token, folders }) => {
      const workspaceFolders = realFolders(folders);
      return JSON.stringify({ pid, workspaceFolders, ideName, transport: 'ws', runningInWindows, authToken: token });
    },
    read: claudeLockReader({ runningInWindows }),
  };
}

/**
 * Reads only locks with our value of `runningInWindows`: process numbers and ports of the other side of WSL mean nothing on
 * this one.
 */
export function claudeLockReader({ runningInWindows }: Pick<ClaudeLockOptions, 'runningInWindows'>): ReadLock {
  return (name, text) => {
    const port = portIn(name, EXTENSION);
    if (port === undefined) return undefined;
    return lockIn(text, (members) => {
      const owner = ownerIn(members);
      if (owner instanceof Error) return owner;
      if ((members.runningInWindows === true) !== runningInWindows) return new Error('It is of another system');
      return { port, ...owner };
    });
  };
}
