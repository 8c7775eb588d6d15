import { type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { SchemaError } from './schema-problems.ts';

/**
 * Checks values in a thread of its own, which the page can end: a pattern of a server can take forever. This validator
 * interprets schemas; the policy of the page forbids those that write code.
 */
export interface ValidatorRequest {
  readonly id: number;
  readonly schema: object;
  readonly value: unknown;
}

export type ValidatorAnswer =
  | { readonly id: number; readonly errors: readonly SchemaError[] }
  /** The schema itself is wrong. */
  | { readonly id: number; readonly failure: string };

const MAX_ERRORS = 200;

addEventListener('message', ({ data }: MessageEvent<ValidatorRequest>) => postMessage(answerTo(data)));
postMessage('started');

function answerTo({ id, schema, value }: ValidatorRequest): ValidatorAnswer {
  try {
    const validator = new Validator(schema as Schema, draftOf(schema), false);
    return { id, errors: validator.validate(value).errors.slice(0, MAX_ERRORS) };
  } catch (error) {
    return { id, failure: (error as Error).message };
  }
}

function draftOf({ $schema = '' }: { readonly $schema?: unknown }): SchemaDraft {
  const uri = String($schema);
  if (/draft-0[67]/.test(uri)) return '7';
  if (uri.includes('draft-04')) return '4';
  return uri.includes('2019-09') ? '2019-09' : '2020-12';
}
