import { join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { realFolders } from '@hawser/user-files/real-folders';
import { portIn, type ReadLock } from '../../discovery/lock.ts';

const EXTENSION = '.lock';

/** Where Claude Code looks. `configDir` is the value of CLAUDE_CONFIG_DIR. */
export function claudeLockFolder(at: { readonly configDir: string | undefined; readonly home: string }): string {
  const isSet = at.configDir !== undefined && at.configDir !== '';
  return join(isSet ? at.configDir : join(at.home, '.claude'), 'ide');
}

export function claudeLockName(port: number): string {
  return `${port}${EXTENSION}`;
}

export interface ClaudeLock {
  /** The process whose end makes the lock stale: the bridge's, or its editor's. */
  readonly pid: number;
  readonly workspaceFolders: readonly string[];
  readonly ideName: string;
  readonly authToken: string;
  readonly runningInWindows: boolean;
}

/** Claude Code compares the folders with its own real working directory. */
export function claudeLockContent(lock: ClaudeLock): string {
  const { pid, workspaceFolders, ideName, runningInWindows, authToken } = lock;
  return JSON.stringify({
    pid,
    workspaceFolders: realFolders(workspaceFolders),
    ideName,
    transport: 'ws',
    runningInWindows,
    authToken,
  });
}

/**
 * Reads only locks with our value of `runningInWindows`: process numbers and ports of the other side of WSL mean nothing on
 * this one.
 */
export function claudeLockReader({ runningInWindows }: { readonly runningInWindows: boolean }): ReadLock {
  return (name, text) => {
    const port = portIn(name, EXTENSION);
    if (port === undefined) return undefined;
    const members = parseObject(text);
    if (members === undefined) return new Error('It holds no JSON object');
    const { pid, authToken, workspaceFolders } = members;
    if (!Number.isSafeInteger(pid) || Number(pid) < 1) return new Error('It names no process');
    if ((members.runningInWindows === true) !== runningInWindows) return new Error('It is of another system');
    return {
      port,
      pid: Number(pid),
      token: typeof authToken === 'string' ? authToken : undefined,
      folders: Array.isArray(workspaceFolders) ? workspaceFolders.filter((folder) => typeof folder === 'string') : [],
    };
  };
}
