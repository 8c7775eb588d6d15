import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { input, LOOKUP, READS } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly prefix: string;
  readonly package?: string;
  readonly limit?: number;
}

export function addCompleteSymbol(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'complete-symbol',
    title: 'Complete a symbol',
    description: 'Lists the symbols that begin with a prefix, such as alexandria:hash-.',
    inputSchema: input({ prefix: { type: 'string', maxLength: 1000 }, ...LOOKUP }, ['prefix']),
    annotations: READS,
    operation: ({ prefix, package: name, offset, limit }) => ({
      kind: 'complete-symbol',
      prefix,
      package: name,
      offset,
      limit,
    }),
  });
}
