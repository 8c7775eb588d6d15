import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts';
import type { Params } from '../../jsonrpc/message.ts';
import { isThenable } from '../../jsonrpc/thenable.ts';
import type { Registration } from '../../protocol/handlers.ts';
import type { GetPromptResult, Prompt, PromptArgument } from '../../protocol/types.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import { invalidParams } from '../invalid-params.ts';
import type { Completer } from './completion.ts';
import { Listing, type Paging } from './listing.ts';

export interface PromptDefinition extends Omit<Prompt, 'arguments'> {
  readonly arguments?: readonly PromptArgumentDefinition[];
}

export interface PromptArgumentDefinition extends PromptArgument {
  readonly complete?: Completer;
}

/** One message of the user, or a whole result. */
export type PromptOutcome = string | GetPromptResult;
export type PromptHandler = (
  args: { readonly [name: string]: string },
  context: RequestContext,
) => PromptOutcome | Promise<PromptOutcome>;

export interface PromptEntry {
  readonly prompt: Prompt;
  readonly complete: ReadonlyMap<string, Completer>;
  readonly handler: PromptHandler;
}

/** The prompts of a server: `prompts/list` and `prompts/get`. */
export class Prompts {
  readonly #listing: Listing<PromptEntry, Prompt>;

  constructor(paging: Paging, changed: () => void) {
    this.#listing = new Listing({
      noun: 'prompt',
      member: 'prompts',
      paging,
      wire: ({ prompt }, revision) => revision.shape.prompt(prompt),
      changed,
    });
  }

  get used(): boolean {
    return this.#listing.used;
  }

  add(definition: PromptDefinition, handler: PromptHandler): Registration {
    const { arguments: args = [], ...described } = definition;
    const complete = new Map(args.flatMap((arg) => (arg.complete ? [[arg.name, arg.complete] as const] : [])));
    const prompt: Prompt = { ...described };
    if (args.length > 0) prompt.arguments = args.map(({ complete: _ours, ...arg }) => arg);
    return this.#listing.add(prompt.name, { prompt, complete, handler });
  }

  get(name: string): PromptEntry | undefined {
    return this.#listing.get(name);
  }

  get completes(): boolean {
    return [...this.#listing.values()].some(({ complete }) => complete.size > 0);
  }

  methods(): [string, RequestHandler][] {
    return [
      ['prompts/list', (params, { revision }) => this.#listing.page(params, revision)],
      ['prompts/get', (params, context) => this.#get(params, context)],
    ];
  }

  #get(params: Params | undefined, context: RequestContext): unknown {
    const { name, arguments: given } = (params ?? {}) as { name?: unknown; arguments?: unknown };
    if (typeof name !== 'string') throw invalidParams('prompts/get', 'name must be a string');
    const entry = this.#listing.get(name);
    if (entry === undefined) throw new RpcError(ErrorCode.InvalidParams, `Unknown prompt: ${name}`);
    const outcome = entry.handler(checkArguments(entry.prompt, given ?? {}), context);
    return isThenable(outcome)
      ? outcome.then((value) => asResult(value as PromptOutcome, context))
      : asResult(outcome, context);
  }
}

function checkArguments({ name, arguments: expected = [] }: Prompt, args: unknown): { [name: string]: string } {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    throw invalidParams('prompts/get', 'arguments must be an object');
  }
  const given = new Map(Object.entries(args));
  for (const [key, value] of given) {
    if (typeof value !== 'string')
      throw invalidParams('prompts/get', `arguments.${key}: expected string, got ${typeof value}`);
  }
  const missing = expected.find((argument) => argument.required && !given.has(argument.name));
  if (missing) throw invalidParams('prompts/get', `prompt ${name} needs the argument ${missing.name}`);
  return args as { [name: string]: string };
}

function asResult(outcome: PromptOutcome, { revision }: RequestContext): GetPromptResult {
  if (typeof outcome === 'string') {
    return { messages: [{ role: 'user', content: { type: 'text', text: outcome } }] };
  }
  const messages = outcome.messages.map(({ role, content }) => ({ role, content: revision.shape.content(content) }));
  return { ...outcome, messages };
}
