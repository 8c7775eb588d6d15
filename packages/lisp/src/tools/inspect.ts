import type { Server } from '@hawser/mcp';
import type { Sessions } from '../sessions.ts';
import { input, PACKAGE, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';
import { addLispTool, type CommonArguments } from './workbench.ts';

interface Arguments extends CommonArguments {
  readonly form: string;
  readonly package?: string;
}

export function addInspect(server: Server, sessions: Sessions): void {
  addLispTool<Arguments>(server, sessions, {
    name: 'inspect',
    title: 'Inspect an object',
    description: 'Evaluates a form and shows what is inside its value: slots, elements, entries, type.',
    inputSchema: input(
      { form: { type: 'string', description: 'A form whose value is inspected' }, ...PACKAGE, ...SESSION, ...TIMEOUT },
      ['form'],
    ),
    annotations: RUNS_CODE,
    operation: (args) => ({
      kind: 'inspect',
      form: args.form,
      package: args.package,
    }),
    view: () => ({ values: 'incidental', time: 'hidden', nothing: 'Nothing inside' }),
  });
}
