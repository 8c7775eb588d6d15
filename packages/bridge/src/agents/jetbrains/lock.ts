import { join } from 'node:path';
import { realFolders } from '@hawser/user-files/real-folders';
import { isPort, lockIn, portIn, type ReadLock, textOrNone } from '../../discovery/lock.ts';
import type { LockFormat } from '../adapter-parts/endpoint.ts';

const EXTENSION = '.json';

/** In the project itself. */
export function jetbrainsLockFolder(projectPath: string): string {
  return join(projectPath, '.claude-code');
}

/** This format names no process: only the token shows that a lock file is ours. */
export const readJetbrainsLock: ReadLock = (name, text) => {
  const port = portIn(name, EXTENSION);
  if (port === undefined) return undefined;
  return lockIn(text, ({ port: named, authToken, projectPath }) => {
    if (!isPort(named) || named !== port) return new Error('It names another port than its file does');
    const folders = typeof projectPath === 'string' ? [projectPath] : [];
    return { port, pid: undefined, token: textOrNone(authToken), folders };
  });
};

export const jetbrainsLock: LockFormat = {
  folderFor: (folders) => jetbrainsLockFolder(projectOf(folders)),
  nameFor: ({ port }) => `${port}${EXTENSION}`,
  contentFor: ({ port, token, folders }) =>
    JSON.stringify({ port, authToken: token, projectPath: realFolders([projectOf(folders)])[0] }),
  read: readJetbrainsLock,
  // The folder is only for lock files, and a bridge that crashed may have made it.
  emptyFolder: 'removed',
};

function projectOf([project]: readonly string[]): string {
  if (project === undefined) throw new Error('The jetbrains adapter needs a workspace folder for its lock file');
  return project;
}
