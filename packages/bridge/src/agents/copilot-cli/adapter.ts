import type { AgentAdapter } from '../../agent.ts';
import { socketFolder } from '../../discovery/socket-folder.ts';
import { type EndpointSettings, type HttpAgentSettings, LONGEST_SOCKET_NAME, type LockFormat } from '../endpoint.ts';
import { openAdapter } from '../open-adapter.ts';
import { copilotLockContent, copilotLockName, readCopilotLock } from './lock.ts';

export interface CopilotCliOptions extends Pick<EndpointSettings, 'stateFolder'>, HttpAgentSettings {
  /** What the agent calls the editor. */
  readonly ideName: string;
  /** Where Copilot CLI looks for lock files. */
  readonly lockFolder: string;
  /** Used for the socket if its path in the state folder would be too long. */
  readonly temporaryFolder: string;
}

const NAME = 'copilot-cli';

/** GitHub Copilot CLI: Streamable HTTP over a unix socket, found by a lock file. */
export function copilotCliAdapter(options: CopilotCliOptions): AgentAdapter {
  const { stateFolder } = options;
  return {
    name: NAME,
    open: async (bridge) =>
      openAdapter(bridge, {
        stateFolder,
        name: NAME,
        socketFolder: socketFolder(options, 'sockets', LONGEST_SOCKET_NAME),
        locks: [lockFormat(options, bridge.identity.pid)],
        urlOf: ({ socketPath }) => `unix:${socketPath}:/mcp`,
        takesMentions: true,
        serve: async (gate) => (await import('./server.ts')).serveCopilotCli(NAME, bridge, options, gate),
      }),
  };
}

function lockFormat({ lockFolder, ideName }: CopilotCliOptions, pid: number): LockFormat {
  const timestamp = Date.now();
  return {
    folderFor: () => lockFolder,
    nameFor: ({ socketPath = '' }) => copilotLockName(socketPath),
    contentFor: ({ socketPath = '', token, folders }) =>
      copilotLockContent({ socketPath, token, pid, timestamp, workspaceFolders: folders, ideName }),
    read: readCopilotLock,
  };
}
