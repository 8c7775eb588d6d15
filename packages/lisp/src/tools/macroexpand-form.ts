import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, PACKAGE, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly form: string;
  readonly package?: string;
  readonly depth?: 'once' | 'full' | 'all';
}

export function addMacroexpandForm(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'macroexpand-form',
    title: 'Expand a macro form',
    description:
      'Expands a macro form: once, full (until it is not a macro form) or all (its subforms too). Runs the macros.',
    inputSchema: input(
      {
        form: { type: 'string' },
        depth: { enum: ['once', 'full', 'all'], description: 'Default: full' },
        ...PACKAGE,
        ...SESSION,
        ...TIMEOUT,
      },
      ['form'],
    ),
    annotations: RUNS_CODE,
    operation: ({ form, depth = 'full', package: name }) => ({ kind: 'macroexpand', form, depth, package: name }),
    view: () => ({ ...PLAIN, values: 'wanted' }),
  });
}
