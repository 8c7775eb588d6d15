import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { input, LOOKUP, READS, SYMBOL } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly symbol: string;
  readonly package?: string;
  readonly limit?: number;
}

export function addDescribeSymbol(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'describe-symbol',
    title: 'Describe a symbol',
    description: 'Shows what a symbol names: lambda list, documentation, value, class, slots, methods, file and line.',
    inputSchema: input({ ...SYMBOL, ...LOOKUP }, ['symbol']),
    annotations: READS,
    operation: ({ symbol, package: name, offset, limit }) => ({
      kind: 'describe-symbol',
      symbol,
      package: name,
      offset,
      limit,
    }),
  });
}
