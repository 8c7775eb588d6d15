import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { isPort, membersOf, portIn, type ReadLock } from './lock.ts';
import { realFolders } from './real-folders.ts';

/** What the files of Gemini CLI and Qwen Code say. */
export interface CompanionLock {
  readonly port: number;
  readonly token: string;
  readonly folders: readonly string[];
  /** What the agent calls the editor. */
  readonly ideName: string;
}

/** Where Gemini CLI looks, in the system's folder for temporary files. */
export function geminiLockFolder(temporaryFolder: string): string {
  return join(temporaryFolder, 'gemini', 'ide');
}

/** Of several files Gemini CLI prefers those with the number of a living process. */
export function geminiLockName(pid: number, port: number): string {
  return `gemini-ide-server-${pid}-${port}.json`;
}

export function geminiLockContent(lock: CompanionLock): string {
  return JSON.stringify(membersFor(lock));
}

const GEMINI_NAME = /^gemini-ide-server-([1-9]\d{0,9})-([1-9]\d{0,4})\.json$/;

export const readGeminiLock: ReadLock = (name, text) => {
  const [, pid, port] = GEMINI_NAME.exec(name) ?? [];
  if (pid === undefined || !isPort(Number(port))) return new Error('Its name is not that of a lock');
  const members = membersOf(text);
  if (members === undefined) return new Error('It holds no JSON object');
  return { port: Number(port), pid: Number(pid), ...tokenAndFoldersIn(members) };
};

/** Where Qwen Code looks. `qwenHome` is the value of QWEN_HOME; a relative one is in Qwen Code's working directory. */
export function qwenLockFolder(at: { readonly qwenHome: string | undefined; readonly home: string }): string {
  const { qwenHome, home } = at;
  if (qwenHome === undefined || qwenHome === '') return join(home, '.qwen', 'ide');
  return join(qwenHome === '~' || qwenHome.startsWith('~/') ? join(home, qwenHome.slice(1)) : resolve(qwenHome), 'ide');
}

const QWEN_EXTENSION = '.lock';

export function qwenLockName(port: number): string {
  return `${port}${QWEN_EXTENSION}`;
}

/** `pid` is the process whose end makes the file stale: Qwen Code deletes the files of dead ones. */
export function qwenLockContent(lock: CompanionLock & { readonly pid: number }): string {
  const { ideInfo, ...members } = membersFor(lock);
  // Without ideInfo it connects in the terminal of VS Code alone.
  return JSON.stringify({ ...members, ppid: lock.pid, ideName: lock.ideName, ideInfo });
}

export const readQwenLock: ReadLock = (name, text) => {
  const port = portIn(name, QWEN_EXTENSION);
  if (port === undefined) return new Error('Its name is not that of a lock');
  const members = membersOf(text);
  if (members === undefined) return new Error('It holds no JSON object');
  const { ppid } = members;
  const pid = Number.isSafeInteger(ppid) && Number(ppid) > 0 ? Number(ppid) : undefined;
  return { port, pid, ...tokenAndFoldersIn(members) };
};

/** The folders as one text, as both agents read it. */
export function workspacePathOf(folders: readonly string[]): string {
  return realFolders(folders).join(delimiter);
}

function membersFor({ port, token, folders, ideName }: CompanionLock) {
  const name =
    ideName
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.join('-') ?? 'editor';
  return {
    port,
    workspacePath: workspacePathOf(folders),
    authToken: token,
    ideInfo: { name, displayName: ideName },
  };
}

function tokenAndFoldersIn({ authToken, workspacePath }: Readonly<Record<string, unknown>>) {
  return {
    token: typeof authToken === 'string' ? authToken : undefined,
    folders: typeof workspacePath === 'string' ? workspacePath.split(delimiter).filter(isAbsolute) : [],
  };
}
