import { join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { hashedName } from '@hawser/user-files/names';
import { realFolders } from '@hawser/user-files/real-folders';
import type { EditorEndpoint, Members } from '../../discovery/format.ts';
import type { Lock, ReadLock } from '../../discovery/lock.ts';

const EXTENSION = '.lock';
const SCHEME = 'Nonce ';

/** Where Copilot CLI looks. `copilotHome` is the value of COPILOT_HOME. */
export function copilotLockFolder(at: { readonly copilotHome: string | undefined; readonly home: string }): string {
  const isSet = at.copilotHome !== undefined && at.copilotHome !== '';
  return join(isSet ? at.copilotHome : join(at.home, '.copilot'), 'ide');
}

/** A UUID that stays the same for the same socket. */
export function copilotLockName(socketPath: string): string {
  const digits = hashedName(socketPath);
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `a${digits.slice(17, 20)}`];
  return `${[...parts, digits.slice(20)].join('-')}${EXTENSION}`;
}

export interface CopilotLock {
  readonly socketPath: string;
  readonly token: string;
  /** The process whose end makes the lock stale. */
  readonly pid: number;
  /** Milliseconds since 1970; for 2 seconds after it Copilot CLI waits for the socket. */
  readonly timestamp: number;
  readonly workspaceFolders: readonly string[];
  readonly ideName: string;
}

/** Copilot CLI connects by itself if one of the folders is its repository. */
export function copilotLockContent(lock: CopilotLock): string {
  const { socketPath, token, pid, timestamp, workspaceFolders, ideName } = lock;
  return JSON.stringify({
    socketPath,
    scheme: 'unix',
    headers: { Authorization: `${SCHEME}${token}` },
    pid,
    timestamp,
    workspaceFolders: realFolders(workspaceFolders),
    ideName,
  });
}

export const readCopilotLock: ReadLock = (name, text) => {
  if (!name.endsWith(EXTENSION)) return undefined;
  const members = parseObject(text);
  if (members === undefined) return new Error('It holds no JSON object');
  const { pid, workspaceFolders, headers } = members;
  if (!Number.isSafeInteger(pid) || Number(pid) < 1) return new Error('It names no process');
  const { Authorization: authorization } = (headers ?? {}) as { readonly Authorization?: unknown };
  const hasToken = typeof authorization === 'string' && authorization.startsWith(SCHEME);
  return {
    port: undefined,
    pid: Number(pid),
    token: hasToken ? authorization.slice(SCHEME.length) : undefined,
    folders: Array.isArray(workspaceFolders) ? workspaceFolders.filter((folder) => typeof folder === 'string') : [],
  };
};

export function copilotEndpoint(_lock: Lock, { socketPath, headers }: Members): EditorEndpoint | undefined {
  if (typeof socketPath !== 'string') return undefined;
  const given = Object.entries((headers ?? {}) as Members).filter((entry) => typeof entry[1] === 'string');
  return { url: 'http://localhost/mcp', headers: Object.fromEntries(given) as Record<string, string>, socketPath };
}
