import type { ClientCommand } from '../client-environment.ts';
import { type ClientFlags, withTargetOptions } from './target-options.ts';

const JSON_OPTION = { name: 'json', description: 'as JSON, as the server sent it' };

/** `hawser info`, `tools`, `resources` and `prompts`. */
export const listCommands: readonly ClientCommand[] = [
  list('info', 'say what an MCP server is and what it can do'),
  {
    ...list('tools', 'list the tools of an MCP server'),
    notes: 'A ? marks an argument that may be left out; hawser call TOOL --describe explains each.',
  },
  list('resources', 'list the resources of an MCP server'),
  list('prompts', 'list the prompts of an MCP server'),
];

function list(name: 'info' | 'tools' | 'resources' | 'prompts', description: string): ClientCommand {
  return withTargetOptions({
    name,
    description,
    options: [JSON_OPTION],
    run: async (flags, _argument, environment) => {
      const lists = await import('./lists.ts');
      await lists[name](flags as unknown as ClientFlags, environment);
    },
  });
}
