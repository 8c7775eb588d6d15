import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { DISCARDS, input, PACKAGE, SESSION, SYMBOL } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly symbol: string;
  readonly what?: 'function' | 'variable' | 'class';
  readonly package?: string;
}

export function addUndefine(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'undefine',
    title: 'Undefine a symbol',
    description: 'Removes the function, variable or class that a symbol names; all three unless what says which.',
    inputSchema: input({ ...SYMBOL, what: { enum: ['function', 'variable', 'class'] }, ...PACKAGE, ...SESSION }, [
      'symbol',
    ]),
    annotations: DISCARDS,
    operation: ({ symbol, what, package: name }) => ({ kind: 'undefine', symbol, what, package: name }),
    view: () => ({ ...PLAIN, nothing: 'The symbol names nothing' }),
  });
}
