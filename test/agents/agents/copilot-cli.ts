import { type RealAgent, writeSettings } from '../real-agent.ts';

export const copilotCli: RealAgent = {
  name: 'copilot',
  title: 'Copilot CLI',
  adapter: 'copilot-cli',
  package: '@github/copilot',
  version: '1.0.102',
  program: 'copilot',
  start({ home, workspace, modelUrl }) {
    writeSettings(home, '.copilot/config.json', { trustedFolders: [workspace] });
    return {
      args: ['--no-auto-update'],
      // A model of the user's own needs no GitHub account.
      env: {
        COPILOT_OFFLINE: 'true',
        COPILOT_AUTO_UPDATE: 'false',
        COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
        COPILOT_PROVIDER_API_KEY: 'no-real-key',
        COPILOT_MODEL: 'gpt-4.1',
      },
    };
  },
  prompt: '/ commands',
  mention: { shows: '@a.txt:2-3', received: /a\.txt \(lines 2-3 of/ },
  rejected: 'The user rejected this tool call',
  edit: (path, { from, to }) => [
    { use: 'view', input: { path } },
    { use: 'edit', input: { path, old_str: from, new_str: to } },
  ],
  decision: { shows: 'Do you want to edit', press: ['1'] },
  // It can't write another text than its own, so the editor has written it.
  acceptedInPart: 'The user rejected this tool call',
  mcp: { args: ['--allow-tool=hawser'], call: (tool, input) => ({ use: `hawser-${tool}`, input }) },
  limits: {},
};
