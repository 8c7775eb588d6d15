import type { Server } from '@hawser/mcp';
import type { Sessions } from '../sessions.ts';
import { input, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';
import { addLispTool, type CommonArguments } from './workbench.ts';

interface Arguments extends CommonArguments {
  readonly system: string;
}

export function addLoadSystem(server: Server, sessions: Sessions): void {
  addLispTool<Arguments>(server, sessions, {
    name: 'load-system',
    title: 'Load a system',
    description: 'Loads a system by its ASDF name, compiling it if need be.',
    inputSchema: input(
      {
        system: { type: 'string', description: 'The name of the system', minLength: 1, maxLength: 1000 },
        ...SESSION,
        ...TIMEOUT,
      },
      ['system'],
    ),
    annotations: RUNS_CODE,
    operation: ({ system }) => ({ kind: 'load-system', system }),
  });
}
