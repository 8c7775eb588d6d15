import { join } from 'node:path';
import { isPort, lockIn, type ReadLock } from '../../discovery/lock.ts';
import type { LockFormat, LockSettings } from '../adapter-parts/endpoint.ts';
import { companionMembers, tokenAndFoldersIn } from '../companion/lock.ts';

/** Where Gemini CLI looks, in the system's folder for temporary files. */
export function geminiLockFolder(temporaryFolder: string): string {
  return join(temporaryFolder, 'gemini', 'ide');
}

export function geminiLock({ lockFolder, ideName }: LockSettings, pid: number): LockFormat {
  return {
    folderFor: () => lockFolder,
    // Of several files Gemini CLI prefers those with the number of a living process.
    nameFor: ({ port }) => `gemini-ide-server-${pid}-${port}.json`,
    contentFor: (lock) => JSON.stringify(companionMembers(lock, ideName)),
    read: readGeminiLock,
  };
}

const NAME = /^gemini-ide-server-([1-9]\d{0,9})-([1-9]\d{0,4})\.json$/;

export const readGeminiLock: ReadLock = (name, text) => {
  const [, pid, port] = NAME.exec(name) ?? [];
  if (pid === undefined || !isPort(Number(port))) return undefined;
  return lockIn(text, (members) => ({ port: Number(port), pid: Number(pid), ...tokenAndFoldersIn(members) }));
};
