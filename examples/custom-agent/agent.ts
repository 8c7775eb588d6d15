import { join } from 'node:path';
import type { Agent } from '../../agent.ts';
import { commandAndArgs } from '../../connect/server-entry.ts';
import { bearer } from '../../discovery/format.ts';
import { readScribeLock, scribeLockFolder } from './lock.ts';

export const scribe: Agent = {
  name: 'scribe',
  title: 'Scribe',
  program: { command: 'scribe', install: 'npm install -g scribe', args: ['--editor'] },
  connection: {
    opened: 'by default',
    listensOn: 'port',
    discovery: {
      agent: 'scribe',
      rank: 10,
      folders: (places) => [scribeLockFolder(places)],
      reader: () => readScribeLock,
      endpoint: ({ port, token }) =>
        port === undefined ? undefined : { url: `http://127.0.0.1:${port}/mcp`, headers: bearer(token) },
    },
    adapter: async ({ port }, places) => {
      const { scribeAdapter } = await import('./adapter.ts');
      return scribeAdapter({ stateFolder: places.stateFolder, port, lockFolder: scribeLockFolder(places) });
    },
  },
  guide: ({ workspace, hawser }) => ({
    steps: ['Start it in the folder that Hawser serves: hawser run scribe.'],
    file: {
      path: join(workspace, '.scribe.json'),
      format: 'json',
      settings: [{ at: ['servers', 'hawser'], value: commandAndArgs(hawser) }],
    },
  }),
};
