import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { LimitExceeded, messageOf } from '../../jsonrpc/errors.ts';
import { isSmall } from './bounded.ts';
import type { Validator } from './json-schema.ts';
import {
  clip,
  maxProblems,
  missing,
  nothingAllowed,
  notOneOf,
  outOfRange,
  type Problem,
  tooFew,
  tooMany,
  unknownProperty,
  wrongType,
} from './problem.ts';

/** Runs the compiler or the validator of a schema. */
type Run = <T>(work: () => T) => T;

/**
 * Compiles any JSON Schema with ajv, which is loaded on the first call. Rejects when the schema cannot be used.
 * Nothing is fetched, so a `$ref` must point into the schema itself. `run` can limit the time of a schema that is not
 * trusted: its patterns, references and alternatives can take any time.
 */
export async function compileWithAjv(
  schema: { readonly [keyword: string]: unknown },
  run: Run = (work) => work(),
): Promise<Validator> {
  const newAjv = await importDialect(schema.$schema);
  let validate: ValidateFunction;
  try {
    // A new instance each time: a shared one refuses a second schema with the same $id and keeps all of them alive.
    validate = run(() => newAjv(options).compile(schema));
  } catch (error) {
    if (error instanceof LimitExceeded) throw error;
    throw new Error(`The JSON Schema cannot be compiled: ${clip(messageOf(error), 200)}`, { cause: error });
  }
  if ('$async' in validate) throw new Error('The JSON Schema cannot be compiled: $async is not JSON Schema');
  let validateWhole: ValidateFunction | undefined;
  return (value) =>
    run(() => {
      if (validate(value)) return [];
      // All errors of a large value may take a gigabyte, so it gets the first only.
      if (!isSmall(value)) return translate(validate.errors ?? [], value);
      validateWhole ??= newAjv({ ...options, allErrors: true }).compile(schema);
      validateWhole(value);
      return translate(validateWhole.errors ?? [], value);
    });
}

const options: Options = {
  strict: false,
  strictNumbers: true,
  validateSchema: false,
  validateFormats: false,
  // Without it a required `toString` is found on every object.
  ownProperties: true,
  // Gives `schema` in errors, from which the number of alternatives is read.
  verbose: true,
  logger: false,
};

async function importDialect(
  declared: unknown,
): Promise<(options: Options) => { compile(schema: object): ValidateFunction }> {
  const dialect = typeof declared === 'string' ? declared.replace(/^https?:\/\/|#$/g, '') : declared;
  switch (dialect) {
    case undefined:
    case 'json-schema.org/draft/2020-12/schema': {
      const { Ajv2020 } = await import('./ajv-dialects.ts');
      return (given) => new Ajv2020(given);
    }
    case 'json-schema.org/draft/2019-09/schema': {
      const { Ajv2019 } = await import('./ajv-dialects.ts');
      return (given) => new Ajv2019(given);
    }
    case 'json-schema.org/draft-07/schema':
    case 'json-schema.org/draft-06/schema': {
      const { Ajv } = await import('./ajv-dialects.ts');
      return (given) => new Ajv(given);
    }
    default:
      throw new Error(`Unsupported JSON Schema dialect: ${clip(String(declared), 100)}`);
  }
}

function translate(errors: readonly ErrorObject[], value: unknown): Problem[] {
  const problems = new Map<string, Problem>();
  for (const error of withoutNoise(errors)) {
    const { path, at } = locate(error.instancePath, value);
    const { keyword, params } = error;
    const step: string | number | undefined = params[STEPS[keyword] ?? ''];
    const message = MESSAGES[keyword]?.(params, at) ?? `does not satisfy ${keyword}`;
    const problem = { path: step === undefined ? path : [...path, step], message };
    problems.set(JSON.stringify(problem), problem);
    if (problems.size === maxProblems) break;
  }
  return [...problems.values()];
}

/** Drops what only repeats another error, and joins the type errors of alternatives: string, null → string or null. */
function withoutNoise(errors: readonly ErrorObject[]): ErrorObject[] {
  const reduced: ErrorObject[] = [];
  for (const error of errors) {
    // A failed `then` has reported its own errors; those inside propertyNames are about a name, not about a value.
    if (error.keyword === 'if' || error.propertyName !== undefined) continue;
    if (error.keyword === 'contains') {
      while (reduced.at(-1)?.schemaPath.startsWith(`${error.schemaPath}/`)) reduced.pop();
    }
    if ((error.keyword === 'anyOf' || error.keyword === 'oneOf') && Array.isArray(error.schema)) {
      const branches = reduced.slice(-error.schema.length);
      const onlyTypes = branches.every((b) => b.keyword === 'type' && b.instancePath === error.instancePath);
      if (onlyTypes && branches.length === error.schema.length) {
        reduced.length -= branches.length;
        const type = [...new Set(branches.flatMap((branch) => branch.params.type))];
        reduced.push({ ...error, keyword: 'type', params: { type } });
        continue;
      }
    }
    reduced.push(error);
  }
  return reduced;
}

/** Follows a JSON pointer, turning its steps into numbers where the value has an array. */
function locate(pointer: string, value: unknown): { path: (string | number)[]; at: unknown } {
  const path: (string | number)[] = [];
  let at = value;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(at) ? Number(name) : name);
    at = memberOf(at, name);
  }
  return { path, at };
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name]; // own property of an object, checked above
}

/** The parameter of an ajv error that names the property, or item, it is about. */
const STEPS: { readonly [keyword: string]: string } = {
  required: 'missingProperty',
  dependentRequired: 'missingProperty',
  dependencies: 'missingProperty',
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
  propertyNames: 'propertyName',
  uniqueItems: 'i',
};

type Params = ErrorObject['params'];

const tooManyItems = ({ limit }: Params) => tooMany(limit, 'item');
const requiredWith = ({ property }: Params) => `required with ${clip(property, 40)} but missing`;

/** Our words for ajv errors. */
const MESSAGES: { readonly [keyword: string]: (params: Params, at: unknown) => string } = {
  type: ({ type }, at) => wrongType([type].flat(), at),
  enum: ({ allowedValues }) => notOneOf(allowedValues),
  const: ({ allowedValue }) => notOneOf([allowedValue]),
  minimum: ({ limit }) => outOfRange('at least', limit),
  maximum: ({ limit }) => outOfRange('at most', limit),
  exclusiveMinimum: ({ limit }) => outOfRange('more than', limit),
  exclusiveMaximum: ({ limit }) => outOfRange('less than', limit),
  minLength: ({ limit }) => tooFew(limit, 'character'),
  maxLength: ({ limit }) => tooMany(limit, 'character'),
  minItems: ({ limit }) => tooFew(limit, 'item'),
  maxItems: tooManyItems,
  items: tooManyItems,
  additionalItems: tooManyItems,
  unevaluatedItems: tooManyItems,
  minProperties: ({ limit }) => tooFew(limit, 'property'),
  maxProperties: ({ limit }) => tooMany(limit, 'property'),
  required: () => missing,
  dependentRequired: requiredWith,
  dependencies: requiredWith,
  additionalProperties: () => unknownProperty,
  unevaluatedProperties: () => unknownProperty,
  propertyNames: () => 'property name not allowed',
  pattern: ({ pattern }) => `expected a match of ${clip(pattern, 40)}`,
  multipleOf: ({ multipleOf }) => `expected a multiple of ${multipleOf}`,
  uniqueItems: ({ j }) => `expected to differ from item ${j}`,
  contains: containsMessage,
  oneOf: ({ passingSchemas }) =>
    passingSchemas ? 'fits more than one of the alternatives' : 'fits none of the alternatives',
  anyOf: () => 'fits none of the alternatives',
  not: () => 'excluded by the schema',
  'false schema': () => nothingAllowed,
};

function containsMessage({ minContains, maxContains }: { minContains?: number; maxContains?: number }): string {
  const least = `at least ${minContains ?? 1}`;
  return `expected ${maxContains === undefined ? least : `${least} and at most ${maxContains}`} fitting items`;
}
