import { withParents } from '@hawser/user-files/real-folders';
import type { Agent } from '../../agent.ts';
import { websocketEndpoint } from '../websocket-endpoint.ts';
import { jetbrainsLockFolder, readJetbrainsLock } from './lock.ts';

export const jetbrains: Agent = {
  name: 'jetbrains',
  title: 'JetBrains plugin',
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
