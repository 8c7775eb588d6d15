import type { CommandSpec } from '../command.ts';
import { type ClientFlags, withTargetOptions } from './target-options.ts';

const JSON_OPTION = { name: 'json', description: 'as JSON, as the server sent it' };

/** `hawser info`, `tools`, `resources` and `prompts`. */
export const listCommands: readonly CommandSpec[] = [
  withTargetOptions({
    name: 'info',
    description: 'say what an MCP server is and what it can do',
    options: [JSON_OPTION],
    run: async (flags, _argument, environment) => {
      const { info } = await import('./lists.ts');
      await info(flags as unknown as ClientFlags, environment);
    },
  }),
  withTargetOptions({
    name: 'tools',
    description: 'list the tools of an MCP server',
    options: [JSON_OPTION],
    notes: 'A ? marks an argument that may be left out; hawser call TOOL --describe explains each.',
    run: async (flags, _argument, environment) => {
      const { tools } = await import('./lists.ts');
      await tools(flags as unknown as ClientFlags, environment);
    },
  }),
  withTargetOptions({
    name: 'resources',
    description: 'list the resources of an MCP server',
    options: [JSON_OPTION],
    run: async (flags, _argument, environment) => {
      const { resources } = await import('./lists.ts');
      await resources(flags as unknown as ClientFlags, environment);
    },
  }),
  withTargetOptions({
    name: 'prompts',
    description: 'list the prompts of an MCP server',
    options: [JSON_OPTION],
    run: async (flags, _argument, environment) => {
      const { prompts } = await import('./lists.ts');
      await prompts(flags as unknown as ClientFlags, environment);
    },
  }),
];
