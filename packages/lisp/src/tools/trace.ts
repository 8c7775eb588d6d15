import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, PACKAGE, SESSION, STEERS } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly functions: readonly string[];
  readonly package?: string;
}

export function addTrace(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'trace',
    title: 'Trace functions',
    description: 'Traces functions: the answer of each later call lists their calls and return values.',
    inputSchema: input(
      {
        functions: { type: 'array', items: { type: 'string' }, maxItems: 100 },
        ...PACKAGE,
        ...SESSION,
      },
      ['functions'],
    ),
    annotations: STEERS,
    operation: ({ functions, package: name }) => ({ kind: 'trace', functions, package: name }),
    view: () => ({ ...PLAIN, nothing: 'No function is traced' }),
  });
}
