import type { ClientCommand } from '@hawser/client/client-environment';
import { withTargetOptions } from '@hawser/client/commands/target-options';
import { toPort } from '@hawser/command-line/to-port';
import type { InspectFlags } from './inspect.ts';

/** `editors`: whether the program that has this command can find editors. */
export const inspectCommand = (editors: 'found' | 'unknown'): ClientCommand =>
  withTargetOptions(
    {
      name: 'inspect',
      description: 'look at an MCP server in the browser: tools, traffic, check',
      options: [
        {
          name: 'port',
          short: 'p',
          value: 'n',
          description: 'the port of the page (default: any free one)',
          parse: toPort,
        },
        { name: 'no-open', description: 'print the link, and open no browser' },
      ],
      notes: `The page can call tools, read resources, get prompts, answer questions of the server, send any message, show all traffic
and run hawser check. It is served to this user on this machine only. Each link works once; when the page is closed, another
link is printed. Ctrl-C ends the command and the server that it started.`,
      run: async (flags, _argument, environment) => {
        const { inspect } = await import('./inspect.ts');
        await inspect(flags as unknown as InspectFlags, environment);
      },
    },
    { editors, withoutTarget: 'the page offers the servers that it finds.' },
  );
