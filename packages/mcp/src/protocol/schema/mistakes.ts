import { describeValue } from '../../jsonrpc/argument-checks.ts';
import { isObject } from '../../jsonrpc/codec.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];
const COMBINED = ['anyOf', 'oneOf', 'allOf'] as const;
/** Deeper schemas are left to the first check. */
const MAX_DEPTH = 64;

/**
 * What is wrong in a JSON Schema, as in `properties.a.type is "strng"; …`; undefined if nothing was found. Looks for the
 * mistakes that are made most often; the first check of a value finds the others.
 */
export function mistakeIn(schema: unknown, path: readonly string[] = []): string | undefined {
  if (typeof schema === 'boolean' || path.length > MAX_DEPTH) return undefined;
  if (!isObject(schema)) return wrong(path, schema, 'a schema is an object');
  const { type, required, properties, items } = schema;
  for (const each of Array.isArray(type) ? type : [type]) {
    if (each !== undefined && !TYPES.includes(each))
      return wrong([...path, 'type'], each, `types are ${TYPES.join(', ')}`);
  }
  if (required !== undefined && !Array.isArray(required)) {
    return wrong([...path, 'required'], required, 'it lists the names of required properties, beside properties');
  }
  if (properties !== undefined && !isObject(properties)) {
    return wrong([...path, 'properties'], properties, 'it has a schema for each name');
  }
  const parts: [readonly string[], unknown][] = Object.entries(properties ?? {}).map(([name, part]) => [
    ['properties', name],
    part,
  ]);
  if (items !== undefined && !Array.isArray(items)) parts.push([['items'], items]);
  for (const name of COMBINED) {
    const schemas = schema[name];
    if (Array.isArray(schemas)) schemas.forEach((part, index) => void parts.push([[`${name}[${index}]`], part]));
  }
  for (const [step, part] of parts) {
    const mistake = mistakeIn(part, [...path, ...step]);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

function wrong(path: readonly string[], value: unknown, rule: string): string {
  return `${path.join('.') || 'it'} is ${describeValue(value)}; ${rule}`;
}
