import type { Server } from '@hawser/mcp';
import type { Relation } from '../evaluator.ts';
import type { Sessions } from '../sessions.ts';
import { input, PACKAGE, READS, SESSION, TIMEOUT } from './schemas.ts';
import { addLispTool, type CommonArguments } from './workbench.ts';

interface Arguments extends CommonArguments {
  readonly symbol: string;
  readonly relation?: Relation;
  readonly package?: string;
}

export function addXref(server: Server, sessions: Sessions): void {
  addLispTool<Arguments>(server, sessions, {
    name: 'xref',
    title: 'Cross references',
    description:
      'Finds who calls, references, binds, sets or specializes on what a symbol names, or what it calls itself. Knows what the compiler has recorded of code compiled in the session.',
    inputSchema: input(
      {
        symbol: { type: 'string', description: 'The symbol', minLength: 1, maxLength: 1000 },
        relation: {
          type: 'string',
          enum: ['calls', 'callers', 'references', 'binders', 'setters', 'macroexpanders', 'specializers'],
          description: 'What to look for',
          default: 'callers',
        },
        ...PACKAGE,
        ...SESSION,
        ...TIMEOUT,
      },
      ['symbol'],
    ),
    annotations: READS,
    operation: (args) => ({
      kind: 'xref',
      symbol: args.symbol,
      relation: args.relation ?? 'callers',
      package: args.package,
    }),
  });
}
