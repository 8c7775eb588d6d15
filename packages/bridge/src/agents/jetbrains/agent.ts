import { join } from 'node:path';
import { withParents } from '@hawser/user-files/real-folders';
import type { Agent } from '../../agent.ts';
import { commandAndArgs } from '../../connect/server-entry.ts';
import { websocketEndpoint } from '../adapter-parts/websocket-endpoint.ts';
import { jetbrainsLockFolder, readJetbrainsLock } from './lock.ts';

export const jetbrains: Agent = {
  name: 'jetbrains',
  title: 'JetBrains plugin',
  guide: ({ workspace, hawser }) => ({
    steps: [
      'Install the plugin of Hawser from disk (Settings | Plugins | the gear); docs/jetbrains.md says how it is made.',
      'Without it, agents can use the tools of the IDE itself: turn on Settings | Tools | MCP Server, and add what that page shows to your agent.',
      'An agent that speaks the Agent Client Protocol runs in the chat of the IDE: name it in ~/.jetbrains/acp.json, under agent_servers.',
    ],
    // The one for a project that JetBrains Air and other agents read.
    file: {
      path: join(workspace, '.mcp.json'),
      format: 'json',
      settings: [{ at: ['mcpServers', 'hawser'], value: commandAndArgs(hawser) }],
    },
  }),
  connection: {
    // It writes its lock file into the user's project.
    opened: 'on request',
    listensOn: 'port',
    discovery: {
      agent: 'jetbrains',
      rank: 6,
      folders: (_places, projects) => [...new Set(projects.flatMap(withParents))].map(jetbrainsLockFolder),
      reader: () => readJetbrainsLock,
      endpoint: websocketEndpoint,
    },
    adapter: async ({ port }, { stateFolder }) => {
      const { jetbrainsAdapter } = await import('./adapter.ts');
      return jetbrainsAdapter({ stateFolder, port });
    },
  },
};
