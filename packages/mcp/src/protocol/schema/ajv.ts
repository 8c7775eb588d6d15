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
    const { step, message } = describe(error, at);
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

/** Our words for an ajv error; `step` goes down to the property or item it is about. */
function describe({ keyword, params }: ErrorObject, at: unknown): { step?: string | number; message: string } {
  switch (keyword) {
    case 'type':
      return { message: wrongType([params.type].flat(), at) };
    case 'enum':
      return { message: notOneOf(params.allowedValues) };
    case 'const':
      return { message: notOneOf([params.allowedValue]) };
    case 'minimum':
      return { message: outOfRange('at least', params.limit) };
    case 'maximum':
      return { message: outOfRange('at most', params.limit) };
    case 'exclusiveMinimum':
      return { message: outOfRange('more than', params.limit) };
    case 'exclusiveMaximum':
      return { message: outOfRange('less than', params.limit) };
    case 'minLength':
      return { message: tooFew(params.limit, 'character') };
    case 'maxLength':
      return { message: tooMany(params.limit, 'character') };
    case 'minItems':
      return { message: tooFew(params.limit, 'item') };
    case 'maxItems':
    case 'items':
    case 'additionalItems':
    case 'unevaluatedItems':
      return { message: tooMany(params.limit, 'item') };
    case 'minProperties':
      return { message: tooFew(params.limit, 'property') };
    case 'maxProperties':
      return { message: tooMany(params.limit, 'property') };
    case 'required':
      return { step: params.missingProperty, message: missing };
    case 'dependentRequired':
    case 'dependencies':
      return { step: params.missingProperty, message: `required with ${clip(params.property, 40)} but missing` };
    case 'additionalProperties':
      return { step: params.additionalProperty, message: unknownProperty };
    case 'unevaluatedProperties':
      return { step: params.unevaluatedProperty, message: unknownProperty };
    case 'propertyNames':
      return { step: params.propertyName, message: 'property name not allowed' };
    case 'pattern':
      return { message: `expected a match of ${clip(params.pattern, 40)}` };
    case 'multipleOf':
      return { message: `expected a multiple of ${params.multipleOf}` };
    case 'uniqueItems':
      return { step: params.i, message: `expected to differ from item ${params.j}` };
    case 'contains':
      return { message: containsMessage(params) };
    case 'oneOf':
      return {
        message: params.passingSchemas ? 'fits more than one of the alternatives' : 'fits none of the alternatives',
      };
    case 'anyOf':
      return { message: 'fits none of the alternatives' };
    case 'not':
      return { message: 'excluded by the schema' };
    case 'false schema':
      return { message: nothingAllowed };
    default:
      return { message: `does not satisfy ${keyword}` };
  }
}

function containsMessage({ minContains, maxContains }: { minContains?: number; maxContains?: number }): string {
  const least = `at least ${minContains ?? 1}`;
  return `expected ${maxContains === undefined ? least : `${least} and at most ${maxContains}`} fitting items`;
}
