import type { ClientCommand } from '../client-environment.ts';
import type { ShellFlags } from './shell.ts';
import { withTargetOptions } from './target-options.ts';

export const shellCommand: ClientCommand = withTargetOptions({
  name: 'shell',
  description: 'call tools of an MCP server in an interactive session',
  options: [{ name: 'save', value: 'dir', description: 'where images and other bytes are saved', default: '.' }],
  notes: 'Type a tool and its arguments as key=value; Tab completes them. :help lists what else there is.',
  run: async (flags, _argument, environment) => {
    const { shell } = await import('./shell.ts');
    await shell(flags as unknown as ShellFlags, environment);
  },
});
