import { join } from 'node:path';
import type { Agent } from '../../agent.ts';

/** It connects as Claude Code does. */
export const opencode: Agent = {
  name: 'opencode',
  title: 'opencode',
  program: {
    command: 'opencode',
    install: 'npm install -g opencode-ai',
    // With a port it ignores the lock file, and with that the token.
    environment: { CLAUDE_CODE_SSE_PORT: '' },
    notice:
      'opencode writes its edits itself, without a review, unless its gate is on: hawser gate on opencode. Or let it propose them: hawser connect opencode --write',
  },
  review: {
    kind: 'no',
    sentence: 'It never asks by itself: its changes are not reviewed.',
    todo: 'hawser gate on opencode has them reviewed; hawser connect opencode --write lets it propose some.',
  },
  isClient: (adapter, client) => adapter === 'claude-code' && client === 'opencode',
  guide: ({ workspace, hawser, exists }) => {
    const withComments = join(workspace, 'opencode.jsonc');
    return {
      steps: [
        'Start it in the folder that Hawser serves: it connects by itself, and sees the selection and what you mention.',
        'Its changes are never reviewed by themselves: it writes files itself. Only what it proposes with the tools of hawser mcp is.',
      ],
      file: {
        path: exists(withComments) ? withComments : join(workspace, 'opencode.json'),
        format: 'json',
        settings: [{ at: ['mcp', 'hawser'], value: { type: 'local', command: [...hawser, 'mcp'], enabled: true } }],
      },
    };
  },
  gate: async () => (await import('./gate.ts')).gate,
};
