import type { Server } from '@hawser/mcp';
import type { Sessions } from '../sessions.ts';
import { input, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';
import { addLispTool, type CommonArguments } from './workbench.ts';

interface Arguments extends CommonArguments {
  readonly path: string;
}

export function addLoadFile(server: Server, sessions: Sessions): void {
  addLispTool<Arguments>(server, sessions, {
    name: 'load-file',
    title: 'Load a file',
    description:
      'Loads a file of Lisp code, form by form. A relative path starts at the working directory of the session.',
    inputSchema: input(
      { path: { type: 'string', description: 'The file', minLength: 1, maxLength: 4096 }, ...SESSION, ...TIMEOUT },
      ['path'],
    ),
    annotations: RUNS_CODE,
    operation: ({ path }) => ({ kind: 'load-file', path }),
  });
}
