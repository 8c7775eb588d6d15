import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, RUNS_CODE, SESSION, SYSTEM, TIMEOUT } from './schemas.ts';
import { MAX_LOAD_OUTPUT, type OutputChoice } from './system-output.ts';

interface Arguments extends CommonArguments {
  readonly system: string;
  readonly output?: OutputChoice;
}

export function addLoadSystem(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'load-system',
    title: 'Load a system',
    description:
      'Loads an ASDF system, compiling it if necessary. Finds systems of the project, Quicklisp, ocicl and qlot. Reports systems, and errors and warnings in your files. May take 10 minutes.',
    inputSchema: input({ ...SYSTEM, ...SESSION, ...TIMEOUT }, ['system']),
    annotations: RUNS_CODE,
    needsRoots: true,
    maxOutput: MAX_LOAD_OUTPUT,
    operation: ({ system }) => ({ kind: 'load-system', system }),
    view: ({ output }) => ({
      ...PLAIN,
      rest: 'resource',
      output: output === 'full' ? 'shown' : 'hidden',
    }),
  });
}
