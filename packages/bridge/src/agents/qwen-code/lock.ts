import { join, resolve } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { portIn, type ReadLock } from '../../discovery/lock.ts';
import { type CompanionLock, companionMembers, tokenAndFoldersIn } from '../companion/lock.ts';

const EXTENSION = '.lock';

/** Where Qwen Code looks. `qwenHome` is the value of QWEN_HOME; a relative one is in Qwen Code's working directory. */
export function qwenLockFolder(at: { readonly qwenHome: string | undefined; readonly home: string }): string {
  const { qwenHome, home } = at;
  if (qwenHome === undefined || qwenHome === '') return join(home, '.qwen', 'ide');
  return join(qwenHome === '~' || qwenHome.startsWith('~/') ? join(home, qwenHome.slice(1)) : resolve(qwenHome), 'ide');
}

export function qwenLockName(port: number): string {
  return `${port}${EXTENSION}`;
}

/** `pid` is the process whose end makes the file stale: Qwen Code deletes the files of dead ones. */
export function qwenLockContent(lock: CompanionLock & { readonly pid: number }): string {
  const { ideInfo, ...members } = companionMembers(lock);
  // Without ideInfo it connects in the terminal of VS Code alone.
  return JSON.stringify({ ...members, ppid: lock.pid, ideName: lock.ideName, ideInfo });
}

export const readQwenLock: ReadLock = (name, text) => {
  const port = portIn(name, EXTENSION);
  if (port === undefined) return undefined;
  const members = parseObject(text);
  if (members === undefined) return new Error('It holds no JSON object');
  const { ppid } = members;
  const pid = Number.isSafeInteger(ppid) && Number(ppid) > 0 ? Number(ppid) : undefined;
  return { port, pid, ...tokenAndFoldersIn(members) };
};
