import type { Server } from '@hawser/mcp';
import type { Sessions } from '../sessions.ts';
import { input, PACKAGE, READS, SESSION, TIMEOUT } from './schemas.ts';
import { addLispTool, type CommonArguments } from './workbench.ts';

interface Arguments extends CommonArguments {
  readonly symbol: string;
  readonly package?: string;
}

export function addDescribeSymbol(server: Server, sessions: Sessions): void {
  addLispTool<Arguments>(server, sessions, {
    name: 'describe-symbol',
    title: 'Describe a symbol',
    description:
      'Tells what a symbol names: its function with lambda list and documentation, its value, its class, where it is defined.',
    inputSchema: input(
      {
        symbol: {
          type: 'string',
          description: 'The symbol, with its package if need be',
          minLength: 1,
          maxLength: 1000,
        },
        ...PACKAGE,
        ...SESSION,
        ...TIMEOUT,
      },
      ['symbol'],
    ),
    annotations: READS,
    operation: (args) => ({
      kind: 'describe-symbol',
      symbol: args.symbol,
      package: args.package,
    }),
  });
}
