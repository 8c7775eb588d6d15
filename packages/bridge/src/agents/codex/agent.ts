import { join } from 'node:path';
import type { Agent } from '../../agent.ts';
import { commandAndArgs, PATIENCE_SECONDS } from '../../connect/server-entry.ts';
import type { AgentPlaces } from '../../discovery/format.ts';

export const codex: Agent = {
  name: 'codex',
  title: 'Codex CLI',
  program: { command: 'codex', install: 'npm install -g @openai/codex' },
  connection: {
    opened: 'by default',
    // At a fixed path, so it needs no discovery files.
    listensOn: 'socket',
    adapter: async (_settings, places) => {
      const { codexAdapter } = await import('./adapter.ts');
      return codexAdapter({ codexHome: codexHome(places), temporaryFolder: places.temporaryFolder });
    },
  },
  guide: ({ hawser, ...places }) => ({
    steps: [
      'Type /ide in it, in the folder that Hawser serves: each prompt then has the open files and the selection.',
      'Codex shows its own diffs; only the tools of hawser mcp show changes in the editor.',
    ],
    file: {
      path: join(codexHome(places), 'config.toml'),
      format: 'toml',
      settings: [
        { at: ['mcp_servers', 'hawser'], value: { ...commandAndArgs(hawser), tool_timeout_sec: PATIENCE_SECONDS } },
      ],
    },
  }),
};

function codexHome({ home, variables }: Pick<AgentPlaces, 'home' | 'variables'>): string {
  return variables.CODEX_HOME || join(home, '.codex');
}
