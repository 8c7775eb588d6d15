import type { Outcome } from '../evaluator.ts';
import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, RUNS_CODE, SESSION, SYSTEM, TIMEOUT } from './schemas.ts';
import { MAX_LOAD_OUTPUT, type OutputChoice } from './system-output.ts';
import { withPrintedCounts } from './test-output.ts';

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
    refine: withPrintedCounts,
    view: ({ output }, outcome) => ({
      ...PLAIN,
      rest: 'resource',
      output: output === 'full' ? 'shown' : isInOutput(outcome) ? 'ending' : 'hidden',
    }),
  });
}

/** Whether only the output can say what became of the tests. */
function isInOutput({ error, findings = [], tests }: Outcome): boolean {
  if (error?.phase === 'compile' || error?.phase === 'read') return false;
  return tests?.library === undefined || (tests.failed > 0 && findings.length === 0);
}
