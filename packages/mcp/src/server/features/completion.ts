import type { Params } from '../../jsonrpc/message.ts';
import type { Principal } from '../../protocol/origin.ts';
import type { CompleteResult } from '../../protocol/types.ts';
import type { RequestContext, RequestHandler } from '../context.ts';
import { invalidParams, quoted } from '../invalid-params.ts';
import { describeKind } from './content-block.ts';
import type { Prompts } from './prompts.ts';
import type { Resources } from './resources.ts';

/** Suggests values for what the user has typed; `others` holds the arguments that are filled in already. */
export type Completer = (
  value: string,
  others: { readonly [argument: string]: string },
) => readonly string[] | Promise<readonly string[]>;

/** The specification's limit on one response. */
const MAX_VALUES = 100;
/** More arguments than this are not passed to a completer. */
const MAX_OTHERS = 1000;

/** `completion/complete`, for the arguments of prompts and the variables of resource templates. */
export function completionMethods(prompts: Prompts, resources: Resources): [string, RequestHandler][] {
  return [['completion/complete', complete]];

  async function complete(params: Params | undefined, requestContext: RequestContext): Promise<CompleteResult> {
    const { ref, argument, context } = (params ?? {}) as { [name: string]: { [name: string]: unknown } | undefined };
    const { name, value } = argument ?? {};
    if (typeof name !== 'string') throw invalidParams('completion/complete', 'argument.name must be a string');
    if (typeof value !== 'string') throw invalidParams('completion/complete', 'argument.value must be a string');
    const completer = find(ref ?? {}, requestContext.principal).get(name);
    if (completer === undefined) return { completion: { values: [], total: 0, hasMore: false } };
    const others = textsOf(context?.arguments);
    try {
      const values = await completer(value, others);
      if (!isTexts(values))
        throw new TypeError(`A completer must return an array of strings, got ${describeKind(values)}`);
      const hasMore = values.length > MAX_VALUES;
      return { completion: { values: values.slice(0, MAX_VALUES), total: values.length, hasMore } };
    } catch (thrown) {
      requestContext.reportFailure(thrown, `completion of ${name}`);
      throw thrown;
    }
  }

  function find(
    { type, name, uri }: { [name: string]: unknown },
    principal: Principal | undefined,
  ): ReadonlyMap<string, Completer> {
    if (type === 'ref/prompt') {
      const entry = typeof name === 'string' ? prompts.list.get(name, principal) : undefined;
      if (entry === undefined) throw invalidParams('completion/complete', `unknown prompt: ${quoted(name)}`);
      return entry.complete;
    }
    if (type === 'ref/resource') {
      const entry = typeof uri === 'string' ? resources.templates.get(uri, principal) : undefined;
      if (entry === undefined) throw invalidParams('completion/complete', `unknown resource template: ${quoted(uri)}`);
      return entry.complete;
    }
    throw invalidParams('completion/complete', 'ref.type must be "ref/prompt" or "ref/resource"');
  }
}

/** The members that are strings, up to the limit; completers expect nothing else. */
function textsOf(given: unknown): { readonly [argument: string]: string } {
  if (typeof given !== 'object' || given === null) return {};
  const texts: [string, string][] = [];
  for (const name of Object.keys(given)) {
    const value: unknown = (given as { readonly [name: string]: unknown })[name];
    if (typeof value === 'string') texts.push([name, value]);
    if (texts.length === MAX_OTHERS) break;
  }
  return Object.fromEntries(texts);
}

function isTexts(values: unknown): values is readonly string[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}
