import type { ServerSession } from '@hawser/mcp';
import type { AgentAdapter, BridgeServices, OpenAdapter } from '../../agent.ts';
import { copilotLockContent, copilotLockName, readCopilotLock } from '../../discovery/copilot-lock.ts';
import { socketFolder } from '../../discovery/socket-folder.ts';
import { asOpenAdapter, makeAgentServer } from '../agent-server.ts';
import {
  type EndpointSettings,
  type HttpAgentSettings,
  LONGEST_SOCKET_NAME,
  type LockFormat,
  openEndpoint,
} from '../endpoint.ts';
import { listenHttp } from '../http.ts';
import { addContext } from './tools/context.ts';
import { addDiffs } from './tools/diffs.ts';
import { addFileReference, addSelection, NO_SELECTION, selectionChanged, wireMention, wireSelection } from './wire.ts';

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
  return { name: NAME, open: (bridge) => open(bridge, options) };
}

async function open(bridge: BridgeServices, options: CopilotCliOptions): Promise<OpenAdapter> {
  const { editor, reviews, identity } = bridge;
  const greet = (session: ServerSession) => {
    const selection = editor.currentSelection;
    if (selection !== undefined) session.notify(selectionChanged, wireSelection(selection));
  };
  const server = makeAgentServer(bridge, { name: NAME, capabilities: { tools: {} }, greet });
  addDiffs(server, { editor, reviews });
  addContext(server, { editor, reviews });
  const { stateFolder, abandonedMs } = options;
  const endpoint = await openEndpoint({
    stateFolder,
    socketFolder: socketFolder(options, 'sockets', LONGEST_SOCKET_NAME),
    agent: NAME,
    bridge,
    listen: (address, isToken) => listenHttp(server, address, { agent: NAME, scheme: 'Nonce', isToken, abandonedMs }),
    locks: [lockFormat(options, identity.pid)],
  });
  const stop = editor.subscribe((event) => {
    if (event.kind === 'workspace') endpoint.update(event.folders);
    if (event.kind === 'selection') {
      server.notifyAll(selectionChanged, event.selection === undefined ? NO_SELECTION : wireSelection(event.selection));
    }
    if (event.kind === 'mention') {
      const { path, lines } = event;
      server.notifyAll(lines === undefined ? addFileReference : addSelection, wireMention(path, lines));
    }
  });
  return asOpenAdapter({ name: NAME, server, endpoint, environment: {}, takesMentions: true, stops: [stop] });
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
