import type { Params } from '../../jsonrpc/message.ts';
import type { CompleteResult } from '../../protocol/types.ts';
import type { RequestHandler } from '../context.ts';
import { invalidParams } from '../invalid-params.ts';
import type { Prompts } from './prompts.ts';
import type { Resources } from './resources.ts';

/** Suggestions for a value being typed; `others` holds the arguments that are settled already. */
export type Completer = (
  value: string,
  others: { readonly [argument: string]: string },
) => readonly string[] | Promise<readonly string[]>;

/** The specification's limit on one answer. */
const MAX_VALUES = 100;

/** `completion/complete`, for the arguments of prompts and the variables of resource templates. */
export function completionMethods(prompts: Prompts, resources: Resources): [string, RequestHandler][] {
  return [['completion/complete', (params) => complete(params)]];

  async function complete(params: Params | undefined): Promise<CompleteResult> {
    const { ref, argument, context } = (params ?? {}) as { [name: string]: { [name: string]: unknown } | undefined };
    const { name, value } = argument ?? {};
    if (typeof name !== 'string') throw invalidParams('completion/complete', 'argument.name must be a string');
    if (typeof value !== 'string') throw invalidParams('completion/complete', 'argument.value must be a string');
    const completer = find(ref ?? {}).get(name);
    if (completer === undefined) return { completion: { values: [], total: 0, hasMore: false } };
    const values = await completer(value, (context?.arguments ?? {}) as { [argument: string]: string });
    const hasMore = values.length > MAX_VALUES;
    return { completion: { values: values.slice(0, MAX_VALUES), total: values.length, hasMore } };
  }

  function find({ type, name, uri }: { [name: string]: unknown }): ReadonlyMap<string, Completer> {
    if (type === 'ref/prompt') {
      const entry = typeof name === 'string' ? prompts.get(name) : undefined;
      if (entry === undefined) throw invalidParams('completion/complete', `unknown prompt: ${String(name)}`);
      return entry.complete;
    }
    if (type === 'ref/resource') {
      const entry = typeof uri === 'string' ? resources.template(uri) : undefined;
      if (entry === undefined) throw invalidParams('completion/complete', `unknown resource template: ${String(uri)}`);
      return entry.complete;
    }
    throw invalidParams('completion/complete', 'ref.type must be "ref/prompt" or "ref/resource"');
  }
}
