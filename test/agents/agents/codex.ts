import { type RealAgent, writeSettings } from '../real-agent.ts';

const noDiffs = 'Codex does not ask editors about its edits';

export const codex: RealAgent = {
  name: 'codex',
  title: 'Codex',
  adapter: 'codex',
  package: '@openai/codex',
  version: '0.166.0',
  program: 'codex',
  start({ home, workspace, modelUrl }) {
    const settings = `
model = "gpt-5.1-codex"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
daemon_auto_start = false
apps = false
plugins = false
remote_plugin = false

[model_providers.scripted]
name = "Scripted"
base_url = ${JSON.stringify(`${modelUrl}/v1`)}
wire_api = "responses"

[projects.${JSON.stringify(workspace)}]
trust_level = "trusted"
`;
    writeSettings(home, '.codex/config.toml', settings);
    return { args: [], env: {} };
  },
  prompt: 'Ask Codex to do anything',
  connect: { command: '/ide', offered: '/ide', shows: /IDE context (is )?on/i },
  connectsPerPrompt: true,
  mcp: {
    args: [],
    permission: { shows: 'Allow the hawser MCP server to run tool "propose_edit"', press: ['Enter'] },
    call: (tool, input) => ({ use: `${tool}@mcp__hawser`, input }),
  },
  limits: {
    mention: 'Codex does not accept mentions from an editor',
    accept: noDiffs,
    change: noDiffs,
    reject: noDiffs,
    terminal: noDiffs,
  },
};
