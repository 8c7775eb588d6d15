import { type RealAgent, writeSettings } from '../real-agent.ts';

const noDiffs = 'opencode does not ask editors about its edits';

export const opencode: RealAgent = {
  name: 'opencode',
  title: 'opencode',
  adapter: 'claude-code',
  package: 'opencode-ai',
  version: '1.18.33',
  program: 'opencode',
  start({ home, modelUrl }) {
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      name: 'Scripted',
      options: { baseURL: `${modelUrl}/v1`, apiKey: 'no-real-key' },
      models: { scripted: { name: 'Scripted' } },
    };
    const model = 'scripted/scripted';
    const settings = {
      autoupdate: false,
      share: 'disabled',
      model,
      small_model: model,
      provider: { scripted: provider },
    };
    writeSettings(home, '.config/opencode/opencode.json', settings);
    return {
      args: [],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
        // It tries to install a package of its own, and would try again for half a minute.
        npm_config_fetch_retries: '0',
      },
    };
  },
  prompt: 'Ask anything',
  mention: { shows: '@a.txt#2-3', received: /two.{1,40}three/ },
  mcp: { args: [], call: (tool, input) => ({ use: `hawser_${tool}`, input }) },
  limits: { accept: noDiffs, change: noDiffs, reject: noDiffs, terminal: noDiffs },
};
