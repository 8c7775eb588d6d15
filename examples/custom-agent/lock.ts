import { join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { realFolders } from '@hawser/user-files/real-folders';
import type { AgentPlaces } from '../../discovery/format.ts';
import { portIn, type ReadLock } from '../../discovery/lock.ts';
import type { LockFormat } from '../adapter-parts/endpoint.ts';

const EXTENSION = '.json';

/** Where Scribe looks. */
export function scribeLockFolder({ home, variables }: AgentPlaces): string {
  return variables.SCRIBE_HOME || join(home, '.scribe');
}

/** Names the process whose end makes the file stale. */
export function scribeLock(lockFolder: string, pid: number): LockFormat {
  return {
    folderFor: () => lockFolder,
    nameFor: ({ port }) => `${port}${EXTENSION}`,
    contentFor: ({ token, folders }) => JSON.stringify({ pid, token, folders: realFolders(folders) }),
    read: readScribeLock,
  };
}

export const readScribeLock: ReadLock = (name, text) => {
  const port = portIn(name, EXTENSION);
  if (port === undefined) return undefined;
  const { pid, token, folders } = parseObject(text) ?? {};
  return {
    port,
    pid: Number.isSafeInteger(pid) ? Number(pid) : undefined,
    token: typeof token === 'string' ? token : undefined,
    folders: Array.isArray(folders) ? folders.filter((folder) => typeof folder === 'string') : [],
  };
};
