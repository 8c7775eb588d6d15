import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { input, PACKAGE, RUNS_CODE, SESSION, TIMEOUT } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly form: string;
  readonly package?: string;
}

export function addDisassembleForm(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'disassemble-form',
    title: 'Disassemble',
    description: 'Shows the machine code of a function: its name, a lambda expression, or a form whose value it is.',
    inputSchema: input({ form: { type: 'string' }, ...PACKAGE, ...SESSION, ...TIMEOUT }, ['form']),
    annotations: RUNS_CODE,
    operation: ({ form, package: name }) => ({ kind: 'disassemble', form, package: name }),
  });
}
