import { isObject } from '../../jsonrpc/codec.ts';
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { finished, whenKnown } from '../../jsonrpc/thenable.ts';
import type { Schema } from '../../protocol/infer-schema.ts';
import {
  type Checked,
  describeProblems,
  type JsonSchema,
  type PreparedSchema,
} from '../../protocol/schema/validate.ts';
import type { GetPromptResult, Prompt, PromptArgument } from '../../protocol/types.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import { invalidParams, quoted } from '../invalid-params.ts';
import type { Completer } from './completion.ts';
import { describeKind, problemOfBlock } from './content-block.ts';
import { type Listable, type ListedKind, type ListedRegistration, Listing, type Paging } from './listing.ts';
import { prepareObject } from './registered-schema.ts';
import { checkName, checkShape } from './registration-checks.ts';

export interface PromptDefinition<
  Arguments extends readonly PromptArgumentDefinition[] = readonly PromptArgumentDefinition[],
> extends Omit<Prompt, 'arguments'>,
    Listable {
  readonly arguments?: Arguments;
  readonly argsSchema?: undefined;
}

/** A prompt whose arguments are described, and checked, by a schema. */
export interface PromptSchemaDefinition<Args extends Schema = Schema> extends Omit<Prompt, 'arguments'>, Listable {
  /** Of an object whose properties take strings, because clients send strings: plain JSON Schema, or a Standard Schema. */
  readonly argsSchema: Args;
  /** The JSON Schema to list the arguments from, for schema libraries that cannot produce one. */
  readonly argsJsonSchema?: JsonSchema;
  /** Suggests values for arguments, by name. */
  readonly complete?: { readonly [name: string]: Completer };
  readonly arguments?: undefined;
}

/** A prompt that was added. */
export type PromptRegistration = ListedRegistration<AnyPrompt, PromptHandler<never>>;

type AnyPrompt = PromptDefinition | PromptSchemaDefinition;

export interface PromptArgumentDefinition extends Readonly<PromptArgument> {
  /** Suggests values for this argument. */
  readonly complete?: Completer;
}

/** The arguments of a prompt by name. Those that are not declared as required can be absent. */
export type PromptArguments<Arguments extends readonly PromptArgumentDefinition[]> =
  string extends Arguments[number]['name']
    ? { readonly [name: string]: string }
    : { readonly [Name in RequiredNames<Arguments[number]>]: string } & {
        readonly [Name in Exclude<Arguments[number]['name'], RequiredNames<Arguments[number]>>]?: string;
      };

type RequiredNames<Argument> = Argument extends { readonly name: infer Name extends string; readonly required: true }
  ? Name
  : never;

/** The text of one user message, or a whole result. */
export type PromptOutcome = string | GetPromptResult;
export type PromptHandler<Arguments = { readonly [name: string]: string }> = (
  args: Arguments,
  context: RequestContext,
) => PromptOutcome | Promise<PromptOutcome>;

export interface PromptEntry {
  readonly prompt: Prompt;
  /** Checks the arguments, if they have a schema. */
  readonly schema: PreparedSchema | undefined;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly handler: PromptHandler;
}

const ADVICE = 'return a string or { messages: [{ role, content }] }';

/** The prompts of a server: `prompts/list` and `prompts/get`. */
export class Prompts {
  readonly list: Listing<AnyPrompt, PromptHandler<never>, PromptEntry>;

  constructor(paging: Paging, changed: () => void) {
    this.list = new Listing(PROMPT, paging, changed);
  }

  get completes(): boolean {
    return [...this.list.values()].some(({ complete }) => complete.size > 0);
  }

  methods(): [string, RequestHandler][] {
    return [
      ['prompts/list', (params, context) => this.list.page(params, context)],
      ['prompts/get', (params, context) => this.#get(params, context)],
    ];
  }

  #get(params: Params | undefined, context: RequestContext): unknown {
    const { name, arguments: given } = (params ?? {}) as { name?: unknown; arguments?: unknown };
    if (typeof name !== 'string') throw invalidParams('prompts/get', 'name must be a string');
    const entry = this.list.get(name, context.principal);
    if (entry === undefined) throw new RpcError(ErrorCode.InvalidParams, `Unknown prompt: ${quoted(name)}`);
    const args = checkArguments(entry.prompt, given ?? {});
    const { schema } = entry;
    if (schema === undefined) return run(entry, args, context);
    return whenKnown(schema.check(args), (checked) => run(entry, checkedArguments(name, checked), context));
  }
}

const PROMPT: ListedKind<AnyPrompt, PromptHandler<never>, PromptEntry> = {
  noun: 'prompt',
  member: 'prompts',
  make: makePrompt,
  wire: ({ prompt }, { shape }) => shape.prompt(prompt),
};

/** Checks a definition. Throws a TypeError for a mistake. */
function makePrompt(definition: AnyPrompt, handler: PromptHandler<never>): { key: string; entry: PromptEntry } {
  checkShape('prompt', definition, handler, "server.prompt({ name: 'review', arguments: […] }, (args) => …)");
  checkName('Prompt', definition.name);
  // Arguments are checked against the declaration that their type was taken from.
  const untyped = handler as PromptHandler;
  if (definition.argsSchema !== undefined) {
    const { argsSchema, argsJsonSchema, complete = {}, visible: _local, arguments: _none, ...described } = definition;
    const schema = prepareObject(`Prompt ${described.name}: argsSchema`, argsSchema, argsJsonSchema, 'argsJsonSchema');
    const args = argumentsOf(schema.json);
    const unknown = Object.keys(complete).find((name) => !args.some((argument) => argument.name === name));
    if (unknown !== undefined) {
      throw new TypeError(`Prompt ${described.name}: complete has ${unknown}, which is not an argument`);
    }
    const prompt: Prompt = args.length === 0 ? described : { ...described, arguments: args };
    const completers = new Map(Object.entries(complete));
    return { key: prompt.name, entry: { prompt, schema, complete: completers, handler: untyped } };
  }
  const { arguments: args = [], argsSchema: _none, visible: _local, ...described } = definition;
  checkArgumentNames(described.name, args);
  const complete = new Map(args.flatMap((arg) => (arg.complete ? [[arg.name, arg.complete] as const] : [])));
  const prompt: Prompt = { ...described };
  if (args.length > 0) prompt.arguments = args.map(({ complete: _completer, ...arg }) => arg);
  return { key: prompt.name, entry: { prompt, schema: undefined, complete, handler: untyped } };
}

/** The arguments of a prompt, as clients list them, from the schema of all of them. */
function argumentsOf({ properties = {}, required = [] }: JsonSchema): PromptArgument[] {
  const names = Object.entries(properties as { [name: string]: { title?: unknown; description?: unknown } });
  return names.map(([name, { title, description }]) => ({
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...((required as readonly string[]).includes(name) && { required: true }),
  }));
}

/** The value of arguments that fit their schema. Throws RpcError for others. */
function checkedArguments(name: string, checked: Checked): never {
  if (!checked.ok) {
    throw invalidParams('prompts/get', `prompt ${name}: ${describeProblems(checked.problems, 'arguments')}`);
  }
  // The schema has made this value, and the handler's type was taken from the schema.
  return checked.value as never;
}

function run({ prompt: { name }, handler }: PromptEntry, args: { [name: string]: string }, context: RequestContext) {
  const failed = (thrown: unknown): never => {
    context.reportFailure(thrown, `prompt ${name}`);
    throw thrown;
  };
  const finish = (outcome: unknown) => {
    const problem = problemOfOutcome(outcome);
    if (problem !== undefined) throw new TypeError(`Prompt ${name} ${problem}`);
    return asResult(outcome as PromptOutcome, context);
  };
  return finished(() => handler(args, context), finish, failed);
}

function checkArgumentNames(prompt: string, args: readonly PromptArgumentDefinition[]): void {
  if (!Array.isArray(args)) {
    throw new TypeError(`Prompt ${prompt}: arguments must be an array like [{ name: 'code', required: true }]`);
  }
  const names = new Set<string>();
  for (const argument of args) {
    const { name } = argument;
    checkName(`Prompt ${prompt}: argument`, name);
    if (names.has(name)) throw new TypeError(`Prompt ${prompt}: there are two arguments called ${name}`);
    names.add(name);
  }
}

function checkArguments({ name, arguments: expected = [] }: Prompt, args: unknown): { [name: string]: string } {
  if (!isObject(args)) {
    throw invalidParams('prompts/get', 'arguments must be an object');
  }
  for (const [key, value] of Object.entries(args)) {
    if (typeof value !== 'string')
      throw invalidParams('prompts/get', `arguments.${quoted(key)}: expected string, got ${typeof value}`);
  }
  const missing = expected.find((argument) => argument.required && !Object.hasOwn(args, argument.name));
  if (missing) throw invalidParams('prompts/get', `prompt ${name} needs the argument ${missing.name}`);
  return args as { [name: string]: string };
}

function problemOfOutcome(outcome: unknown): string | undefined {
  if (typeof outcome === 'string') return undefined;
  const { messages } = Object(outcome) as { readonly messages?: unknown };
  if (!Array.isArray(messages)) return `returned ${describeKind(outcome)}; ${ADVICE}`;
  for (const [index, message] of messages.entries()) {
    const { role, content } = Object(message) as { readonly role?: unknown; readonly content?: unknown };
    const isRole = role === 'user' || role === 'assistant';
    const got = typeof role === 'string' ? JSON.stringify(role) : describeKind(role);
    if (!isRole) return `returned messages[${index}] whose role is ${got}; roles are user and assistant`;
    const problem = problemOfBlock(content);
    if (problem !== undefined) return `returned messages[${index}] whose content ${problem}`;
  }
  return undefined;
}

function asResult(outcome: PromptOutcome, { revision }: RequestContext): GetPromptResult {
  if (typeof outcome === 'string') {
    return { messages: [{ role: 'user', content: { type: 'text', text: outcome } }] };
  }
  const messages = outcome.messages.map(({ role, content }) => ({ role, content: revision.shape.content(content) }));
  return { ...outcome, messages };
}
