import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { input, LOOKUP, READS } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly package?: string;
  readonly limit?: number;
}

export function addListDefinitions(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'list-definitions',
    title: 'List definitions',
    description:
      'Lists functions, macros, variables, classes, generic functions and methods of a package, with file and line.',
    inputSchema: input(LOOKUP),
    annotations: READS,
    operation: ({ package: name, offset, limit }) => ({ kind: 'list-definitions', package: name, offset, limit }),
  });
}
