import type { Outcome } from '../evaluator.ts';
import { type CommonArguments, lispTool } from './lisp-tool.ts';
import { EVALUATION, input, PACKAGE, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly code: string;
  readonly stdin?: string;
  readonly 'capture-time'?: boolean;
  readonly 'on-error'?: 'abort' | 'break';
}

export const evaluateLisp = lispTool<Arguments>({
  name: 'evaluate-lisp',
  title: 'Evaluate Common Lisp',
  description:
    'Evaluates Common Lisp forms in order in a session that keeps its definitions, variables and package. Returns the values of the last form, output, warnings, and errors with type, place and backtrace.',
  inputSchema: input(
    {
      code: { type: 'string', description: 'One or more forms' },
      package: { ...PACKAGE.package, description: 'Default: the current package' },
      session: { ...SESSION.session, description: 'Session name. Default: default' },
      timeout: { ...TIMEOUT.timeout, description: 'Seconds; 0: none. Default: 30' },
      stdin: { type: 'string', description: 'Text for *standard-input*' },
      'capture-time': { type: 'boolean', description: 'Show time and memory used' },
      'on-error': { enum: ['abort', 'break'], description: 'break: keep an error open for the debugger tool' },
    },
    ['code'],
  ),
  outputSchema: EVALUATION,
  annotations: RUNS_CODE,
  operation: ({ code, package: name, stdin, 'on-error': onError }) => ({
    kind: 'evaluate',
    code,
    package: name,
    stdin,
    onError,
  }),
  view: ({ code, 'capture-time': time }, outcome) => ({
    values: 'wanted',
    output: 'shown',
    time: time === true ? 'shown' : 'hidden',
    hint: hintOf(code, outcome),
  }),
});

const LOADS_SYSTEMS = /\b(?:asdf|ql):+(?:load-system|test-system|quickload|operate|oos|make)\b/i;

function hintOf(code: string, { tests, interrupted }: Outcome): string | undefined {
  if (tests !== undefined && tests.failed > 0) return 'Call test-system for the form and place of each failure.';
  if (interrupted === 'timeout' && LOADS_SYSTEMS.test(code)) {
    return 'Call load-system or test-system: they may take longer, and report each step.';
  }
  return undefined;
}
