import type { Relation } from '../evaluator.ts';
import { SessionProblem } from '../session-problem.ts';
import { type CommonArguments, lispTool, type Tool } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { input, LOOKUP, READS, RUNS_CODE, SYMBOL, TIMEOUT } from './schemas.ts';

interface OfSymbol extends CommonArguments {
  readonly symbol: string;
}

interface FindReferences extends OfSymbol {
  readonly relation?: Relation;
}

interface Inspect extends CommonArguments {
  readonly form?: string;
  readonly part?: number;
  readonly back?: boolean;
}

const NO_CALLERS =
  'No callers found. Use relation macroexpanders for a macro, references for a variable, specializers for a class.';

/** In which package to look, and which of the findings are wanted. */
const scopeOf = ({ package: name, offset, limit }: CommonArguments) => ({ package: name, offset, limit });

/** The tools that look something up, and can give a part of a long list. */
export const lookupTools: readonly Tool[] = [
  lispTool<CommonArguments & { readonly text: string }>({
    name: 'apropos-search',
    title: 'Search symbols',
    description: 'Finds symbols whose name contains a text, in one package or in all.',
    inputSchema: input({ text: { type: 'string', minLength: 1, maxLength: 1000 }, ...LOOKUP }, ['text']),
    annotations: READS,
    operation: (args) => ({ kind: 'apropos', text: args.text, ...scopeOf(args) }),
  }),
  lispTool<CommonArguments & { readonly prefix: string }>({
    name: 'complete-symbol',
    title: 'Complete a symbol',
    description: 'Lists the symbols that begin with a prefix, such as alexandria:hash-.',
    inputSchema: input({ prefix: { type: 'string', maxLength: 1000 }, ...LOOKUP }, ['prefix']),
    annotations: READS,
    operation: (args) => ({ kind: 'complete-symbol', prefix: args.prefix, ...scopeOf(args) }),
  }),
  lispTool<OfSymbol>({
    name: 'describe-symbol',
    title: 'Describe a symbol',
    description: 'Shows what a symbol names: lambda list, documentation, value, class, slots, methods, file and line.',
    inputSchema: input({ ...SYMBOL, ...LOOKUP }, ['symbol']),
    annotations: READS,
    operation: (args) => ({ kind: 'describe-symbol', symbol: args.symbol, ...scopeOf(args) }),
  }),
  lispTool<OfSymbol>({
    name: 'find-definition',
    title: 'Find a definition',
    description: 'Finds where a symbol is defined: file and line, or the call that defined it.',
    inputSchema: input({ ...SYMBOL, ...LOOKUP }, ['symbol']),
    annotations: READS,
    operation: (args) => ({ kind: 'find-definition', symbol: args.symbol, ...scopeOf(args) }),
  }),
  lispTool<FindReferences>({
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
    operation: ({ symbol, relation = 'callers', ...args }) => ({
      kind: 'find-references',
      symbol,
      relation,
      ...scopeOf(args),
    }),
    view: ({ relation = 'callers' }) => ({ ...PLAIN, nothing: relation === 'callers' ? NO_CALLERS : 'Nothing found' }),
  }),
  lispTool({
    name: 'list-definitions',
    title: 'List definitions',
    description:
      'Lists functions, macros, variables, classes, generic functions and methods of a package, with file and line.',
    inputSchema: input(LOOKUP),
    annotations: READS,
    operation: (args) => ({ kind: 'list-definitions', ...scopeOf(args) }),
  }),
  lispTool<Inspect>({
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
    operation: ({ form, part, back, ...args }) => {
      if ([form !== undefined, part !== undefined, back === true].filter(Boolean).length !== 1) {
        throw new SessionProblem('Give one of form, part and back. Begin with a form.');
      }
      return { kind: 'inspect', form, part, ...scopeOf(args) };
    },
    view: () => ({ ...PLAIN, nothing: 'It has no parts' }),
  }),
];
