import type { Server } from '@hawser/mcp';
import type { Sessions } from '../sessions.ts';
import { input, PACKAGE, READS, SESSION, TIMEOUT } from './schemas.ts';
import { addLispTool, type CommonArguments } from './workbench.ts';

interface Arguments extends CommonArguments {
  readonly package?: string;
}

export function addListDefinitions(server: Server, sessions: Sessions): void {
  addLispTool<Arguments>(server, sessions, {
    name: 'list-definitions',
    title: 'List definitions',
    description:
      'Lists what has been defined in a package: functions, macros, variables, classes, generic functions and methods.',
    inputSchema: input({ ...PACKAGE, ...SESSION, ...TIMEOUT }, []),
    annotations: READS,
    operation: (args) => ({ kind: 'list-definitions', package: args.package }),
  });
}
