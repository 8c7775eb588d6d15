import { join } from 'node:path';
import { GEMINI_CLI } from '@hawser/client/program-files';
import type { Agent } from '../../agent.ts';
import { companionGuide } from '../companion/guide.ts';
import { companionEndpoint } from '../companion/lock.ts';
import { geminiLockFolder, readGeminiLock } from './lock.ts';

export const geminiCli: Agent = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  program: { command: 'gemini', install: 'npm install -g @google/gemini-cli' },
  review: {
    kind: 'yes',
    sentence: 'Its changes are reviewed here.',
    toBeAsked: 'Press Shift-Tab or Ctrl-Y in it until it asks before it edits.',
  },
  connection: {
    opened: 'by default',
    listensOn: 'port',
    discovery: {
      agent: 'gemini-cli',
      rank: 3,
      folders: ({ temporaryFolder }) => [geminiLockFolder(temporaryFolder)],
      reader: () => readGeminiLock,
      endpoint: companionEndpoint,
    },
    adapter: async ({ port, ideName }, { stateFolder, temporaryFolder }) => {
      const { geminiCliAdapter } = await import('./adapter.ts');
      return geminiCliAdapter({ stateFolder, port, ideName, lockFolder: geminiLockFolder(temporaryFolder) });
    },
  },
  guide: (places) =>
    companionGuide(
      { command: 'gemini', unasked: 'auto-edit and YOLO modes' },
      join(places.workspace, GEMINI_CLI.projectFile),
      places,
    ),
  gate: async () => (await import('./gate.ts')).gate,
};
