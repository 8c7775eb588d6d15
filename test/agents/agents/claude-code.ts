import { type RealAgent, writeSettings } from '../real-agent.ts';

const KEY = 'sk-ant-api03-no-real-key-0123456789abcdefghij';

export const claudeCode: RealAgent = {
  name: 'claude',
  title: 'Claude Code',
  adapter: 'claude-code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.325',
  program: 'claude',
  start({ home, workspace, modelUrl }) {
    const project = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
    const projects = { [workspace]: { ...project, enabledMcpjsonServers: ['hawser'] } };
    const customApiKeyResponses = { approved: [KEY.slice(-20)], rejected: [] };
    const settings = { hasCompletedOnboarding: true, theme: 'dark', customApiKeyResponses, projects };
    writeSettings(home, '.claude.json', settings);
    return {
      // It shows diffs in this mode only.
      args: ['--ide', '--permission-mode', 'default'],
      env: {
        ANTHROPIC_BASE_URL: modelUrl,
        ANTHROPIC_API_KEY: KEY,
        DISABLE_AUTOUPDATER: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
      },
    };
  },
  prompt: 'for shortcuts',
  selection: '2 lines selected',
  mention: { shows: '@a.txt#L2-3', received: /two.{1,40}three/ },
  edit: (file_path, { from, to }) => [
    { use: 'Read', input: { file_path } },
    { use: 'Edit', input: { file_path, old_string: from, new_string: to } },
  ],
  decision: { shows: 'Do you want to make this edit', press: ['1'] },
  rejected: /interrupted|rejected/i,
  mcp: {
    args: ['--allowedTools', 'mcp__hawser'],
    steps: [
      { shows: 'for shortcuts', press: ['-l', '/mcp'] },
      { shows: 'Manage MCP servers', press: ['Enter'] },
      { shows: '✔ hawser', press: ['Escape'] },
    ],
    call: (tool, input) => ({ use: `mcp__hawser__${tool}`, input }),
  },
  limits: {},
};
