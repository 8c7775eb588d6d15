import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, PACKAGE, SESSION, STEERS } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly functions?: readonly string[];
  readonly package?: string;
}

export function addUntrace(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'untrace',
    title: 'Untrace functions',
    description: 'Ends the trace of functions, or of all.',
    inputSchema: input({
      functions: { type: 'array', items: { type: 'string' }, maxItems: 100 },
      ...PACKAGE,
      ...SESSION,
    }),
    annotations: STEERS,
    operation: ({ functions, package: name }) => ({ kind: 'untrace', functions, package: name }),
    view: () => ({ ...PLAIN, nothing: 'No function is traced' }),
  });
}
