import { join } from 'node:path';
import { COPILOT_CLI } from '@hawser/client/program-files';
import { hashedName } from '@hawser/user-files/names';
import { realFolders } from '@hawser/user-files/real-folders';
import type { EditorEndpoint, Members, UserPlaces } from '../../discovery/format.ts';
import { type Lock, lockIn, ownerIn, type ReadLock } from '../../discovery/lock.ts';
import type { LockFormat, LockSettings } from '../adapter-parts/endpoint.ts';

const EXTENSION = '.lock';
const SCHEME = 'Nonce ';

/** Where Copilot CLI looks for editors. */
export function copilotLockFolder(places: UserPlaces): string {
  return join(COPILOT_CLI.folder(places), 'ide');
}

/** `pid` is the process whose end makes the lock stale. Copilot CLI connects by itself if one of the folders is its repository. */
export function copilotLock({ lockFolder, ideName }: LockSettings, pid: number): LockFormat {
  // For 2 seconds after it Copilot CLI waits for the socket.
  const timestamp = Date.now();
  return {
    folderFor: () => lockFolder,
    // A UUID that stays the same for the same socket.
    nameFor: ({ socketPath = '' }) => {
      const digits = hashedName(socketPath);
      const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `a${digits.slice(17, 20)}`];
      return `${[...parts, digits.slice(20)].join('-')}${EXTENSION}`;
    },
    contentFor: ({ socketPath, token, folders }) => {
      const headers = { Authorization: `${SCHEME}${token}` };
      const workspaceFolders = realFolders(folders);
      return JSON.stringify({ socketPath, scheme: 'unix', headers, pid, timestamp, workspaceFolders, ideName });
    },
    read: readCopilotLock,
  };
}

export const readCopilotLock: ReadLock = (name, text) => {
  if (!name.endsWith(EXTENSION)) return undefined;
  return lockIn(text, (members) => {
    const owner = ownerIn(members);
    if (owner instanceof Error) return owner;
    const { Authorization: authorization } = (members.headers ?? {}) as Members;
    const hasToken = typeof authorization === 'string' && authorization.startsWith(SCHEME);
    return { ...owner, port: undefined, token: hasToken ? authorization.slice(SCHEME.length) : undefined };
  });
};

export function copilotEndpoint(_lock: Lock, { socketPath, headers }: Members): EditorEndpoint | undefined {
  if (typeof socketPath !== 'string') return undefined;
  const given = Object.entries((headers ?? {}) as Members).filter((entry) => typeof entry[1] === 'string');
  return { url: 'http://localhost/mcp', headers: Object.fromEntries(given) as Record<string, string>, socketPath };
}
