import { join } from 'node:path';
import type { Agent } from '../../agent.ts';
import { commandAndArgs } from '../../connect/server-entry.ts';

export const zed: Agent = {
  name: 'zed',
  title: 'Zed',
  guide: ({ home, variables, hawser }) => ({
    steps: [],
    file: {
      path: join(variables.XDG_CONFIG_HOME || join(home, '.config'), 'zed', 'settings.json'),
      format: 'json',
      settings: [{ at: ['context_servers', 'hawser'], value: commandAndArgs(hawser) }],
    },
  }),
};
