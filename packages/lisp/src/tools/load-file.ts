import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { input, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly path: string;
}

export function addLoadFile(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'load-file',
    title: 'Load a file',
    description: 'Loads a file of Lisp code, form by form. Relative paths start at the working directory.',
    inputSchema: input({ path: { type: 'string', minLength: 1, maxLength: 4096 }, ...SESSION, ...TIMEOUT }, ['path']),
    annotations: RUNS_CODE,
    operation: ({ path }) => ({ kind: 'load-file', path }),
  });
}
