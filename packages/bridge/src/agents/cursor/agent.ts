import { join } from 'node:path';
import { CURSOR } from '@hawser/client/program-files';
import type { Agent } from '../../agent.ts';
import { commandAndArgs } from '../../connect/server-entry.ts';

export const cursor: Agent = {
  name: 'cursor',
  title: 'Cursor',
  guide: ({ workspace, hawser }) => {
    const { command, args } = commandAndArgs(hawser);
    return {
      steps: [],
      file: {
        path: join(workspace, CURSOR.projectFile),
        format: 'json',
        settings: [
          // It starts servers in another folder.
          { at: ['mcpServers', 'hawser'], value: { command, args: [...args, '--workspace', `\${workspaceFolder}`] } },
        ],
      },
    };
  },
};
