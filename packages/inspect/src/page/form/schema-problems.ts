import type { ChosenVariant } from './chosen-variants.ts';
import type { FieldProblem } from './draft.ts';
import { decoded, pointerToken } from './pointer.ts';

/** An error of the validator. */
export interface SchemaError {
  readonly keyword: string;
  /** Of the keyword, such as `#/properties/a/minLength`. */
  readonly keywordLocation: string;
  /** Of the value, such as `#/a`. */
  readonly instanceLocation: string;
  readonly error: string;
}

/** They say only that something below them is wrong. */
const APPLICATORS = new Set([
  '$ref',
  '$recursiveRef',
  '$dynamicRef',
  'allOf',
  'dependentSchemas',
  'else',
  'if',
  'items',
  'patternProperties',
  'prefixItems',
  'properties',
  'then',
]);
const ALTERNATIVES = new Set(['anyOf', 'oneOf']);

/** What is wrong with a value, at the fields where it is. Errors of alternatives that the user did not choose are left out. */
export function problemsOf(errors: readonly SchemaError[], chosen: readonly ChosenVariant[]): FieldProblem[] {
  const own = errors.filter((error) => !isOfOtherVariant(error, chosen));
  const specific = own.filter(({ keyword }) => !APPLICATORS.has(keyword) && !ALTERNATIVES.has(keyword));
  const general = own.filter(({ keyword }) => ALTERNATIVES.has(keyword));
  const shown = specific.length > 0 ? specific : general.length > 0 ? general : own;
  const problems = shown.map(problemOf);
  // One rule can be reached in several ways.
  const isFirst = ({ path, message }: FieldProblem, index: number) =>
    problems.findIndex((other) => other.path === path && other.message === message) === index;
  return problems.filter(isFirst);
}

function isOfOtherVariant(
  { keywordLocation, instanceLocation }: SchemaError,
  chosen: readonly ChosenVariant[],
): boolean {
  return chosen.some(({ path, location, index }) => {
    if (!keywordLocation.startsWith(`${location}/`)) return false;
    if (instanceLocation !== path && !instanceLocation.startsWith(`${path}/`)) return false;
    const [branch] = keywordLocation.slice(location.length + 1).split('/');
    return branch !== String(index);
  });
}

function problemOf({ keyword, instanceLocation, error }: SchemaError): FieldProblem {
  const [, missing] = /required property "(.*)"\.$/s.exec(error) ?? [];
  if (keyword === 'required' && missing !== undefined) {
    return { path: `${instanceLocation}/${pointerToken(missing)}`, message: 'It is required.' };
  }
  if (keyword === 'oneOf') return { path: instanceLocation, message: 'It must match exactly one of the alternatives.' };
  if (keyword === 'anyOf') return { path: instanceLocation, message: 'It matches none of the alternatives.' };
  return { path: instanceLocation, message: error.replace(/^Instance\b/, 'The value') };
}

/** A path for the user: `a.b[0]`; empty for the whole value. */
export function pathInWords(path: string): string {
  return path
    .split('/')
    .slice(1)
    .map((token) => decoded(token).replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((name, index) => (/^\d+$/.test(name) ? `[${name}]` : index === 0 ? name : `.${name}`))
    .join('');
}
