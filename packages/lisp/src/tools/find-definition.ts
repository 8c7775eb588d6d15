import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { input, LOOKUP, READS, SYMBOL } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly symbol: string;
  readonly package?: string;
  readonly limit?: number;
}

export function addFindDefinition(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'find-definition',
    title: 'Find a definition',
    description: 'Finds where a symbol is defined: file and line, or the call that defined it.',
    inputSchema: input({ ...SYMBOL, ...LOOKUP }, ['symbol']),
    annotations: READS,
    operation: ({ symbol, package: name, offset, limit }) => ({
      kind: 'find-definition',
      symbol,
      package: name,
      offset,
      limit,
    }),
  });
}
