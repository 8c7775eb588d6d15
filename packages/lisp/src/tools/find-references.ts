import type { Relation } from '../evaluator.ts';
import { addLispTool, type CommonArguments, type ToolContext } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, LOOKUP, READS, SYMBOL } from './schemas.ts';

interface Arguments extends CommonArguments {
  readonly symbol: string;
  readonly relation?: Relation;
  readonly package?: string;
  readonly limit?: number;
}

const NO_CALLERS =
  'No callers found. Use relation macroexpanders for a macro, references for a variable, specializers for a class.';

export function addFindReferences(context: ToolContext): void {
  addLispTool<Arguments>(context, {
    name: 'find-references',
    title: 'Find references',
    description:
      'Finds code that calls, references, binds, sets, expands or specializes on a symbol, with file and line.',
    inputSchema: input(
      {
        ...SYMBOL,
        relation: {
          enum: ['callers', 'calls', 'references', 'binders', 'setters', 'macroexpanders', 'specializers'],
          description: 'Default: callers',
        },
        ...LOOKUP,
      },
      ['symbol'],
    ),
    annotations: READS,
    operation: ({ symbol, relation = 'callers', package: name, offset, limit }) => ({
      kind: 'find-references',
      symbol,
      relation,
      package: name,
      offset,
      limit,
    }),
    view: ({ relation = 'callers' }) => ({ ...PLAIN, nothing: relation === 'callers' ? NO_CALLERS : 'Nothing found' }),
  });
}
