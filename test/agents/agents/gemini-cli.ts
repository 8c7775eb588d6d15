import { type RealAgent, writeSettings } from '../real-agent.ts';

export const geminiCli: RealAgent = {
  name: 'gemini',
  title: 'Gemini CLI',
  adapter: 'gemini-cli',
  package: '@google/gemini-cli',
  version: '0.61.0',
  program: 'gemini',
  start({ home, modelUrl }) {
    const settings = {
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      ide: { enabled: true, hasSeenNudge: true },
      // With a model of its choice it asks another model first which one to take.
      model: { name: 'gemini-2.5-flash' },
    };
    writeSettings(home, '.gemini/settings.json', settings);
    return {
      args: [],
      // Without the last one it looks for the editor outside of the container that it may run in.
      env: {
        GOOGLE_GEMINI_BASE_URL: modelUrl,
        GEMINI_API_KEY: 'no-real-key',
        SSH_CONNECTION: '127.0.0.1 1 127.0.0.1 22',
      },
    };
  },
  prompt: 'Type your message',
  // As with Qwen Code, the new connection counts as lost when the last retry of the old one fails.
  reconnect: { command: '/ide enable', afterMs: 5_000, offered: 'Enable IDE integration', shows: 'Connected to' },
  edit: (file_path, { from, to }) => [
    { use: 'replace', input: { file_path, old_string: from, new_string: to, instruction: 'Replace it.' } },
  ],
  decision: { shows: 'Apply this change?', press: ['Enter'] },
  rejected: 'Request cancelled',
  mcp: {
    args: [],
    permission: { shows: 'Allow execution of MCP tool', press: ['3'] },
    call: (tool, input) => ({ use: `mcp_hawser_${tool}`, input }),
  },
  limits: { mention: 'Gemini CLI does not accept mentions from an editor' },
};
