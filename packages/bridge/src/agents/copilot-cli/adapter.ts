import type { AgentAdapter } from '../../agent.ts';
import { socketFolder } from '../../discovery/socket-folder.ts';
import {
  type EndpointSettings,
  type HttpAgentSettings,
  LONGEST_SOCKET_NAME,
  type LockSettings,
} from '../adapter-parts/endpoint.ts';
import { endpointAdapter } from '../adapter-parts/open-adapter.ts';
import { copilotLock } from './lock.ts';

export interface CopilotCliOptions extends Pick<EndpointSettings, 'stateFolder'>, HttpAgentSettings, LockSettings {
  /** Used for the socket if its path in the state folder would be too long. */
  readonly temporaryFolder: string;
}

const NAME = 'copilot-cli';

/** GitHub Copilot CLI: Streamable HTTP over a unix socket, found by a lock file. */
export function copilotCliAdapter(options: CopilotCliOptions): AgentAdapter {
  const { stateFolder } = options;
  return endpointAdapter(NAME, (bridge) => ({
    stateFolder,
    socketFolder: socketFolder(options, 'sockets', LONGEST_SOCKET_NAME),
    locks: [copilotLock(options, bridge.identity.pid)],
    urlOf: ({ socketPath }) => `unix:${socketPath}:/mcp`,
    takesMentions: true,
    serve: async (entrance) => (await import('./server.ts')).serveCopilotCli(NAME, bridge, options, entrance),
  }));
}
