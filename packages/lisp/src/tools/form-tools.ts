import { type CommonArguments, lispTool, type Tool } from './lisp-tool.ts';
import { PLAIN } from './render.ts';
import { DISCARDS, input, PACKAGE, RUNS_CODE, SESSION, STEERS, SYMBOL, TIMEOUT } from './schemas.ts';

interface OfForm extends CommonArguments {
  readonly form: string;
}

interface MacroexpandForm extends OfForm {
  readonly depth?: 'once' | 'full' | 'all';
}

interface Undefine extends CommonArguments {
  readonly symbol: string;
  readonly what?: 'function' | 'variable' | 'class';
}

const FORM = { form: { type: 'string' } } as const;
const RUN = { ...PACKAGE, ...SESSION, ...TIMEOUT };
const FUNCTIONS = {
  functions: { type: 'array', items: { type: 'string' }, maxItems: 100 },
  ...PACKAGE,
  ...SESSION,
} as const;

/** The tools that work on a form, or on functions by name. */
export const formTools: readonly Tool[] = [
  lispTool<OfForm>({
    name: 'compile-form',
    title: 'Compile a form',
    description:
      'Compiles a form without calling it and reports what the compiler says, with line and column. Runs macros.',
    inputSchema: input({ ...FORM, ...RUN }, ['form']),
    annotations: RUNS_CODE,
    operation: ({ form, package: name }) => ({ kind: 'compile', form, package: name }),
    view: () => ({ ...PLAIN, rest: 'resource', nothing: 'Compiled without warnings' }),
  }),
  lispTool<OfForm>({
    name: 'disassemble-form',
    title: 'Disassemble',
    description: 'Shows the machine code of a function: its name, a lambda expression, or a form whose value it is.',
    inputSchema: input({ ...FORM, ...RUN }, ['form']),
    annotations: RUNS_CODE,
    operation: ({ form, package: name }) => ({ kind: 'disassemble', form, package: name }),
  }),
  lispTool<MacroexpandForm>({
    name: 'macroexpand-form',
    title: 'Expand a macro form',
    description:
      'Expands a macro form: once, full (until it is not a macro form) or all (its subforms too). Runs the macros.',
    inputSchema: input({ ...FORM, depth: { enum: ['once', 'full', 'all'], description: 'Default: full' }, ...RUN }, [
      'form',
    ]),
    annotations: RUNS_CODE,
    operation: ({ form, depth = 'full', package: name }) => ({ kind: 'macroexpand', form, depth, package: name }),
    view: () => ({ ...PLAIN, values: 'wanted' }),
  }),
  lispTool<CommonArguments & { readonly code: string }>({
    name: 'profile',
    title: 'Profile code',
    description: 'Evaluates code and shows which functions took the time, by statistical sampling.',
    inputSchema: input({ code: { type: 'string' }, ...RUN }, ['code']),
    annotations: RUNS_CODE,
    operation: ({ code, package: name }) => ({ kind: 'profile', code, package: name }),
    view: () => ({ ...PLAIN, nothing: 'Too short to sample. Run it more often in a loop.' }),
  }),
  lispTool<CommonArguments & { readonly functions: readonly string[] }>({
    name: 'trace',
    title: 'Trace functions',
    description: 'Traces functions: the answer of each later call lists their calls and return values.',
    inputSchema: input(FUNCTIONS, ['functions']),
    annotations: STEERS,
    operation: ({ functions, package: name }) => ({ kind: 'trace', functions, package: name }),
    view: () => ({ ...PLAIN, nothing: 'No function is traced' }),
  }),
  lispTool<CommonArguments & { readonly functions?: readonly string[] }>({
    name: 'untrace',
    title: 'Untrace functions',
    description: 'Ends the trace of functions, or of all.',
    inputSchema: input(FUNCTIONS),
    annotations: STEERS,
    operation: ({ functions, package: name }) => ({ kind: 'untrace', functions, package: name }),
    view: () => ({ ...PLAIN, nothing: 'No function is traced' }),
  }),
  lispTool<Undefine>({
    name: 'undefine',
    title: 'Undefine a symbol',
    description: 'Removes the function, variable or class that a symbol names; all three unless what says which.',
    inputSchema: input({ ...SYMBOL, what: { enum: ['function', 'variable', 'class'] }, ...PACKAGE, ...SESSION }, [
      'symbol',
    ]),
    annotations: DISCARDS,
    operation: ({ symbol, what, package: name }) => ({ kind: 'undefine', symbol, what, package: name }),
    view: () => ({ ...PLAIN, nothing: 'The symbol names nothing' }),
  }),
];
