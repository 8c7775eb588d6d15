import { type RealAgent, writeSettings } from '../real-agent.ts';

export const qwenCode: RealAgent = {
  name: 'qwen',
  title: 'Qwen Code',
  adapter: 'qwen-code',
  package: '@qwen-code/qwen-code',
  version: '0.24.4',
  program: 'qwen',
  start({ home, modelUrl }) {
    const settings = {
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      // It would otherwise ask the model what to remember of each turn.
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
      ide: { enabled: true, hasSeenNudge: true },
    };
    writeSettings(home, '.qwen/settings.json', settings);
    return {
      args: ['--approval-mode', 'default'],
      env: {
        OPENAI_BASE_URL: `${modelUrl}/v1`,
        OPENAI_API_KEY: 'no-real-key',
        OPENAI_MODEL: 'scripted',
        SSH_CONNECTION: '127.0.0.1 1 127.0.0.1 22',
      },
    };
  },
  prompt: 'Type your message',
  // Its old connection is tried again after 1 s and after 1.5 s more, and when that fails the new one counts as lost.
  reconnect: { command: '/ide enable', afterMs: 5_000, offered: 'enable IDE integration', shows: 'Connected to' },
  edit: (file_path, { from, to }) => [
    { use: 'read_file', input: { file_path } },
    { use: 'edit', input: { file_path, old_string: from, new_string: to } },
  ],
  decision: { shows: 'Apply this change?', press: ['Enter'] },
  rejected: '- Edit a.txt',
  mcp: {
    args: ['--allowed-tools', 'mcp__hawser'],
    steps: [{ shows: 'Approve this server', press: ['Enter'] }],
    call: (tool, input) => ({ use: `mcp__hawser__${tool}`, input }),
  },
  limits: { mention: 'Qwen Code does not accept mentions from an editor' },
};
