import { SessionProblem } from '../session-problem.ts';
import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, LOOKUP, RUNS_CODE, TIMEOUT } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly form?: string;
  readonly part?: number;
  readonly back?: boolean;
  readonly package?: string;
  readonly limit?: number;
}

export function addInspect(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'inspect',
    title: 'Inspect an object',
    description:
      'Shows the slots, elements or entries of the value of a form. Then part goes into one of them by its number, and back returns.',
    inputSchema: input({
      form: { type: 'string' },
      part: { type: 'integer', minimum: 0 },
      back: { type: 'boolean' },
      ...LOOKUP,
      ...TIMEOUT,
    }),
    annotations: RUNS_CODE,
    operation: ({ form, part, back, package: name, offset, limit }) => {
      if ([form !== undefined, part !== undefined, back === true].filter(Boolean).length !== 1) {
        throw new SessionProblem('Give one of form, part and back. Begin with a form.');
      }
      return { kind: 'inspect', form, part, package: name, offset, limit };
    },
    view: () => ({ ...PLAIN, nothing: 'It has no parts' }),
  });
}
