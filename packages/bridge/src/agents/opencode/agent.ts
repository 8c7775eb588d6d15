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
  },
  guide: ({ workspace, hawser, exists }) => {
    const withComments = join(workspace, 'opencode.jsonc');
    return {
      steps: [
        'Start it in the folder that Hawser serves: it connects by itself, and sees the selection and what you mention.',
        'It shows its own diffs; only the tools of hawser mcp show changes in the editor.',
      ],
      file: {
        path: exists(withComments) ? withComments : join(workspace, 'opencode.json'),
        format: 'json',
        settings: [{ at: ['mcp', 'hawser'], value: { type: 'local', command: [...hawser, 'mcp'], enabled: true } }],
      },
    };
  },
};
