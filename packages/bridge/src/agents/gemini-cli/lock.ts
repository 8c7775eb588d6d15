import { join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { isPort, type ReadLock } from '../../discovery/lock.ts';
import { type CompanionLock, companionMembers, tokenAndFoldersIn } from '../companion/lock.ts';

/** Where Gemini CLI looks, in the system's folder for temporary files. */
export function geminiLockFolder(temporaryFolder: string): string {
  return join(temporaryFolder, 'gemini', 'ide');
}

/** Of several files Gemini CLI prefers those with the number of a living process. */
export function geminiLockName(pid: number, port: number): string {
  return `gemini-ide-server-${pid}-${port}.json`;
}

export function geminiLockContent(lock: CompanionLock): string {
  return JSON.stringify(companionMembers(lock));
}

const NAME = /^gemini-ide-server-([1-9]\d{0,9})-([1-9]\d{0,4})\.json$/;

export const readGeminiLock: ReadLock = (name, text) => {
  const [, pid, port] = NAME.exec(name) ?? [];
  if (pid === undefined || !isPort(Number(port))) return undefined;
  const members = parseObject(text);
  if (members === undefined) return new Error('It holds no JSON object');
  return { port: Number(port), pid: Number(pid), ...tokenAndFoldersIn(members) };
};
