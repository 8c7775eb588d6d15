import type { Server } from '@hawser/mcp';
import type { Sessions } from '../sessions.ts';
import { input, PACKAGE, READS, SESSION, TIMEOUT } from './schemas.ts';
import { addLispTool, type CommonArguments } from './workbench.ts';

interface Arguments extends CommonArguments {
  readonly text: string;
  readonly package?: string;
}

export function addAproposSearch(server: Server, sessions: Sessions): void {
  addLispTool<Arguments>(server, sessions, {
    name: 'apropos-search',
    title: 'Search symbols',
    description: 'Finds symbols whose name contains a text, in one package or in all.',
    inputSchema: input(
      {
        text: { type: 'string', description: 'Part of the name', minLength: 1, maxLength: 1000 },
        ...PACKAGE,
        ...SESSION,
        ...TIMEOUT,
      },
      ['text'],
    ),
    annotations: READS,
    operation: (args) => ({
      kind: 'apropos',
      text: args.text,
      package: args.package,
    }),
  });
}
