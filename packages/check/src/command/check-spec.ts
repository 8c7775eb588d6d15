import type { ClientCommand } from '@hawser/client/client-environment';
import { withTargetOptions } from '@hawser/client/commands/target-options';
import type { CheckFlags } from './check-server.ts';

/** `editors`: whether the program that has this command can find editors. */
export const checkCommand = (editors: 'found' | 'unknown'): ClientCommand =>
  withTargetOptions(
    {
      name: 'check',
      description: 'check whether an MCP server follows the protocol',
      options: [
        { name: 'call', description: 'also run the checks that call tools of the server' },
        { name: 'only', value: 'id', description: 'run only this check; can be repeated', isList: true },
        { name: 'skip', value: 'id', description: 'leave this check out; can be repeated', isList: true },
        { name: 'baseline', value: 'file', description: 'accept the findings in this file: the id of a check a line' },
        { name: 'write-baseline', value: 'file', description: 'write the findings of this run to such a file' },
        { name: 'list', description: 'list the checks, and run none' },
        { name: 'json', description: 'the report as JSON' },
        { name: 'junit', value: 'file', description: 'write a JUnit report, too' },
        {
          name: 'badge',
          value: 'file',
          description: 'write a badge, too: SVG, or Markdown for a name that ends with .md',
        },
      ],
      notes: `The server is started or connected to many times, and gets broken messages: don't check a server that others use.
Where an answer did not come, the check runs once more, and only what fails twice is reported. No tool is called without --call.
Exit codes: 0 no check of severity error failed that the baseline does not accept, 1 one did, 10 the server could not be reached or does not speak MCP.`,
      run: async (flags, _argument, environment) => {
        const { checkServer } = await import('./check-server.ts');
        await checkServer(flags as unknown as CheckFlags, environment);
      },
    },
    { editors, timeout: 'how long to wait for each answer (default: 2)', without: ['protocol', 'verbose'] },
  );
