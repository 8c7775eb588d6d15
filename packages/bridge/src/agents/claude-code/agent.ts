import { join } from 'node:path';
import type { Agent } from '../../agent.ts';
import { commandAndArgs } from '../../connect/server-entry.ts';
import type { AgentPlaces } from '../../discovery/format.ts';
import { websocketEndpoint } from '../websocket-endpoint.ts';
import { claudeLockFolder, claudeLockReader } from './lock.ts';

export const claudeCode: Agent = {
  name: 'claude-code',
  title: 'Claude Code',
  program: {
    command: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    // It connects only when it is asked to.
    args: ['--ide'],
  },
  connection: {
    opened: 'by default',
    listensOn: 'port',
    discovery: {
      agent: 'claude-code',
      rank: 2,
      folders: (places) => [lockFolder(places)],
      reader: ({ isWindows }) => claudeLockReader({ runningInWindows: isWindows }),
      endpoint: websocketEndpoint,
    },
    adapter: async ({ port, ideName, evaluate }, places) => {
      const { claudeCodeAdapter } = await import('./adapter.ts');
      const { stateFolder, isWindows: runningInWindows } = places;
      return claudeCodeAdapter({
        stateFolder,
        port,
        lockFolder: lockFolder(places),
        ideName,
        runningInWindows,
        evaluate,
      });
    },
  },
  guide: ({ workspace, hawser }) => ({
    steps: [
      'Start it in the folder that Hawser serves: hawser run claude, or claude --ide, or type /ide in it.',
      'Changes are shown in the editor, and can be accepted in part.',
    ],
    file: {
      path: join(workspace, '.mcp.json'),
      format: 'json',
      settings: [{ at: ['mcpServers', 'hawser'], value: commandAndArgs(hawser) }],
    },
  }),
};

function lockFolder({ home, variables }: AgentPlaces): string {
  return claudeLockFolder({ configDir: variables.CLAUDE_CONFIG_DIR, home });
}
