import { join } from 'node:path';
import type { Agent } from '../../agent.ts';
import { commandAndArgs } from '../../connect/server-entry.ts';

export const vscode: Agent = {
  name: 'vscode',
  title: 'Visual Studio Code',
  guide: ({ workspace, hawser }) => ({
    steps: [],
    file: {
      path: join(workspace, '.vscode', 'mcp.json'),
      format: 'json',
      settings: [
        { at: ['servers', 'hawser'], value: { type: 'stdio', ...commandAndArgs(hawser), cwd: `\${workspaceFolder}` } },
      ],
    },
  }),
};
