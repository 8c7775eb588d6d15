import { type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { SchemaError } from './schema-problems.ts';

/**
 * Checks values in a thread of its own, which the page can end: a pattern of a server can take forever. This validator
 * interprets schemas; the policy of the page forbids those that write code.
 */
export interface ValidatorRequest {
  readonly schema: object;
  readonly value: unknown;
}

/** Answers a request on the port that comes with it. */
export type Validation =
  | { readonly kind: 'checked'; readonly errors: readonly SchemaError[] }
  /** The schema can't be used. */
  | { readonly kind: 'failed'; readonly message: string };

const MAX_ERRORS = 200;

addEventListener('message', ({ data, ports: [port] }: MessageEvent<ValidatorRequest>) =>
  port?.postMessage(validate(data)),
);
postMessage('started');

function validate({ schema, value }: ValidatorRequest): Validation {
  try {
    const validator = new Validator(schema as Schema, draftOf(schema), false);
    return { kind: 'checked', errors: validator.validate(value).errors.slice(0, MAX_ERRORS) };
  } catch (error) {
    return { kind: 'failed', message: (error as Error).message };
  }
}

function draftOf({ $schema = '' }: { readonly $schema?: unknown }): SchemaDraft {
  const uri = String($schema);
  if (/draft-0[67]/.test(uri)) return '7';
  if (uri.includes('draft-04')) return '4';
  return uri.includes('2019-09') ? '2019-09' : '2020-12';
}
