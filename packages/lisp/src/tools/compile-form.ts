import type { Server } from '@hawser/mcp';
import type { Sessions } from '../sessions.ts';
import { input, PACKAGE, RUNS_MACROS, SESSION, TIMEOUT } from './schemas.ts';
import { addLispTool, type CommonArguments } from './workbench.ts';

interface Arguments extends CommonArguments {
  readonly form: string;
  readonly package?: string;
}

export function addCompileForm(server: Server, sessions: Sessions): void {
  addLispTool<Arguments>(server, sessions, {
    name: 'compile-form',
    title: 'Compile a form',
    description: 'Compiles a form without running it, and tells the warnings of the compiler.',
    inputSchema: input({ form: { type: 'string', description: 'The form' }, ...PACKAGE, ...SESSION, ...TIMEOUT }, [
      'form',
    ]),
    annotations: RUNS_MACROS,
    operation: (args) => ({
      kind: 'compile',
      form: args.form,
      package: args.package,
    }),
    view: () => ({ values: 'incidental', time: 'hidden', nothing: 'Compiled without warnings' }),
  });
}
