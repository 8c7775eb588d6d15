import type { DebugAction } from '../evaluator.ts';
import { SessionProblem } from '../session-problem.ts';
import { type CommonArguments, lispTool } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly action: 'restart' | 'locals' | 'eval-in-frame' | 'abort';
  readonly restart?: number;
  readonly arguments?: readonly string[];
  readonly frame?: number;
  readonly code?: string;
}

export const debuggerTool = lispTool<Arguments>({
  name: 'debugger',
  title: 'Debug an open error',
  description:
    'Works on the error that evaluate-lisp with on-error "break" left open: invoke a restart, show the local variables of a frame, evaluate code in a frame, or abort.',
  inputSchema: input(
    {
      action: { enum: ['restart', 'locals', 'eval-in-frame', 'abort'] },
      restart: { type: 'integer', description: 'Its number in the list', minimum: 0 },
      arguments: {
        type: 'array',
        items: { type: 'string' },
        maxItems: 50,
        description: 'Forms for the restart, such as the value for USE-VALUE',
      },
      frame: { type: 'integer', description: 'Its number in the backtrace. Default: 0', minimum: 0 },
      code: { type: 'string', description: 'For eval-in-frame' },
      ...SESSION,
      ...TIMEOUT,
    },
    ['action'],
  ),
  annotations: RUNS_CODE,
  operation: (args) => ({ kind: 'debug', action: actionOf(args) }),
  view: ({ action }) => ({ ...PLAIN, values: action === 'eval-in-frame' ? 'wanted' : 'incidental' }),
});

function actionOf({ action, restart, arguments: forms, frame = 0, code }: Arguments): DebugAction {
  switch (action) {
    case 'restart':
      if (restart === undefined) throw new SessionProblem('Give the number of a restart in "restart".');
      return { do: 'restart', index: restart, arguments: forms };
    case 'locals':
      return { do: 'locals', frame };
    case 'eval-in-frame':
      if (code === undefined) throw new SessionProblem('Give a form in "code".');
      return { do: 'evaluate', frame, form: code };
    case 'abort':
      return { do: 'abort' };
  }
}
