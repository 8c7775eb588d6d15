import type { Server } from '@hawser/mcp';
import type { Sessions } from '../sessions.ts';
import { input, PACKAGE, RUNS_MACROS, SESSION, TIMEOUT } from './schemas.ts';
import { addLispTool, type CommonArguments } from './workbench.ts';

interface Arguments extends CommonArguments {
  readonly form: string;
  readonly package?: string;
  readonly depth?: 'once' | 'full';
}

export function addMacroexpandForm(server: Server, sessions: Sessions): void {
  addLispTool<Arguments>(server, sessions, {
    name: 'macroexpand-form',
    title: 'Expand a macro form',
    description: 'Expands the macro call that a form is: once, or until the form is no macro call any more.',
    inputSchema: input(
      {
        form: { type: 'string', description: 'The form' },
        depth: { type: 'string', enum: ['once', 'full'], description: 'How far', default: 'full' },
        ...PACKAGE,
        ...SESSION,
        ...TIMEOUT,
      },
      ['form'],
    ),
    annotations: RUNS_MACROS,
    operation: (args) => ({
      kind: 'macroexpand',
      form: args.form,
      depth: args.depth ?? 'full',
      package: args.package,
    }),
    view: () => ({ values: 'wanted', time: 'hidden' }),
  });
}
