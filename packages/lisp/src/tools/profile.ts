import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, PACKAGE, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly code: string;
  readonly package?: string;
}

export function addProfile(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'profile',
    title: 'Profile code',
    description: 'Evaluates code and shows which functions took the time, by statistical sampling.',
    inputSchema: input({ code: { type: 'string' }, ...PACKAGE, ...SESSION, ...TIMEOUT }, ['code']),
    annotations: RUNS_CODE,
    operation: ({ code, package: name }) => ({ kind: 'profile', code, package: name }),
    view: () => ({ ...PLAIN, nothing: 'Too short to sample. Run it more often in a loop.' }),
  });
}
