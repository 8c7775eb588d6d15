import { COPILOT_CLI } from '@hawser/client/program-files';
import type { Agent } from '../../agent.ts';
import { commandAndArgs } from '../../connect/server-entry.ts';
import { copilotEndpoint, copilotLockFolder, readCopilotLock } from './lock.ts';

export const copilotCli: Agent = {
  name: 'copilot-cli',
  title: 'GitHub Copilot CLI',
  program: { command: 'copilot', install: 'npm install -g @github/copilot' },
  review: {
    kind: 'yes',
    sentence: 'Its changes are reviewed here.',
    toBeAsked: 'Press Shift-Tab in it until it asks before it edits, or start it without --allow-all.',
  },
  connection: {
    opened: 'by default',
    listensOn: 'socket',
    discovery: {
      agent: 'copilot-cli',
      rank: 5,
      folders: (places) => [copilotLockFolder(places)],
      reader: () => readCopilotLock,
      endpoint: copilotEndpoint,
    },
    adapter: async ({ ideName }, places) => {
      const { copilotCliAdapter } = await import('./adapter.ts');
      const { stateFolder, temporaryFolder } = places;
      return copilotCliAdapter({ stateFolder, temporaryFolder, ideName, lockFolder: copilotLockFolder(places) });
    },
  },
  guide: ({ hawser, ...places }) => ({
    steps: [
      'Start it in the folder that Hawser serves: it connects by itself if that is its repository, else type /ide.',
      'While it asks before it edits (not with --allow-all), changes wait in the editor for your decision.',
      'If you accept a part, the editor writes it, and Copilot CLI takes it for a rejection.',
    ],
    file: {
      path: COPILOT_CLI.userFile(places),
      format: 'json',
      settings: [{ at: ['mcpServers', 'hawser'], value: { type: 'local', ...commandAndArgs(hawser), tools: ['*'] } }],
    },
  }),
  gate: async () => (await import('./gate.ts')).gate,
};
