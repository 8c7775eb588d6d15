import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, PACKAGE, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly form: string;
  readonly package?: string;
}

export function addCompileForm(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'compile-form',
    title: 'Compile a form',
    description:
      'Compiles a form without calling it and reports what the compiler says, with line and column. Runs macros.',
    inputSchema: input({ form: { type: 'string' }, ...PACKAGE, ...SESSION, ...TIMEOUT }, ['form']),
    annotations: RUNS_CODE,
    operation: ({ form, package: name }) => ({ kind: 'compile', form, package: name }),
    view: () => ({ ...PLAIN, rest: 'resource', nothing: 'Compiled without warnings' }),
  });
}
