import { delimiter, isAbsolute } from 'node:path';
import { realFolders } from '@hawser/user-files/real-folders';
import { bearer, type EditorEndpoint, type Members } from '../../discovery/format.ts';
import { type Lock, textOrNone } from '../../discovery/lock.ts';
import type { LockContent } from '../adapter-parts/endpoint.ts';

/** The members that the files of Gemini CLI and Qwen Code both have. */
export function companionMembers({ port, token, folders }: LockContent, ideName: string) {
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

export function tokenAndFoldersIn({ authToken, workspacePath }: Members) {
  return {
    token: textOrNone(authToken),
    folders: typeof workspacePath === 'string' ? workspacePath.split(delimiter).filter(isAbsolute) : [],
  };
}

export function companionEndpoint({ port, token }: Lock): EditorEndpoint | undefined {
  return port === undefined ? undefined : { url: `http://127.0.0.1:${port}/mcp`, headers: bearer(token) };
}
