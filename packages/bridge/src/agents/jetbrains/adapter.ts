import type { AgentAdapter } from '../../agent.ts';
import type { EndpointSettings, LockFormat } from '../endpoint.ts';
import { openAdapter } from '../open-adapter.ts';
import { jetbrainsLockContent, jetbrainsLockFolder, jetbrainsLockName, readJetbrainsLock } from './lock.ts';

export interface JetbrainsOptions extends EndpointSettings {
  /** Milliseconds between pings; an agent that misses one is dropped. Default 5000. */
  readonly pingInterval?: number;
}

const NAME = 'jetbrains';
/** The dialect of the JetBrains plugin: its own names for things, and a lock file in the project. */
export function jetbrainsAdapter(options: JetbrainsOptions): AgentAdapter {
  return {
    name: NAME,
    open: (bridge) =>
      openAdapter(bridge, {
        ...options,
        name: NAME,
        locks: [LOCK],
        needsFolder: true,
        urlOf: ({ port }) => `ws://127.0.0.1:${port}/mcp`,
        serve: async (gate) => (await import('./server.ts')).serveJetbrains(NAME, bridge, options, gate),
      }),
  };
}

const LOCK: LockFormat = {
  folderFor: (folders) => jetbrainsLockFolder(projectOf(folders)),
  nameFor: ({ port }) => jetbrainsLockName(port),
  contentFor: ({ port, token, folders }) =>
    jetbrainsLockContent({ port, authToken: token, projectPath: projectOf(folders) }),
  read: readJetbrainsLock,
  // The folder is only for lock files, and a bridge that crashed may have made it.
  emptyFolder: 'removed',
};

function projectOf([project]: readonly string[]): string {
  if (project === undefined) throw new Error('The jetbrains adapter needs a workspace folder for its lock file');
  return project;
}
