import type { ClientCommand } from '../client-environment.ts';
import type { CallFlags } from './call-tool.ts';
import { withTargetOptions } from './target-options.ts';

export const callCommand: ClientCommand = withTargetOptions({
  name: 'call',
  argument: 'tool',
  more: 'key=value',
  description: 'call a tool of an MCP server',
  options: [
    { name: 'args', value: 'json', description: 'the arguments as a JSON object, or @file for one in a file' },
    { name: 'describe', description: 'explain the tool and its arguments instead of calling it' },
    { name: 'save', value: 'dir', description: 'where images and other bytes are saved', default: '.' },
    { name: 'json', description: 'the result as JSON, as the server sent it' },
  ],
  notes: `Values have the types that the tool asks for: count=3 flag=true tags=a tags=b size='{"width":1}'.
Questions of the server are asked in the terminal. Ctrl-C cancels the call. A call has no timeout unless you give one.
Exit codes: 0 done, 1 the tool failed, 2 wrong tool or arguments, 10 no connection.`,
  run: async (flags, tool, environment, words) => {
    const { callTool } = await import('./call-tool.ts');
    await callTool(tool, words, flags as unknown as CallFlags, environment);
  },
});
