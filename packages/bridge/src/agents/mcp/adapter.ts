import type { AgentAdapter } from '../../agent.ts';
import type { EndpointSettings, HttpAgentSettings } from '../adapter-parts/endpoint.ts';
import { endpointAdapter } from '../adapter-parts/open-adapter.ts';
import { mcpEndpointFile } from './endpoint-file.ts';

const NAME = 'mcp';

export interface McpAdapterOptions extends EndpointSettings, HttpAgentSettings {}

/** Any MCP client: the model itself calls the tools. Streamable HTTP on this machine, with a bearer token. */
export function mcpAdapter(options: McpAdapterOptions): AgentAdapter {
  return endpointAdapter(NAME, (bridge) => ({
    ...options,
    locks: [mcpEndpointFile(options.stateFolder, bridge.identity.pid)],
    urlOf: ({ port }) => `http://127.0.0.1:${port}/mcp`,
    serve: async (entrance) => (await import('./server.ts')).serveMcp(NAME, bridge, options, entrance),
  }));
}
