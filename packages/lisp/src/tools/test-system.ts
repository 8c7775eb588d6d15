import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, RUNS_CODE, SESSION, SYSTEM, TIMEOUT } from './schemas.ts';
import { MAX_LOAD_OUTPUT, type OutputChoice } from './system-output.ts';

interface Arguments extends CommonArguments {
  readonly system: string;
  readonly output?: OutputChoice;
}

export function addTestSystem(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'test-system',
    title: 'Test a system',
    description:
      'Loads an ASDF system and runs its tests (asdf:test-system). Reports each failed test with its form and place. Reads results of FiveAM, Parachute and Rove.',
    inputSchema: input({ ...SYSTEM, ...SESSION, ...TIMEOUT }, ['system']),
    annotations: RUNS_CODE,
    needsRoots: true,
    maxOutput: MAX_LOAD_OUTPUT,
    operation: ({ system }) => ({ kind: 'test-system', system }),
    view: ({ output }, { tests }) => ({
      ...PLAIN,
      output: output === 'full' ? 'shown' : tests?.library === undefined ? 'ending' : 'hidden',
    }),
  });
}
