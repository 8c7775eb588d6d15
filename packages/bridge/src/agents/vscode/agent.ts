import { join } from 'node:path';
import { VS_CODE } from '@hawser/client/program-files';
import type { Agent } from '../../agent.ts';
import { commandAndArgs } from '../../connect/server-entry.ts';

export const vscode: Agent = {
  name: 'vscode',
  title: 'Visual Studio Code',
  guide: ({ workspace, hawser }) => ({
    steps: [],
    file: {
      path: join(workspace, VS_CODE.projectFile),
      format: 'json',
      settings: [
        { at: ['servers', 'hawser'], value: { type: 'stdio', ...commandAndArgs(hawser), cwd: `\${workspaceFolder}` } },
      ],
    },
  }),
};
