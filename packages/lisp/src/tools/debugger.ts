import type { Server } from '@hawser/mcp';
import type { DebugAction } from '../evaluator.ts';
import { SessionProblem } from '../session-problem.ts';
import type { Sessions } from '../sessions.ts';
import { input, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';
import { addLispTool, type CommonArguments } from './workbench.ts';

interface Arguments extends CommonArguments {
  readonly action: 'restart' | 'locals' | 'eval-in-frame' | 'abort';
  readonly restart?: number;
  readonly arguments?: readonly string[];
  readonly frame?: number;
  readonly code?: string;
}

export function addDebugger(server: Server, sessions: Sessions): void {
  addLispTool<Arguments>(server, sessions, {
    name: 'debugger',
    title: 'Debug an open error',
    description:
      'Works on the error that evaluate-lisp with on-error "break" has left open: go on with one of its restarts, look at the local variables of a frame, evaluate code in a frame, or abort.',
    inputSchema: input(
      {
        action: {
          type: 'string',
          enum: ['restart', 'locals', 'eval-in-frame', 'abort'],
          description: 'What to do',
        },
        restart: { type: 'integer', description: 'For restart: its number in the list of restarts', minimum: 0 },
        arguments: {
          type: 'array',
          items: { type: 'string' },
          maxItems: 50,
          description: 'For restart: forms whose values it is given, such as the value for USE-VALUE',
        },
        frame: { type: 'integer', description: 'The number of a frame in the backtrace', minimum: 0, default: 0 },
        code: { type: 'string', description: 'For eval-in-frame: the form' },
        ...SESSION,
        ...TIMEOUT,
      },
      ['action'],
    ),
    annotations: RUNS_CODE,
    operation: (args) => ({ kind: 'debug', action: actionOf(args) }),
    view: ({ action }) => ({ values: action === 'abort' ? 'incidental' : 'wanted', time: 'hidden' }),
  });
}

function actionOf({ action, restart, arguments: forms, frame = 0, code }: Arguments): DebugAction {
  switch (action) {
    case 'restart':
      if (restart === undefined) throw new SessionProblem('The action restart wants the number of one in "restart".');
      return { do: 'restart', index: restart, arguments: forms };
    case 'locals':
      return { do: 'locals', frame };
    case 'eval-in-frame':
      if (code === undefined) throw new SessionProblem('The action eval-in-frame wants a form in "code".');
      return { do: 'evaluate', frame, form: code };
    case 'abort':
      return { do: 'abort' };
  }
}
