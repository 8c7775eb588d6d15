import type { AgentAdapter } from '../../agent.ts';
import type { EndpointSettings, LockFormat } from '../endpoint.ts';
import { openAdapter } from '../open-adapter.ts';
import { readScribeLock, scribeLockContent, scribeLockName } from './lock.ts';

export interface ScribeOptions extends EndpointSettings {
  readonly lockFolder: string;
}

const NAME = 'scribe';

export function scribeAdapter(options: ScribeOptions): AgentAdapter {
  return {
    name: NAME,
    open: (bridge) =>
      openAdapter(bridge, {
        ...options,
        name: NAME,
        locks: [lockFormat(options.lockFolder, bridge.identity.pid)],
        urlOf: ({ port }) => `http://127.0.0.1:${port}/mcp`,
        environment: ({ port }) => ({ SCRIBE_EDITOR_PORT: String(port) }),
        serve: async (gate) => (await import('./server.ts')).serveScribe(NAME, bridge, gate),
      }),
  };
}

function lockFormat(lockFolder: string, pid: number): LockFormat {
  return {
    folderFor: () => lockFolder,
    nameFor: ({ port }) => scribeLockName(port),
    contentFor: ({ token, folders }) => scribeLockContent({ pid, token, folders }),
    read: readScribeLock,
  };
}
