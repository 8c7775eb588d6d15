import { delimiter, isAbsolute } from 'node:path';
import { realFolders } from '@hawser/user-files/real-folders';
import { bearer, type EditorEndpoint } from '../../discovery/format.ts';
import type { Lock } from '../../discovery/lock.ts';

/** What the files of Gemini CLI and Qwen Code say. */
export interface CompanionLock {
  readonly port: number;
  readonly token: string;
  readonly folders: readonly string[];
  /** What the agent calls the editor. */
  readonly ideName: string;
}

/** The members that both have. */
export function companionMembers({ port, token, folders, ideName }: CompanionLock) {
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

/** The folders as one text, as both agents read it. */
export function workspacePathOf(folders: readonly string[]): string {
  return realFolders(folders).join(delimiter);
}

export function tokenAndFoldersIn({ authToken, workspacePath }: Readonly<Record<string, unknown>>) {
  return {
    token: typeof authToken === 'string' ? authToken : undefined,
    folders: typeof workspacePath === 'string' ? workspacePath.split(delimiter).filter(isAbsolute) : [],
  };
}

export function companionEndpoint({ port, token }: Lock): EditorEndpoint | undefined {
  return port === undefined ? undefined : { url: `http://127.0.0.1:${port}/mcp`, headers: bearer(token) };
}
