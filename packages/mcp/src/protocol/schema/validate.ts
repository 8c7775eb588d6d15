import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { isObject } from '../../jsonrpc/codec.ts';
import { messageOf } from '../../jsonrpc/errors.ts';
import { compileWithAjv } from './ajv.ts';
import { bounded, canBeSlow, isSmall } from './bounded.ts';
import { compileSimple, type Validator } from './json-schema.ts';
import { clip, maxProblems, type Problem } from './problem.ts';
import { timeLimit } from './time-limit.ts';

export type { StandardSchemaV1 } from '@standard-schema/spec';
export { describeProblems, type Problem } from './problem.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Synchronous when it can be; a promise when the schema library is asynchronous or ajv is still being imported.
 * Never throws: when the schema itself is unusable, or its library throws, the result is a rejected promise.
 */
export type Check = (value: unknown) => Checked | Promise<Checked>;

export interface PreparedSchema {
  /** What is listed to the peer. */
  readonly json: JsonSchema;
  readonly check: Check;
}

/**
 * Makes a schema ready to be listed and checked against; nothing is compiled before the first check.
 * `described` is the JSON Schema to list, for a library that cannot produce one.
 */
export function prepareSchema(schema: JsonSchema | StandardSchemaV1, described?: JsonSchema): PreparedSchema {
  if (isStandardSchema(schema)) return { json: described ?? jsonOf(schema), check: standardCheck(schema) };
  if (!isObject(schema) || '~standard' in schema)
    throw new TypeError('A schema must be a JSON Schema object or a Standard Schema');
  return { json: described ?? schema, check: jsonCheck(schema, () => ownValidator(schema)) };
}

/** The schema of something that must be an object, such as a tool's arguments. `{}` becomes `{ type: 'object' }`. */
export function requireObjectSchema(json: JsonSchema, what: string): JsonSchema {
  if (Object.hasOwn(json, 'type') && json.type === 'object') return json;
  if (Object.keys(json).length === 0) return { type: 'object' };
  const got = Object.hasOwn(json, 'type') ? clip(JSON.stringify(json.type) ?? 'undefined', 40) : 'no type';
  throw new TypeError(`${what} must have type "object" at its root, got ${got}`);
}

/**
 * The check of a schema that the peer sent. It takes at most about `maxMs`, then it rejects with LimitExceeded.
 * In runtimes that cannot interrupt code, only simple schemas are checked and others accept every value.
 */
export function foreignCheck(schema: JsonSchema, maxMs: number): Check {
  return jsonCheck(schema, () => {
    const limit = timeLimit();
    return limit === undefined ? () => [] : compileWithAjv(schema, (work) => limit(work, maxMs));
  });
}

/** Bounded, because the schema is ours and the value is not. A check in a limit of time takes 0.2 ms more. */
async function ownValidator(schema: JsonSchema): Promise<Validator> {
  const validate = await compileWithAjv(schema);
  if (!canBeSlow(schema)) return validate;
  return (value) =>
    bounded(
      () => validate(value),
      (message) => [{ path: [], message }],
    );
}

function jsonCheck(schema: JsonSchema, compileOther: () => Validator | Promise<Validator>): Check {
  let validator: Validator | Promise<Validator> | undefined;

  const compile = () => {
    const compiling = compileSimple(schema) ?? compileOther();
    if (typeof compiling === 'function') return compiling;
    return compiling.then((compiled) => {
      validator = compiled;
      return compiled;
    });
  };

  return (value) => {
    validator ??= compile();
    if (typeof validator !== 'function') return validator.then((compiled) => judge(compiled, value));
    try {
      return judge(validator, value);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

function judge(validator: Validator, value: unknown): Checked {
  const problems = validator(value);
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems };
}

function standardCheck(schema: StandardSchemaV1): Check {
  return (value) => {
    try {
      const validate = () => schema['~standard'].validate(value);
      const result = isSmall(value) ? validate() : bounded(validate, (message) => ({ issues: [{ message }] }));
      // Not instanceof: a thenable of another realm would otherwise pass as a success without a value.
      if ('then' in result) return Promise.resolve(result).then((settled) => translate(settled, value));
      return translate(result, value);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

function translate(result: StandardSchemaV1.Result<unknown>, input: unknown): Checked {
  if (!result.issues) return { ok: true, value: result.value };
  const problems = result.issues.slice(0, maxProblems).map((issue) => toProblem(issue, input));
  return { ok: false, problems: problems.length > 0 ? problems : [{ path: [], message: 'invalid' }] };
}

function toProblem(issue: StandardSchemaV1.Issue, input: unknown): Problem {
  const path: (string | number)[] = [];
  let value: unknown = input;
  for (const segment of issue.path ?? []) {
    const key = typeof segment === 'object' ? segment.key : segment;
    path.push(typeof key === 'symbol' ? String(key) : key);
    value = isContainer(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return { path, message: clip(withoutLongValue(issue.message, value), 200) };
}

/** Libraries quote what they received, and that may be a whole file. */
function withoutLongValue(message: string, value: unknown): string {
  if (typeof value !== 'string' || value.length <= 40) return message;
  const short = clip(value, 40);
  return message.replaceAll(JSON.stringify(value).slice(1, -1), () => short).replaceAll(value, () => short);
}

function jsonOf(schema: StandardSchemaV1): JsonSchema {
  const { vendor } = schema['~standard'];
  if (!describesItself(schema)) throw new TypeError(`A schema of ${vendor} cannot describe itself as JSON Schema`);
  try {
    return schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  } catch (error) {
    throw new TypeError(`This ${vendor} schema cannot be described as JSON Schema (${messageOf(error)})`, {
      cause: error,
    });
  }
}

function isStandardSchema(schema: JsonSchema | StandardSchemaV1): schema is StandardSchemaV1 {
  if (!isContainer(schema) || !('~standard' in schema)) return false;
  const standard = schema['~standard'];
  return isContainer(standard) && typeof standard.validate === 'function';
}

function describesItself(schema: StandardSchemaV1): schema is StandardSchemaV1 & StandardJSONSchemaV1 {
  const standard: object = schema['~standard'];
  return (
    'jsonSchema' in standard && isContainer(standard.jsonSchema) && typeof standard.jsonSchema.input === 'function'
  );
}

/** An object, or a function: arktype's schemas are callable. */
function isContainer(value: unknown): value is { readonly [key: PropertyKey]: unknown } {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
