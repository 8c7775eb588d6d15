import type { Agent } from '../../agent.ts';
import { bearer } from '../../discovery/format.ts';
import { mcpEndpointFolder, readMcpEndpoint } from './endpoint-file.ts';

export const mcp: Agent = {
  name: 'mcp',
  title: 'Any MCP client',
  connection: {
    opened: 'by default',
    listensOn: 'port',
    discovery: {
      agent: 'mcp',
      rank: 1,
      folders: ({ stateFolder }) => [mcpEndpointFolder(stateFolder)],
      reader: () => readMcpEndpoint,
      endpoint: ({ token }, { url }) => (typeof url === 'string' ? { url, headers: bearer(token) } : undefined),
    },
    adapter: async ({ port }, { stateFolder }) => {
      const { mcpAdapter } = await import('./adapter.ts');
      return mcpAdapter({ stateFolder, port });
    },
  },
};
