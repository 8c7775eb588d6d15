import { CODEX } from '@hawser/client/program-files';
import type { Agent } from '../../agent.ts';
import { commandAndArgs, PATIENCE_SECONDS } from '../../connect/server-entry.ts';

export const codex: Agent = {
  name: 'codex',
  title: 'Codex CLI',
  program: {
    command: 'codex',
    install: 'npm install -g @openai/codex',
    notice:
      'codex writes its edits itself, without a review, unless its gate is on: hawser gate on codex. Or let it propose them: hawser connect codex --write',
  },
  review: {
    kind: 'no',
    sentence: 'It never asks by itself: its changes are not reviewed.',
    todo: 'hawser gate on codex has them reviewed; hawser connect codex --write lets it propose some.',
  },
  connection: {
    opened: 'by default',
    // At a fixed path, so it needs no discovery files.
    listensOn: 'socket',
    adapter: async (_settings, places) => {
      const { codexAdapter } = await import('./adapter.ts');
      return codexAdapter({ codexHome: CODEX.folder(places), temporaryFolder: places.temporaryFolder });
    },
  },
  guide: ({ hawser, ...places }) => ({
    steps: [
      'Type /ide in it, in the folder that Hawser serves: each prompt then has the open files and the selection.',
      'It writes files itself and never asks. hawser gate on codex has each change reviewed; without it, only what it proposes with the tools of hawser mcp is.',
    ],
    file: {
      path: CODEX.userFile(places),
      format: 'toml',
      settings: [
        { at: ['mcp_servers', 'hawser'], value: { ...commandAndArgs(hawser), tool_timeout_sec: PATIENCE_SECONDS } },
      ],
    },
  }),
  gate: async () => (await import('./gate.ts')).gate,
};
