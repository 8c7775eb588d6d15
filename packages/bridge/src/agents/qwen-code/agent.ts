import { join } from 'node:path';
import { QWEN_CODE } from '@hawser/client/program-files';
import type { Agent } from '../../agent.ts';
import { companionGuide } from '../companion/guide.ts';
import { companionEndpoint } from '../companion/lock.ts';
import { qwenLockFolder, readQwenLock } from './lock.ts';

export const qwenCode: Agent = {
  name: 'qwen-code',
  title: 'Qwen Code',
  program: {
    command: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code',
    args: ['--approval-mode=default'],
    asking: {
      flag: '--approval-mode=default',
      unless: ['-y', '--yolo', '-p', '--prompt', '-v', '--version', '-h', '--help'],
      onlyBeforeFlags: true,
      setting: {
        userFolder: QWEN_CODE.folder,
        projectFolder: '.qwen',
        files: ['settings.json'],
        at: ['tools', 'approvalMode'],
        asks: ['default'],
      },
    },
    notice:
      'qwen starts in its default mode: it asks before each edit, and you decide here. Shift-Tab in it changes that.',
  },
  review: {
    kind: 'depends',
    sentence: 'Its changes are reviewed here while it is in its default mode.',
    todo: 'Shift-Tab in it changes the mode.',
    toBeAsked: 'Type /approval-mode default in it.',
  },
  connection: {
    opened: 'by default',
    listensOn: 'port',
    discovery: {
      agent: 'qwen-code',
      rank: 4,
      folders: (places) => [qwenLockFolder(places)],
      reader: () => readQwenLock,
      endpoint: companionEndpoint,
    },
    adapter: async ({ port, ideName }, places) => {
      const { qwenCodeAdapter } = await import('./adapter.ts');
      return qwenCodeAdapter({ stateFolder: places.stateFolder, port, ideName, lockFolder: qwenLockFolder(places) });
    },
  },
  guide: (places) =>
    companionGuide(
      { command: 'qwen', unasked: 'auto, auto-edit and YOLO modes' },
      join(places.workspace, QWEN_CODE.projectFile),
      places,
    ),
  gate: async () => (await import('./gate.ts')).gate,
};
