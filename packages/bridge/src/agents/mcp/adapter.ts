import type { AgentAdapter } from '../../agent.ts';
import type { EndpointSettings, LockFormat } from '../endpoint.ts';
import { openAdapter } from '../open-adapter.ts';
import { mcpEndpointContent, mcpEndpointFolder, mcpEndpointName, readMcpEndpoint } from './endpoint-file.ts';

const NAME = 'mcp';

export interface McpAdapterOptions extends EndpointSettings {
  /** A client counts as gone this many milliseconds after its stream, or its unanswered request, has closed. Default 2000. */
  readonly abandonedMs?: number;
}

/** Any MCP client: the model itself calls the tools. Streamable HTTP on this machine, with a bearer token. */
export function mcpAdapter(options: McpAdapterOptions): AgentAdapter {
  return {
    name: NAME,
    open: (bridge) =>
      openAdapter(bridge, {
        ...options,
        name: NAME,
        locks: [endpointFormat(options.stateFolder, bridge.identity.pid)],
        urlOf: ({ port }) => `http://127.0.0.1:${port}/mcp`,
        serve: async (gate) => (await import('./server.ts')).serveMcp(NAME, bridge, options, gate),
      }),
  };
}

function endpointFormat(stateFolder: string, pid: number): LockFormat {
  return {
    folderFor: () => mcpEndpointFolder(stateFolder),
    nameFor: ({ port }) => mcpEndpointName(port),
    contentFor: ({ port, token, folders }) =>
      mcpEndpointContent({ url: `http://127.0.0.1:${port}/mcp`, authToken: token, pid, workspaceFolders: folders }),
    read: readMcpEndpoint,
  };
}
