import { join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { realFolders } from '@hawser/user-files/real-folders';
import { isPort, portIn, type ReadLock } from '../../discovery/lock.ts';

const EXTENSION = '.json';

/** In the project itself. */
export function jetbrainsLockFolder(projectPath: string): string {
  return join(projectPath, '.claude-code');
}

export function jetbrainsLockName(port: number): string {
  return `${port}${EXTENSION}`;
}

export interface JetbrainsLock {
  readonly port: number;
  readonly authToken: string;
  readonly projectPath: string;
}

export function jetbrainsLockContent({ port, authToken, projectPath }: JetbrainsLock): string {
  return JSON.stringify({ port, authToken, projectPath: realFolders([projectPath])[0] });
}

/** This format names no process: only the token shows that a lock file is ours. */
export const readJetbrainsLock: ReadLock = (name, text) => {
  const port = portIn(name, EXTENSION);
  if (port === undefined) return undefined;
  const members = parseObject(text);
  if (members === undefined) return new Error('It holds no JSON object');
  if (!isPort(members.port) || members.port !== port) return new Error('It names another port than its file does');
  const { authToken, projectPath } = members;
  return {
    port,
    pid: undefined,
    token: typeof authToken === 'string' ? authToken : undefined,
    folders: typeof projectPath === 'string' ? [projectPath] : [],
  };
};
