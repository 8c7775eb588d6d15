import { join } from 'node:path';
import type { Agent } from '../../agent.ts';
import type { AgentPlaces } from '../../discovery/format.ts';
import { companionGuide } from '../companion/guide.ts';
import { companionEndpoint } from '../companion/lock.ts';
import { qwenLockFolder, readQwenLock } from './lock.ts';

export const qwenCode: Agent = {
  name: 'qwen-code',
  title: 'Qwen Code',
  program: { command: 'qwen', install: 'npm install -g @qwen-code/qwen-code' },
  connection: {
    opened: 'by default',
    listensOn: 'port',
    discovery: {
      agent: 'qwen-code',
      rank: 4,
      folders: (places) => [lockFolder(places)],
      reader: () => readQwenLock,
      endpoint: companionEndpoint,
    },
    adapter: async ({ port, ideName }, places) => {
      const { qwenCodeAdapter } = await import('./adapter.ts');
      return qwenCodeAdapter({ stateFolder: places.stateFolder, port, ideName, lockFolder: lockFolder(places) });
    },
  },
  guide: (places) => companionGuide('qwen', join(places.workspace, '.qwen', 'settings.json'), places),
};

function lockFolder({ home, variables }: AgentPlaces): string {
  return qwenLockFolder({ qwenHome: variables.QWEN_HOME, home });
}
