import type { Server } from '@hawser/mcp';
import type { Sessions } from '../sessions.ts';
import { checkSyntax } from '../syntax/check-syntax.ts';
import { input, PACKAGE, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';
import { addLispTool, type CommonArguments } from './workbench.ts';

interface Arguments extends CommonArguments {
  readonly code: string;
  readonly package?: string;
  readonly stdin?: string;
  readonly 'capture-time'?: boolean;
  readonly 'on-error'?: 'abort' | 'break';
}

const LONGEST_CHECKED = 200_000;

export function addEvaluateLisp(server: Server, sessions: Sessions): void {
  addLispTool<Arguments>(server, sessions, {
    name: 'evaluate-lisp',
    title: 'Evaluate Common Lisp',
    description:
      'Evaluates Common Lisp code in a session that keeps its state: definitions, variables and the current package stay until the session is reset. All forms are evaluated in order; the values of the last one are the result. Output, warnings and errors are told apart; an error comes with its condition type, its place, its restarts and a backtrace.',
    inputSchema: input(
      {
        code: { type: 'string', description: 'One or more forms' },
        ...PACKAGE,
        ...SESSION,
        ...TIMEOUT,
        stdin: { type: 'string', description: 'What the code reads from *standard-input*. Default: nothing' },
        'capture-time': { type: 'boolean', description: 'Show time and memory used', default: false },
        'on-error': {
          type: 'string',
          enum: ['abort', 'break'],
          description: 'break keeps an error open for the debugger tool',
          default: 'abort',
        },
      },
      ['code'],
    ),
    annotations: RUNS_CODE,
    operation: ({ code, package: name, stdin, 'on-error': onError }) => ({
      kind: 'evaluate',
      code,
      package: name,
      stdin,
      onError,
    }),
    view: ({ code, 'capture-time': time }, { error }) => {
      const hint = error?.phase === 'read' ? syntaxHint(code) : undefined;
      return { values: 'wanted', time: time === true ? 'shown' : 'hidden', ...(hint !== undefined && { hint }) };
    },
  });
}

/** A reader stops at the end of the text; where the parenthesis is missing takes a closer look. */
function syntaxHint(code: string): string | undefined {
  if (code.length > LONGEST_CHECKED) return undefined;
  const problem = checkSyntax(code).problems.find(({ severity }) => severity === 'error');
  return problem && `line ${problem.line}, column ${problem.column}: ${problem.message}`;
}
