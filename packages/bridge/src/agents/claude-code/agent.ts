import { join } from 'node:path';
import { CLAUDE_CODE } from '@hawser/client/program-files';
import type { Agent } from '../../agent.ts';
import { commandAndArgs } from '../../connect/server-entry.ts';
import { websocketEndpoint } from '../adapter-parts/websocket-endpoint.ts';
import { claudeLockFolder, claudeLockReader } from './lock.ts';

export const claudeCode: Agent = {
  name: 'claude-code',
  title: 'Claude Code',
  program: {
    command: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    // It connects only when it is asked to. Its own default is the mode `auto`, in which it edits without asking.
    args: ['--ide', '--permission-mode=default'],
    asking: {
      flag: '--permission-mode=default',
      unless: ['--dangerously-skip-permissions', '-p', '--print', '-v', '--version', '-h', '--help'],
      setting: {
        userFolder: CLAUDE_CODE.folder,
        projectFolder: '.claude',
        files: ['settings.json', 'settings.local.json'],
        at: ['permissions', 'defaultMode'],
        asks: ['default', 'manual'],
      },
    },
    notice:
      'claude starts in manual mode: it asks before each edit, and you decide here. Shift-Tab in it changes that.',
  },
  review: {
    kind: 'depends',
    sentence: 'Its changes are reviewed here while it is in manual mode.',
    todo: 'Shift-Tab in it changes the mode.',
    toBeAsked: 'Press Shift-Tab in it until it says "manual mode".',
  },
  // opencode connects through this adapter, too.
  isClient: (adapter, client) => adapter === 'claude-code' && client === 'claude-code',
  connection: {
    opened: 'by default',
    isMain: true,
    listensOn: 'port',
    discovery: {
      agent: 'claude-code',
      rank: 2,
      folders: (places) => [claudeLockFolder(places)],
      reader: ({ isWindows }) => claudeLockReader({ runningInWindows: isWindows }),
      endpoint: websocketEndpoint,
    },
    adapter: async ({ port, ideName, evaluate }, places) => {
      const { claudeCodeAdapter } = await import('./adapter.ts');
      const { stateFolder, isWindows: runningInWindows } = places;
      const lockFolder = claudeLockFolder(places);
      return claudeCodeAdapter({ stateFolder, port, lockFolder, ideName, runningInWindows, evaluate });
    },
  },
  guide: ({ workspace, hawser }) => ({
    steps: [
      'Start it in the folder that Hawser serves: hawser run claude, or claude --ide, or type /ide in it.',
      'In its manual mode, in which hawser run starts it, each change waits in the editor for your decision, hunk by hunk.',
      'In its other modes it writes files itself, and nothing is reviewed unless its gate is on: hawser gate on claude. Shift-Tab in it changes the mode.',
    ],
    file: {
      path: join(workspace, CLAUDE_CODE.projectFile),
      format: 'json',
      settings: [{ at: ['mcpServers', 'hawser'], value: commandAndArgs(hawser) }],
    },
  }),
  gate: async () => (await import('./gate.ts')).gate,
};
