import type { BridgeCommand } from '../command.ts';
import type { McpFlags } from './run.ts';

/** `hawser mcp`, with the options that name a bridge. */
export const mcpCommand: BridgeCommand = {
  name: 'mcp',
  description: "give any agent the editor's tools, as an MCP server on stdio",
  options: [
    {
      name: 'review',
      value: 'policy',
      description: 'if no bridge runs: what becomes of proposals',
      choices: ['ask', 'accept', 'reject'],
      default: 'ask',
    },
    {
      name: 'deny',
      value: 'glob',
      description: 'if no bridge runs: files whose text no agent gets',
      isList: true,
    },
    {
      name: 'language-servers',
      value: 'where',
      description: 'if no bridge runs: where to find language servers',
      choices: ['auto', 'path', 'off'],
      default: 'auto',
    },
    { name: 'trust', description: 'if no bridge runs: let language servers that are part of the folder run' },
    { name: 'log-file', value: 'path', description: 'if no bridge runs: where to log' },
  ],
  notes: `Agents start this themselves: add the command "hawser mcp" to the MCP servers of the agent. It uses the bridge that
serves the folder it is started in, or the nearest folder above. If none runs it serves the folder itself, until an editor
starts; hawser review, in another terminal, then shows what agents propose.`,
  run: async (flags, _argument, environment) => {
    const { runMcp } = await import('./run.ts');
    // The options say which flags there are.
    await runMcp(flags as unknown as McpFlags, environment);
  },
};
