import { join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { readOwnFile } from '@hawser/user-files/private-file';
import { realFolders } from '@hawser/user-files/real-folders';
import { portIn, type ReadLock } from '../../discovery/lock.ts';

/** The file that says where a bridge serves MCP. Only this user can read it. */
export interface McpEndpoint {
  readonly url: string;
  /** For `Authorization: Bearer`. */
  readonly authToken: string;
  readonly pid: number;
  readonly workspaceFolders: readonly string[];
}

const EXTENSION = '.json';

export function mcpEndpointFolder(stateFolder: string): string {
  return join(stateFolder, 'mcp');
}

export function mcpEndpointName(port: number): string {
  return `${port}${EXTENSION}`;
}

export function mcpEndpointContent({ url, authToken, pid, workspaceFolders }: McpEndpoint): string {
  return JSON.stringify({ url, authToken, pid, workspaceFolders: realFolders(workspaceFolders) });
}

export const readMcpEndpoint: ReadLock = (name, text) => {
  const port = portIn(name, EXTENSION);
  if (port === undefined) return undefined;
  const { pid, authToken, workspaceFolders } = parseObject(text) ?? {};
  if (!Number.isSafeInteger(pid) || Number(pid) < 1) return new Error('It names no process');
  return {
    port,
    pid: Number(pid),
    token: typeof authToken === 'string' ? authToken : undefined,
    folders: Array.isArray(workspaceFolders) ? workspaceFolders.filter((folder) => typeof folder === 'string') : [],
  };
};

/** Where a client connects by this file; undefined if it is gone or not ours. */
export function connectionIn(path: string): { readonly url: string; readonly token: string } | undefined {
  const text = readOwnFile(path);
  const { url, authToken } = (typeof text === 'string' ? parseObject(text) : undefined) ?? {};
  return typeof url === 'string' && typeof authToken === 'string' ? { url, token: authToken } : undefined;
}
