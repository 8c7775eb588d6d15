import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { input, LOOKUP, READS } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly text: string;
  readonly package?: string;
  readonly limit?: number;
}

export function addAproposSearch(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'apropos-search',
    title: 'Search symbols',
    description: 'Finds symbols whose name contains a text, in one package or in all.',
    inputSchema: input({ text: { type: 'string', minLength: 1, maxLength: 1000 }, ...LOOKUP }, ['text']),
    annotations: READS,
    operation: ({ text, package: name, offset, limit }) => ({ kind: 'apropos', text, package: name, offset, limit }),
  });
}
