import { join } from 'node:path';
import { parseObject } from '@hawser/unknown-values/objects';
import { readOwnFile } from '@hawser/user-files/private-file';
import { realFolders } from '@hawser/user-files/real-folders';
import { ownerIn, portIn, type ReadLock } from '../../discovery/lock.ts';
import type { LockFormat } from '../adapter-parts/endpoint.ts';

const EXTENSION = '.json';

export function mcpEndpointFolder(stateFolder: string): string {
  return join(stateFolder, 'mcp');
}

/** The file that says where a bridge serves MCP. Only this user can read it. */
export function mcpEndpointFile(stateFolder: string, pid: number): LockFormat {
  return {
    folderFor: () => mcpEndpointFolder(stateFolder),
    nameFor: ({ port }) => `${port}${EXTENSION}`,
    contentFor: ({ port, token, folders }) => {
      const url = `http://127.0.0.1:${port}/mcp`;
      return JSON.stringify({ url, authToken: token, pid, workspaceFolders: realFolders(folders) });
    },
    read: readMcpEndpoint,
  };
}

export const readMcpEndpoint: ReadLock = (name, text) => {
  const port = portIn(name, EXTENSION);
  if (port === undefined) return undefined;
  const owner = ownerIn(parseObject(text) ?? {});
  return owner instanceof Error ? owner : { port, ...owner };
};

/** Where a client connects by this file; undefined if it is gone or not ours. */
export function connectionIn(path: string): { readonly url: string; readonly token: string } | undefined {
  const text = readOwnFile(path);
  const { url, authToken } = (typeof text === 'string' ? parseObject(text) : undefined) ?? {};
  return typeof url === 'string' && typeof authToken === 'string' ? { url, token: authToken } : undefined;
}
