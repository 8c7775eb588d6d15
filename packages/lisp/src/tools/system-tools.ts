import type { Outcome } from '../evaluator.ts';
import { type CommonArguments, lispTool, type Tool } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, RUNS_CODE, SESSION, SYSTEM, TIMEOUT } from './schemas.ts';
import { withPrintedCounts } from './test-output.ts';

interface OfSystem extends CommonArguments {
  readonly system: string;
  /** Whether the answer shows the output, which is mostly the compiler's. */
  readonly output?: 'summary' | 'full';
}

/** What the tools that load a system have in common. */
const LOADS = {
  inputSchema: input({ ...SYSTEM, ...SESSION, ...TIMEOUT }, ['system']),
  annotations: RUNS_CODE,
  needsRoots: true,
  // For the session's resource.
  maxOutput: 500_000,
} as const;

/** The tools that load what is in files. */
export const systemTools: readonly Tool[] = [
  lispTool<CommonArguments & { readonly path: string }>({
    name: 'load-file',
    title: 'Load a file',
    description: 'Loads a file of Lisp code, form by form. Relative paths start at the working directory.',
    inputSchema: input({ path: { type: 'string', minLength: 1, maxLength: 4096 }, ...SESSION, ...TIMEOUT }, ['path']),
    annotations: RUNS_CODE,
    operation: ({ path }) => ({ kind: 'load-file', path }),
  }),
  lispTool<OfSystem>({
    name: 'load-system',
    title: 'Load a system',
    description:
      'Loads an ASDF system, compiling it if necessary. Finds systems of the project, Quicklisp, ocicl and qlot. Reports systems, and errors and warnings in your files. May take 10 minutes.',
    operation: ({ system }) => ({ kind: 'load-system', system }),
    view: ({ output }) => ({ ...PLAIN, rest: 'resource', output: output === 'full' ? 'shown' : 'hidden' }),
    ...LOADS,
  }),
  lispTool<OfSystem>({
    name: 'test-system',
    title: 'Test a system',
    description:
      'Loads an ASDF system and runs its tests (asdf:test-system). Reports each failed test with its form and place. Reads results of FiveAM, Parachute and Rove.',
    operation: ({ system }) => ({ kind: 'test-system', system }),
    refine: withPrintedCounts,
    view: ({ output }, outcome) => ({
      ...PLAIN,
      rest: 'resource',
      output: output === 'full' ? 'shown' : isInOutput(outcome) ? 'ending' : 'hidden',
    }),
    ...LOADS,
  }),
];

/** Whether only the output can say what became of the tests. */
function isInOutput({ error, findings = [], tests }: Outcome): boolean {
  if (error?.phase === 'compile' || error?.phase === 'read') return false;
  return tests?.library === undefined || (tests.failed > 0 && findings.length === 0);
}
